import { AttacheError } from '../../protocol/errors.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { requireVisible } from '../admission/access.ts';
import type { Principal } from '../core.ts';
import type { SessionRow, SessionStore } from '../sessions/sessionStore.ts';
import type { TurnRow, TurnStore } from './turnStore.ts';

/** A turn with its session, unless there is none or it lies in a foreign folder: both look the same. */
export function requireTurn({ sessions, turns }: { readonly sessions: SessionStore; readonly turns: TurnStore }, principal: Principal, turnId: TurnId): { readonly session: SessionRow; readonly turn: TurnRow } {
  const turn = turns.find(turnId);
  const session = requireVisible(principal, turn && sessions.find(turn.sessionId));
  if (turn === undefined) throw new AttacheError('not_found');
  return { session, turn };
}
