import { AttacheError } from '../../protocol/errors.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import type { GoalId } from '../../protocol/ids.ts';
import type { GoalFacts, Stamp } from '../admission/facts.ts';
import { isGoalInstance, mintGoalInstance } from '../mint.ts';
import { newestWithin } from '../newestWithin.ts';
import { isStoreFailure } from '../store/sqliteErrors.ts';
import type { Store } from '../store/store.ts';

const LIST_LIMIT = 1000;
const LIST_CHARS = 1024 * 1024;

/** One lifetime of a goal key. `goalInstanceId` is its secret identity; legacy goals have none. */
export interface GoalRow {
  readonly workspace: string;
  readonly goalId: GoalId;
  readonly lifetime: number;
  readonly profile: string;
  readonly goalInstanceId: string | null;
  readonly state: 'live' | 'retired';
  readonly title: string;
  readonly objective: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly retiredAt: number | null;
}

export interface GoalKey {
  readonly workspace: string;
  readonly goalId: GoalId;
}

/** A key as it is shown: what admission has to know of it, and its newest lifetime; none when the registry cannot be read. */
export interface GoalFace {
  readonly facts: GoalFacts;
  readonly newest: GoalRow | undefined;
}

const UNREADABLE: GoalFace = { facts: { state: 'unreadable' }, newest: undefined };
/** Of a key this is all that counts. */
const LIVE_OR_NEWEST = `(state = 'live' OR lifetime = (SELECT max(lifetime) FROM goals WHERE workspace = g.workspace AND goalId = g.goalId))`;

/** A stamp as it is stored in a row. */
export function stampOf(instanceId: string | null): Stamp {
  if (instanceId === null) return { kind: 'none' };
  return isGoalInstance(instanceId) ? { kind: 'instance', instanceId } : { kind: 'malformed' };
}

export function publicGoal(row: GoalRow): Goal {
  const { workspace, goalId, lifetime, title, objective, state, createdAt, updatedAt, retiredAt } = row;
  return { goalId, workspace, lifetime, title, objective, state, createdAt, updatedAt, retiredAt };
}

/** Owner of goal keys and their lifetimes. Alone mints goal instances. */
export class GoalRegistry {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What admission has to know of a key. A registry that cannot be read is a fact of its own. */
  facts(key: GoalKey): GoalFacts {
    return this.face(key).facts;
  }

  face(key: GoalKey): GoalFace {
    return readable(() => this.#face(key.workspace, this.#store.all<GoalRow>(
      `SELECT * FROM goals AS g WHERE workspace = ? AND goalId = ? AND ${LIVE_OR_NEWEST} ORDER BY lifetime DESC`, key.workspace, key.goalId))) ?? UNREADABLE;
  }

  /** Of many keys of one folder. */
  faces(workspace: string, goalIds: Iterable<GoalId>): (goalId: GoalId) => GoalFace {
    const faces = readable(() => {
      const rows = this.#store.all<GoalRow>(
        `SELECT * FROM goals AS g WHERE workspace = ? AND goalId IN (SELECT value FROM json_each(?)) AND ${LIVE_OR_NEWEST} ORDER BY lifetime DESC`, workspace, JSON.stringify([...new Set(goalIds)]));
      return new Map([...Map.groupBy(rows, ({ goalId }) => goalId)].map(([goalId, group]) => [goalId, this.#face(workspace, group)]));
    });
    return (goalId) => (faces === undefined ? UNREADABLE : faces.get(goalId) ?? { facts: { state: 'absent' }, newest: undefined });
  }

  /** The newest lifetime of a key for display; none when the registry cannot be read. */
  shown(key: GoalKey): GoalRow | undefined {
    return this.face(key).newest;
  }

  /** The newest lifetime of a key. */
  newest({ workspace, goalId }: GoalKey): GoalRow | undefined {
    return this.#store.get<GoalRow>('SELECT * FROM goals WHERE workspace = ? AND goalId = ? ORDER BY lifetime DESC LIMIT 1', workspace, goalId);
  }

  /** Newest lifetime of each key, in order of creation; of too many the retired and then the oldest are left out. */
  list(workspace: string, state?: GoalRow['state']): GoalRow[] {
    try {
      const rows = this.#store.all<GoalRow>(
        `SELECT * FROM goals AS g WHERE workspace = ?1 AND lifetime = (SELECT max(lifetime) FROM goals WHERE workspace = ?1 AND goalId = g.goalId)
         AND (?3 IS NULL OR state = ?3) ORDER BY state = 'live' DESC, createdAt DESC, goalId DESC LIMIT ?2`, workspace, LIST_LIMIT, state ?? null);
      return newestWithin(rows.reverse(), LIST_CHARS).sort((a, b) => a.createdAt - b.createdAt || (a.goalId < b.goalId ? -1 : 1));
    } catch (error) {
      throw isStoreFailure(error) ? new AttacheError('registry_unavailable') : error;
    }
  }

  /** Begins the next lifetime of a key. */
  begin(key: GoalKey, text: { readonly title: string; readonly objective: string }, now: number): GoalRow {
    const row: GoalRow = {
      ...key, ...text, lifetime: (this.newest(key)?.lifetime ?? 0) + 1, profile: 'source_session_v1', goalInstanceId: mintGoalInstance(),
      state: 'live', createdAt: now, updatedAt: now, retiredAt: null,
    };
    this.#store.insert('goals', { ...row });
    return row;
  }

  update(row: GoalRow, changes: { readonly title?: string; readonly objective?: string }, now: number): GoalRow {
    return this.#patch(row, { title: changes.title ?? row.title, objective: changes.objective ?? row.objective, updatedAt: now });
  }

  retire(key: GoalKey, lifetime: number, now: number): GoalRow | undefined {
    const row = this.#store.get<GoalRow>(
      `SELECT * FROM goals WHERE workspace = ? AND goalId = ? AND lifetime = ? AND state = 'live'`, key.workspace, key.goalId, lifetime);
    return row === undefined ? undefined : this.#patch(row, { state: 'retired', updatedAt: now, retiredAt: now });
  }

  /** From now on the key has had a stamped session: legacy paths to it stay closed for good. */
  recordStamped(key: GoalKey): void {
    this.#store.run('INSERT OR IGNORE INTO stampedHistory (workspace, goalId) VALUES (?, ?)', key.workspace, key.goalId);
  }

  /** `rows`: of one key, those that count, the newest first. */
  #face(workspace: string, rows: readonly GoalRow[]): GoalFace {
    const [newest] = rows;
    if (newest === undefined) return { facts: { state: 'absent' }, newest };
    return { facts: this.#facts({ workspace, goalId: newest.goalId }, newest, rows.filter(({ state }) => state === 'live')), newest };
  }

  #facts(key: GoalKey, newest: GoalRow, live: readonly GoalRow[]): GoalFacts {
    const [only, ...more] = live;
    if (only === undefined) return { state: 'retired', lifetime: newest.lifetime };
    if (more.length > 0) return { state: 'duplicated', lifetimes: live.map(({ lifetime }) => lifetime) };
    const { lifetime } = only;
    if (only.profile === 'legacy' && only.goalInstanceId === null) {
      return { state: 'live', profile: 'legacy', lifetime, stampedHistory: this.#hasStampedHistory(key) };
    }
    const stamp = stampOf(only.goalInstanceId);
    if (only.profile !== 'source_session_v1' || stamp.kind !== 'instance') return { state: 'malformed', lifetime };
    return { state: 'live', profile: 'source_session_v1', lifetime, instanceId: stamp.instanceId };
  }

  #hasStampedHistory(key: GoalKey): boolean {
    return this.#store.get('SELECT 1 FROM stampedHistory WHERE workspace = ? AND goalId = ?', key.workspace, key.goalId) !== undefined;
  }

  #patch(row: GoalRow, changes: Partial<GoalRow>): GoalRow {
    this.#store.patch('goals', { workspace: row.workspace, goalId: row.goalId, lifetime: row.lifetime }, { ...changes });
    return { ...row, ...changes };
  }
}

/** Undefined when the registry cannot be read. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isStoreFailure(error)) return undefined;
    throw error;
  }
}
