import { meaningOf } from '../../protocol/approval/meaning.ts';
import { realPart } from '../../protocol/approval/part.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { TurnStore } from '../broker/turnStore.ts';
import type { Principal } from '../core.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { AutomaticAnswers } from '../grants/automaticAnswers.ts';
import type { GrantStore } from '../grants/grantStore.ts';
import { remember } from '../grants/remember.ts';
import type { Handlers } from '../handlers.ts';
import { sessionFacts, type SessionRow, type SessionStore } from '../sessions/sessionStore.ts';
import type { Receipts } from '../store/receipts.ts';
import type { Timeline } from '../store/timeline.ts';
import type { ApprovalAnswers } from './approvalAnswers.ts';
import type { ApprovalStore } from './approvalStore.ts';
import { decideApproval } from './decideApproval.ts';

export interface DecideCommandOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly goals: GoalRegistry;
  readonly approvals: ApprovalStore;
  readonly approvalAnswers: ApprovalAnswers;
  readonly timeline: Timeline;
  readonly grants: GrantStore;
  readonly automaticAnswers: AutomaticAnswers;
}

/** The first answer that is committed counts; everybody else learns who gave it. */
export function decideCommand(options: DecideCommandOptions): Handlers<'approval/decide'> {
  const { receipts, sessions, turns, approvals, approvalAnswers, timeline } = options;
  return {
    'approval/decide': ({ principal }, params) => receipts.once(principal, 'approval/decide', params, (change) => {
      const { workspace, approval } = requireVisible(principal, approvals.find(params.approvalId));
      const session = sessions.get(approval.sessionId);
      const decision = decideApproval(approval, turns.get(approval.turnId).state, params, timeline.now());
      if (decision.kind === 'refuse') throw new AttacheError(decision.code, { entity: approval });
      if (decision.kind === 'already') return { workspace, result: { outcome: 'already', approval } };
      admit(options, principal, session, { approval, params });
      const part = realPart(approval.subject, params.part);
      if (params.remember !== undefined && (decision.status !== 'approved' || part !== undefined)) throw new AttacheError('grant_not_possible');
      const grant = params.remember === undefined ? {} : { grant: remember(options, change, { principal, session, approval, remember: params.remember }) };
      const { clientId, windowId, kind: clientKind } = principal;
      const decided = approvalAnswers.end(change, approval, decision.status, {
        optionId: params.optionId, ...(part === undefined ? {} : { part }), comment: params.comment ?? null, decidedBy: { by: 'client', clientId, windowId, clientKind, rule: null },
      });
      return { workspace, result: { outcome: 'decided', approval: decided, ...grant } };
    }),
  };
}

/** An allow takes new work on and is decided like it; a refusal is always possible. */
function admit({ goals }: DecideCommandOptions, principal: Principal, session: SessionRow, { approval, params }: { readonly approval: Approval; readonly params: ParamsOf<'approval/decide'> }): void {
  const facts = sessionFacts(principal, session);
  const option = approval.options.find(({ optionId }) => optionId === params.optionId);
  const refusing = option !== undefined && meaningOf(approval, option) === 'reject';
  admitted(decideAdmission(refusing
    ? { operation: 'approve_reject', session: facts }
    : { operation: 'approve_allow', session: facts, goal: goals.facts(session) }));
}
