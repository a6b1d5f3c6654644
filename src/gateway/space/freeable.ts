import { createHash } from 'node:crypto';
import { AttacheError } from '../../protocol/errors.ts';
import type { FreeableSession } from '../../protocol/gateway/commands.ts';
import type { SessionId } from '../../protocol/ids.ts';
import { accessTo, requireVisible } from '../admission/access.ts';
import type { Principal } from '../core.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';

export interface FreeWhat {
  readonly upToBytes?: number | undefined;
  readonly sessions?: readonly SessionId[] | undefined;
}

interface Blob {
  readonly workspace: string;
  readonly digest: string;
  readonly size: number;
}

interface Refs {
  readonly of: ReadonlyMap<SessionId, readonly Blob[]>;
  readonly users: (blob: Blob) => readonly SessionId[];
}

/** What would go, and its name: equal names mean that the very same blobs would go. */
export interface FreePlan {
  readonly planId: string;
  readonly sessions: readonly FreeableSession[];
  readonly blobs: readonly Blob[];
  readonly bytes: number;
  /** Bytes of sessions that were not taken into it. */
  readonly left: number;
  readonly more: boolean;
}

const SESSIONS = 200;
/** One call frees no more than this, so that nobody waits long behind it. */
const BYTES_AT_ONCE = 256 * 1024 * 1024;
/** A blob that was put this lately may be about to be named by an item. */
const FRESH_MS = 3_600_000;

type ClosedRow = Omit<FreeableSession, 'bytes'>;

/** Finds what closed sessions hold that can be freed, the longest closed first. A blob goes with the last of the closed sessions that refer to it. */
export class Freeable {
  readonly #store: Store;
  readonly #timeline: Timeline;

  constructor(store: Store, timeline: Timeline) {
    this.#store = store;
    this.#timeline = timeline;
  }

  /** Sessions that are named must be there and in a trusted folder; one that is not closed holds nothing that can be freed. */
  plan(principal: Principal, what: FreeWhat): FreePlan {
    for (const sessionId of what.sessions ?? []) {
      const { workspace } = requireVisible(principal, this.#store.get<{ workspace: string }>('SELECT workspace FROM sessions WHERE sessionId = ? AND deletedAt IS NULL', sessionId));
      if (accessTo(principal, workspace) !== 'full') throw new AttacheError('workspace_untrusted');
    }
    return this.#plan(principal, what);
  }

  /** Part of a transaction of the caller's. Their names stay, so that an item can say that its text is gone. */
  free(plan: FreePlan): void {
    for (const { workspace, digest } of plan.blobs) {
      this.#store.run('DELETE FROM blobChunks WHERE workspace = ? AND digest = ?', workspace, digest);
      this.#store.run('UPDATE blobs SET complete = 0, received = 0, freedAt = ? WHERE workspace = ? AND digest = ?', this.#timeline.now(), workspace, digest);
    }
  }

  #plan(principal: Principal, { upToBytes = BYTES_AT_ONCE, sessions }: FreeWhat): FreePlan {
    const limit = Math.min(upToBytes, BYTES_AT_ONCE);
    const chosen: FreeableSession[] = [];
    const blobs: Blob[] = [];
    let [bytes, left, full] = [0, 0, false];
    const gone = new Set<SessionId>();
    const closed = this.#closed(principal, sessions);
    const refs = this.#refs(closed);
    for (const row of closed) {
      // Those that nobody else refers to but sessions whose turn came before.
      const own = (refs.of.get(row.sessionId) ?? []).filter((blob) => refs.users(blob).every((user) => user === row.sessionId || gone.has(user)));
      const size = own.reduce((sum, blob) => sum + blob.size, 0);
      full ||= own.length > 0 && (bytes >= limit || chosen.length >= SESSIONS || (bytes > 0 && bytes + size > BYTES_AT_ONCE));
      if (full) left += size;
      else gone.add(row.sessionId);
      if (full || own.length === 0) continue;
      bytes += size;
      chosen.push({ ...row, bytes: size });
      blobs.push(...own);
    }
    return { planId: nameOf(chosen, blobs), sessions: chosen, blobs, bytes, left, more: left > 0 };
  }

  /** A folder that is not trusted is granted for reading only. */
  #closed(principal: Principal, only?: readonly SessionId[]): ClosedRow[] {
    const rows = this.#store.all<ClosedRow>(
      `SELECT sessionId, workspace, title, closedAt FROM sessions WHERE status = 'closed' AND closedAt IS NOT NULL AND deletedAt IS NULL ORDER BY closedAt, sessionId`);
    const wanted = only === undefined ? null : new Set(only);
    return rows.filter(({ workspace, sessionId }) => accessTo(principal, workspace) === 'full' && (wanted?.has(sessionId) ?? true));
  }

  /** The blobs of each of these sessions, and all sessions that refer to them: read for all at once. */
  #refs(sessions: readonly ClosedRow[]): Refs {
    const ids = JSON.stringify(sessions.map(({ sessionId }) => sessionId));
    const blobs = this.#store.all<Blob & { readonly sessionId: SessionId }>(
      `SELECT r.sessionId, b.workspace, b.digest, b.size FROM blobRefs AS r JOIN blobs AS b ON b.workspace = r.workspace AND b.digest = r.digest
       WHERE r.sessionId IN (SELECT value FROM json_each(?)) AND b.complete = 1 AND b.addedAt < ? ORDER BY b.digest`, ids, this.#timeline.now() - FRESH_MS);
    const users = this.#store.all<Omit<Blob, 'size'> & { readonly user: SessionId }>(
      `SELECT DISTINCT o.workspace, o.digest, o.sessionId AS user FROM blobRefs AS r JOIN blobRefs AS o ON o.workspace = r.workspace AND o.digest = r.digest
       WHERE r.sessionId IN (SELECT value FROM json_each(?))`, ids);
    const usersOf = Map.groupBy(users, keyOf);
    const of = new Map([...Map.groupBy(blobs, ({ sessionId }) => sessionId)].map(([sessionId, own]) => [sessionId, own.map(({ workspace, digest, size }) => ({ workspace, digest, size }))]));
    return { of, users: (blob) => (usersOf.get(keyOf(blob)) ?? []).map(({ user }) => user) };
  }
}

const keyOf = ({ workspace, digest }: Omit<Blob, 'size'>): string => `${workspace}\0${digest}`;

function nameOf(sessions: readonly FreeableSession[], blobs: readonly Blob[]): string {
  const hash = createHash('sha256');
  for (const { sessionId, closedAt } of sessions) hash.update(`${sessionId} ${closedAt}\n`);
  for (const { workspace, digest, size } of blobs) hash.update(`${workspace}\0${digest} ${size}\n`);
  return hash.digest('hex').slice(0, 32);
}
