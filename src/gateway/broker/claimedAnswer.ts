import type { ResultOf } from '../../protocol/methods.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { publicTurn, type TurnRow, type TurnStore } from './turnStore.ts';

export type Claimed = Extract<ResultOf<'host/claim'>, { claimed: true }>;

/** What a host gets with a turn. Its own claim id goes to it alone. */
export function claimedAnswer(turns: TurnStore, turn: TurnRow): Claimed {
  if (turn.claimId === null) throw new Error(`turn ${turn.turnId} was not claimed`);
  return { claimed: true, turn: publicTurn(turn), claimId: turn.claimId, nextReportSeq: turns.reportSeq(turn) + 1, leaseMs: LIMITS.leaseMs };
}
