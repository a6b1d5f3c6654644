import type { SessionId } from '../../protocol/ids.ts';
import type { Change } from '../events/change.ts';

/** A claim that waits for work. It holds nothing but itself. */
export interface WaitingClaim {
  readonly sessionId: SessionId;
  readonly connectionId: string;
  /** Something that it waits for may have happened. */
  retry(): void;
  /** What it waits for is happening: takes it within the same transaction, and is answered once that is committed. */
  join(change: Change): void;
  end(error: Error): void;
}

/** At most one waiting claim per session. */
export class WaitingClaims {
  readonly #bySession = new Map<SessionId, WaitingClaim>();

  add(claim: WaitingClaim): void {
    this.#bySession.set(claim.sessionId, claim);
  }

  remove(claim: WaitingClaim): void {
    if (this.#bySession.get(claim.sessionId) === claim) this.#bySession.delete(claim.sessionId);
  }

  wake(sessionId: SessionId): void {
    this.#bySession.get(sessionId)?.retry();
  }

  join(change: Change, sessionId: SessionId): void {
    this.#bySession.get(sessionId)?.join(change);
  }

  end(sessionId: SessionId, error: Error): void {
    const claim = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    claim?.end(error);
  }

  endWhere(matches: (claim: WaitingClaim) => boolean, error: Error): void {
    for (const [sessionId, claim] of [...this.#bySession]) if (matches(claim)) this.end(sessionId, error);
  }
}
