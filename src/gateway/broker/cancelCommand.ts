import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import type { ApprovalEnds } from '../approvals/approvalEnds.ts';
import type { ApprovalStore } from '../approvals/approvalStore.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { Handlers } from '../handlers.ts';
import { capabilitiesOf, sessionFacts, type SessionRow, type SessionStore } from '../sessions/sessionStore.ts';
import type { Receipts } from '../store/receipts.ts';
import type { CancelGrace } from './cancelGrace.ts';
import type { EarlyCancels } from './earlyCancels.ts';
import { requireTurn } from './requireTurn.ts';
import type { TurnEnds } from './turnEnds.ts';
import { publicTurn, type TurnRow, type TurnStore } from './turnStore.ts';

export interface CancelCommandOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly turnEnds: TurnEnds;
  readonly approvals: ApprovalStore;
  readonly approvalEnds: ApprovalEnds;
  readonly earlyCancels: EarlyCancels;
  readonly cancelGrace: CancelGrace;
}

type Params = ParamsOf<'turn/cancel'>;

export function cancelCommand(options: CancelCommandOptions): Handlers<'turn/cancel'> {
  const { receipts, earlyCancels } = options;
  return {
    'turn/cancel': ({ principal }, params) => receipts.once(principal, 'turn/cancel', params, (change) => {
      const { session, turn } = target(options, principal, params);
      admitted(decideAdmission({ operation: 'cancel', session: sessionFacts(principal, session) }));
      const { workspace } = session;
      if (turn !== undefined) return { workspace, result: { turn: publicTurn(cancel(options, change, session, turn)) } };
      if ('clientTurnId' in params) earlyCancels.keep(session.sessionId, params.clientTurnId);
      return { workspace, result: { turn: null } };
    }),
  };
}

function target({ sessions, turns }: CancelCommandOptions, principal: Principal, params: Params): { session: SessionRow; turn: TurnRow | undefined } {
  if ('clientTurnId' in params) {
    const session = requireVisible(principal, sessions.find(params.sessionId));
    return { session, turn: turns.byClientKey(session.sessionId, params.clientTurnId) };
  }
  return requireTurn({ sessions, turns }, principal, params.turnId);
}

/** Stops what can be stopped; a turn past its point of no return, or at its end, is returned as it is. */
function cancel(options: CancelCommandOptions, change: Change, session: SessionRow, turn: TurnRow): TurnRow {
  switch (turn.state) {
    case 'queued':
      return options.turnEnds.end(change, turn, { state: 'cancelled' });
    case 'running':
    case 'waiting':
      return interrupt(options, change, session, turn);
    default:
      return turn;
  }
}

/** The host is told by the turn's new state, and has its grace to confirm. What waits in the queue stays there. */
function interrupt(options: CancelCommandOptions, change: Change, session: SessionRow, turn: TurnRow): TurnRow {
  const { sessions, turns, approvals, approvalEnds, cancelGrace } = options;
  if (!capabilitiesOf(session).includes('interrupt')) throw new AttacheError('attached_session_interrupt_unavailable');
  const cancelling = turns.patch(change, turn, { state: 'cancelling' });
  for (const approval of approvals.pendingOfTurn(turn.turnId)) approvalEnds.end(change, approval, 'cancelled', { cause: 'turn_cancelled' });
  sessions.patch(change, session, { queuePaused: 1 });
  change.after(() => cancelGrace.begin(turn.turnId, LIMITS.cancelGraceMs));
  return cancelling;
}
