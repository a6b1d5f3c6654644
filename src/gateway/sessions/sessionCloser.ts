import { AttacheError } from '../../protocol/errors.ts';
import { isActive } from '../../protocol/turn/phase.ts';
import type { QueueSettler } from '../broker/queueSettler.ts';
import type { TurnStore } from '../broker/turnStore.ts';
import type { WaitingClaims } from '../broker/waitingClaims.ts';
import type { Change } from '../events/change.ts';
import type { SessionRow, SessionStore } from './sessionStore.ts';

export interface SessionCloserOptions {
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly queueSettler: QueueSettler;
  readonly waiting: WaitingClaims;
}

/** Closes sessions; deletes nothing. Refused while something runs or waits; messages whose time is over do not count. */
export class SessionCloser {
  readonly #options: SessionCloserOptions;

  constructor(options: SessionCloserOptions) {
    this.#options = options;
  }

  /** A session that is closed is returned as it is. */
  close(change: Change, row: SessionRow): SessionRow {
    if (row.status === 'closed') return row;
    const { sessions, waiting } = this.#options;
    this.requireIdle(change, row);
    change.after(() => waiting.end(row.sessionId, new AttacheError('session_closed')));
    return sessions.patch(change, row, { status: 'closed', activeTurnId: null, closedAt: change.now });
  }

  /** Refuses while something runs or waits, and settles messages whose time is over. */
  requireIdle(change: Change, row: SessionRow): void {
    const { turns, queueSettler } = this.#options;
    const active = row.activeTurnId === null ? undefined : turns.find(row.activeTurnId);
    if (active !== undefined && isActive(active.state)) throw new AttacheError('attached_session_turn_active');
    if (turns.queueFacts(row.sessionId).pending > 0) throw new AttacheError('attached_session_queue_pending');
    queueSettler.settle(change, row);
  }
}
