import type { ClientTurnId, SessionId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';

/** Cancels of messages that have not arrived yet, kept for a minute. */
export class EarlyCancels {
  readonly #store: Store;
  readonly #timeline: Timeline;

  constructor(store: Store, timeline: Timeline) {
    this.#store = store;
    this.#timeline = timeline;
  }

  keep(sessionId: SessionId, clientTurnId: ClientTurnId): void {
    const now = this.#timeline.now();
    this.#store.run('DELETE FROM earlyCancels WHERE expiresAt <= ?', now);
    this.#store.run('INSERT OR REPLACE INTO earlyCancels (sessionId, clientTurnId, expiresAt) VALUES (?, ?, ?)', sessionId, clientTurnId, now + LIMITS.earlyCancelMs);
  }

  /** True, once, when the message was cancelled before it came. */
  take(sessionId: SessionId, clientTurnId: ClientTurnId): boolean {
    const kept = this.#store.get<{ expiresAt: number }>('SELECT expiresAt FROM earlyCancels WHERE sessionId = ? AND clientTurnId = ?', sessionId, clientTurnId);
    if (kept === undefined) return false;
    this.#store.run('DELETE FROM earlyCancels WHERE sessionId = ? AND clientTurnId = ?', sessionId, clientTurnId);
    return kept.expiresAt > this.#timeline.now();
  }
}
