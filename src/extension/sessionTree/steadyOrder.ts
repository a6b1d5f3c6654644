import type { Session } from '../../protocol/session/state.ts';
import { groupOf, type SessionGroup } from '../sessions/sessionGroups.ts';

const GROUPS: Readonly<Record<SessionGroup, number>> = { needsYou: 0, working: 8, recent: 16 };

/**
 * When a session counts as last active: when it came to be in the state it is in. What it merely goes on doing moves no line, so that none slips away
 * under the pointer. Looked at anew, the list is in its real order.
 */
export class SteadyOrder {
  readonly #since = new Map<string, { readonly state: number; readonly at: number }>();

  /** Ms since 1970. */
  readonly at = (session: Session): number => {
    const state = GROUPS[groupOf(session)] + Number(session.status === 'closed') + 2 * Number(session.archivedAt !== null) + 4 * Number(session.pinned);
    const known = this.#since.get(session.sessionId);
    if (known?.state === state) return known.at;
    this.#since.set(session.sessionId, { state, at: session.updatedAt });
    return session.updatedAt;
  };

  forget(): void {
    this.#since.clear();
  }
}
