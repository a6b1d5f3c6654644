import type { SessionId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { EventLog } from '../events/eventLog.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';

export interface RemovalsOptions {
  readonly store: Store;
  readonly log: EventLog;
  readonly timeline: Timeline;
}

/** In order: what hangs on turns goes before them. */
const OF_TURNS = ['effects', 'turnProgress'] as const;
const OF_SESSION = ['approvals', 'grants', 'items', 'turns', 'earlyCancels', 'sessions'] as const;

/** Removes for good what was deleted a week ago. That a key once had a stamped session is remembered for ever. */
export class Removals {
  readonly #options: RemovalsOptions;

  constructor(options: RemovalsOptions) {
    this.#options = options;
  }

  /** Part of a transaction of the caller's. */
  purge(): void {
    const { store, timeline } = this.#options;
    const due = store.all<{ sessionId: SessionId }>('SELECT sessionId FROM sessions WHERE deletedAt <= ?', timeline.now() - LIMITS.undeleteMs);
    for (const { sessionId } of due) this.#remove(sessionId);
  }

  #remove(sessionId: SessionId): void {
    const { store, log } = this.#options;
    for (const table of OF_TURNS) store.run(`DELETE FROM ${table} WHERE turnId IN (SELECT turnId FROM turns WHERE sessionId = ?)`, sessionId);
    for (const table of OF_SESSION) store.run(`DELETE FROM ${table} WHERE sessionId = ?`, sessionId);
    log.forget({ session: sessionId });
  }
}
