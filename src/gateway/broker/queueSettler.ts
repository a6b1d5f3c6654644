import type { Change } from '../events/change.ts';
import type { SessionRow } from '../sessions/sessionStore.ts';
import type { TurnEnds } from './turnEnds.ts';
import type { TurnStore } from './turnStore.ts';

/** Ends the messages that waited longer than an hour. Part of a claim or close that succeeds. */
export class QueueSettler {
  readonly #turns: TurnStore;
  readonly #turnEnds: TurnEnds;

  constructor(turns: TurnStore, turnEnds: TurnEnds) {
    this.#turns = turns;
    this.#turnEnds = turnEnds;
  }

  settle(change: Change, session: SessionRow): void {
    for (const turn of this.#turns.expired(session.sessionId)) this.#turnEnds.end(change, turn, { state: 'expired', cause: 'session_queue_expired' });
  }
}
