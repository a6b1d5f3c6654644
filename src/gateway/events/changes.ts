import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import type { CausedBy } from '../../protocol/envelope.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { Committed } from '../core.ts';
import { inList } from '../sessions/inList.ts';
import type { Durability, Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';
import { Change } from './change.ts';
import type { EventLog } from './eventLog.ts';

export interface ChangesOptions {
  readonly store: Store;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly timeline: Timeline;
  readonly logger: Logger;
  /** The public face of a session as the open transaction sees it. */
  readonly viewOf: (sessionId: SessionId) => Session;
  /** Something was written. */
  readonly onCommit: () => void;
}

/** What the gateway does by itself (time-outs, recovery). */
export const BY_GATEWAY: CausedBy = { clientId: 'gateway' };

/** The only way to change state: write and number the events, commit, then publish, then act. */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #committed = new Emitter<Committed>();
  readonly #outbox: Committed[] = [];
  #publishing = false;

  readonly onCommitted = this.#committed.event;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  commit<T>(causedBy: CausedBy, durability: Durability, body: (change: Change) => T): T {
    const change = new Change(this.#options.log, this.#options.clock.now(), causedBy);
    const { value, committed } = this.#write(change, durability, body);
    this.#outbox.push(...committed);
    this.#publish();
    for (const action of [...change.afterwards, this.#options.onCommit]) this.#guarded('an action after a commit', action);
    return value;
  }

  dispose(): void {
    this.#committed.dispose();
  }

  #write<T>(change: Change, durability: Durability, body: (change: Change) => T): { value: T; committed: Committed[] } {
    const { store, log, timeline } = this.#options;
    try {
      return store.transaction(durability, () => {
        const value = body(change);
        this.#tellTouched(change);
        const committed = change.told;
        if (durability === 'lifecycle' && committed.length > 0) timeline.save();
        return { value, committed };
      });
    } catch (error) {
      if (change.hasTold) log.forgetScopes();
      for (const action of change.undoing) action();
      throw error;
    }
  }

  #tellTouched(change: Change): void {
    for (const sessionId of change.touched) {
      const session = this.#options.viewOf(sessionId);
      change.tellSession(sessionId, { type: 'session.updated', session });
      change.tellWorkspace(session.workspace, { type: 'session.updated', session: inList(session) });
    }
  }

  /** A listener may cause the next change: its events wait for their turn here, so that order is kept in every scope. */
  #publish(): void {
    if (this.#publishing) return;
    this.#publishing = true;
    try {
      for (let next = this.#outbox.shift(); next !== undefined; next = this.#outbox.shift()) {
        const committed = next;
        this.#guarded('a listener', () => this.#committed.fire(committed));
      }
    } finally {
      this.#publishing = false;
    }
  }

  /** What was committed has happened, whatever goes wrong afterwards. */
  #guarded(what: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#options.logger.error(`${what} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
}
