import { isRecord } from '../../base/isRecord.ts';
import type { ClaimId, ClientTurnId, CompletionId, ItemId, SessionId, TurnId } from '../../protocol/ids.ts';
import { hasEnded, type Turn, type TurnState, type Usage } from '../../protocol/turn/state.ts';
import type { TurnFacts } from '../admission/facts.ts';
import type { Change } from '../events/change.ts';
import type { EventLog } from '../events/eventLog.ts';
import { stampOf } from '../goals/goalRegistry.ts';
import { attachmentsOf } from '../sessions/attachments.ts';
import { readJson } from '../store/readJson.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';

export interface TurnRow {
  readonly turnId: TurnId;
  readonly sessionId: SessionId;
  readonly turnIdx: number;
  readonly clientTurnId: ClientTurnId;
  /** Of what was submitted, so that an edit in the queue does not hide a repeat. */
  readonly submitHash: string;
  /** The session's instance at submit. Private. */
  readonly goalInstanceId: string | null;
  readonly state: TurnState;
  readonly origin: Turn['origin'];
  readonly text: string;
  /** JSON of Attachment[]. */
  readonly attachments: string;
  readonly userItemId: ItemId;
  readonly retryOf: TurnId | null;
  readonly claimId: ClaimId | null;
  /** The instance at the first claim. Private. */
  readonly admittedInstanceId: string | null;
  readonly admittedAt: number | null;
  readonly completionId: CompletionId | null;
  /** JSON of the reserved result, from the reservation on. */
  readonly completion: string | null;
  /** 1 once a result that came too late was kept. */
  readonly lateResult: 0 | 1;
  readonly stopReason: string | null;
  readonly cause: string | null;
  readonly detail: string | null;
  /** JSON of Usage. */
  readonly usage: string | null;
  readonly rev: number;
  readonly queuedAt: number;
  /** On the gateway's timeline. */
  readonly expiresAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface QueueFacts {
  readonly pending: number;
  readonly oldestAt: number | null;
}

export const EMPTY_QUEUE: QueueFacts = { pending: 0, oldestAt: null };

export function publicTurn(row: TurnRow): Turn {
  const { turnId, sessionId, turnIdx, clientTurnId, state, origin, text, userItemId, retryOf, stopReason, cause, detail, rev, queuedAt, startedAt, endedAt } = row;
  const usage = row.usage === null ? null : readJson<Usage | null>(row.usage, null, isRecord);
  const attachments = attachmentsOf(row);
  return {
    turnId, sessionId, turnIdx, clientTurnId, state, origin, text, ...(attachments.length === 0 ? {} : { attachments }), userItemId, retryOf, stopReason, cause, detail, usage, rev, queuedAt, startedAt, endedAt,
  };
}

/** What admission has to know of a turn. */
export function turnFacts(row: TurnRow): TurnFacts {
  return {
    stamp: stampOf(row.goalInstanceId),
    admission: row.admittedAt === null ? { admitted: false } : { admitted: true, stamp: stampOf(row.admittedInstanceId) },
  };
}

/** States, in SQL, of turns that an executor holds. */
export const HELD = `('running', 'waiting', 'cancelling', 'completing')`;

/** Rows of turns. Every change goes through `patch`, which counts the revision and tells it. */
export class TurnStore {
  readonly #store: Store;
  readonly #timeline: Timeline;
  readonly #log: EventLog;

  constructor(store: Store, timeline: Timeline, log: EventLog) {
    this.#store = store;
    this.#timeline = timeline;
    this.#log = log;
  }

  find(turnId: TurnId): TurnRow | undefined {
    return this.#store.get<TurnRow>('SELECT * FROM turns WHERE turnId = ?', turnId);
  }

  /** For ids that come from the store itself. */
  get(turnId: TurnId): TurnRow {
    const row = this.find(turnId);
    if (row === undefined) throw new Error(`turn ${turnId} is missing in the store`);
    return row;
  }

  byClientKey(sessionId: SessionId, clientTurnId: ClientTurnId): TurnRow | undefined {
    return this.#store.get<TurnRow>('SELECT * FROM turns WHERE sessionId = ? AND clientTurnId = ?', sessionId, clientTurnId);
  }

  byClaim(sessionId: SessionId, claimId: ClaimId): TurnRow | undefined {
    return this.#store.get<TurnRow>('SELECT * FROM turns WHERE sessionId = ? AND claimId = ?', sessionId, claimId);
  }

  insert(change: Change, row: TurnRow): void {
    this.#store.insert('turns', { ...row });
    this.#store.insert('turnProgress', { turnId: row.turnId, reportSeq: 0, itemCount: 0 });
    change.tellSession(row.sessionId, { type: 'turn.updated', turn: publicTurn(row) });
  }

  patch(change: Change, row: TurnRow, changes: Partial<TurnRow>): TurnRow {
    const next = { ...row, ...changes, rev: row.rev + 1 };
    this.#store.patch('turns', { turnId: row.turnId }, { ...changes, rev: next.rev });
    change.tellSession(row.sessionId, { type: hasEnded(next.state) ? 'turn.ended' : 'turn.updated', turn: publicTurn(next) });
    return next;
  }

  /** The newest turn that somebody has worked on. */
  newestWorkedOn(sessionId: SessionId): TurnRow | undefined {
    return this.#store.get<TurnRow>('SELECT * FROM turns WHERE sessionId = ? AND startedAt IS NOT NULL ORDER BY turnIdx DESC LIMIT 1', sessionId);
  }

  /** How the newest turns ended that somebody has worked on, the newest first. */
  lastEnds(sessionId: SessionId, count: number): Pick<TurnRow, 'state' | 'cause' | 'stopReason'>[] {
    return this.#store.all('SELECT state, cause, stopReason FROM turns WHERE sessionId = ? AND startedAt IS NOT NULL AND endedAt IS NOT NULL ORDER BY turnIdx DESC LIMIT ?', sessionId, count);
  }

  /** A result that came too late was kept. Nothing that people see of the turn changes. */
  markLateResult(row: TurnRow): void {
    this.#store.patch('turns', { turnId: row.turnId }, { lateResult: 1 });
  }

  /**
   * The number of the last report that was stored: in its own row, so that a report does not rewrite the prompt, or with the streamed text
   * that the report brought, whichever is higher.
   */
  reportSeq({ turnId, sessionId }: TurnRow): number {
    const kept = this.#store.get<{ reportSeq: number }>('SELECT reportSeq FROM turnProgress WHERE turnId = ?', turnId)?.reportSeq ?? 0;
    const streamed = this.#log.lastReport(sessionId);
    return streamed?.turnId === turnId ? Math.max(kept, streamed.reportSeq) : kept;
  }

  /** Never counts back. */
  setReportSeq(turnId: TurnId, reportSeq: number): void {
    this.#store.run('UPDATE turnProgress SET reportSeq = max(reportSeq, ?) WHERE turnId = ?', reportSeq, turnId);
  }

  /** Waiting turns in order; the ones whose time is over are not among them. */
  queue(sessionId: SessionId): TurnRow[] {
    return this.#queued(sessionId).filter((row) => !this.isExpired(row));
  }

  /** Waiting turns whose time is over and that nobody has settled yet. */
  expired(sessionId: SessionId): TurnRow[] {
    return this.#queued(sessionId).filter((row) => this.isExpired(row));
  }

  isExpired(row: TurnRow): boolean {
    return row.expiresAt <= this.#timeline.now();
  }

  queueFacts(sessionId: SessionId): QueueFacts {
    const row = this.#store.get<QueueFacts>(
      `SELECT count(*) AS pending, min(queuedAt) AS oldestAt FROM turns WHERE state = 'queued' AND sessionId = ? AND expiresAt > ?`,
      sessionId, this.#timeline.now());
    return row ?? EMPTY_QUEUE;
  }

  /** The same of many sessions. One that is not there has nothing in its queue. */
  queueFactsOf(sessionIds: readonly SessionId[]): Map<SessionId, QueueFacts> {
    const rows = this.#store.all<QueueFacts & { readonly sessionId: SessionId }>(
      `SELECT sessionId, count(*) AS pending, min(queuedAt) AS oldestAt FROM turns
       WHERE state = 'queued' AND sessionId IN (SELECT value FROM json_each(?)) AND expiresAt > ? GROUP BY sessionId`, JSON.stringify(sessionIds), this.#timeline.now());
    return new Map(rows.map(({ sessionId, ...facts }) => [sessionId, facts]));
  }

  /** Of all texts in the queue, also of those whose time is over. */
  queueBytes(sessionId: SessionId): number {
    return this.#store.get<{ bytes: number }>(`SELECT coalesce(sum(octet_length(text)), 0) AS bytes FROM turns WHERE state = 'queued' AND sessionId = ?`, sessionId)?.bytes ?? 0;
  }

  /** Turns that an executor holds, of all sessions. */
  held(): TurnRow[] {
    return this.#store.all<TurnRow>(`SELECT * FROM turns WHERE state IN ${HELD} ORDER BY turnId`);
  }

  /** At most `limit` turns before a place, the newest of them, in order. */
  page(sessionId: SessionId, before: number, limit: number): TurnRow[] {
    return this.#store.all<TurnRow>(
      'SELECT * FROM turns WHERE sessionId = ? AND turnIdx < ? ORDER BY turnIdx DESC LIMIT ?', sessionId, before, limit).reverse();
  }

  /** In order; at most `limit`, the newest. */
  list(sessionId: SessionId, states: readonly TurnState[] | undefined, limit: number): TurnRow[] {
    return this.#store.all<TurnRow>(
      `SELECT * FROM turns WHERE sessionId = ?1 AND (?2 IS NULL OR state IN (SELECT value FROM json_each(?2)))
       ORDER BY turnIdx DESC LIMIT ?3`, sessionId, states === undefined ? null : JSON.stringify(states), limit).reverse();
  }

  /** Of every session of a folder that was not deleted. */
  listOf(workspace: string, states: readonly TurnState[] | undefined, limit: number): TurnRow[] {
    return this.#store.all<TurnRow>(
      `SELECT turns.* FROM turns JOIN sessions USING (sessionId) WHERE sessions.workspace = ?1 AND sessions.deletedAt IS NULL
         AND (?2 IS NULL OR turns.state IN (SELECT value FROM json_each(?2)))
       ORDER BY turns.queuedAt DESC, turns.rowid DESC LIMIT ?3`, workspace, states === undefined ? null : JSON.stringify(states), limit).reverse();
  }

  #queued(sessionId: SessionId): TurnRow[] {
    return this.#store.all<TurnRow>(`SELECT * FROM turns WHERE state = 'queued' AND sessionId = ? ORDER BY turnIdx`, sessionId);
  }
}
