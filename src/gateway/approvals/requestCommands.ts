import type { Approval } from '../../protocol/approval/state.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { ApprovalId, ItemId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import { requireBounded } from '../bounded.ts';
import type { HostGate } from '../broker/hostGate.ts';
import type { TurnRow, TurnStore } from '../broker/turnStore.ts';
import type { Change } from '../events/change.ts';
import type { Handlers } from '../handlers.ts';
import type { ItemStore } from '../items/itemStore.ts';
import { mintId } from '../mint.ts';
import type { AutomaticAnswer, AutomaticAnswers } from '../grants/automaticAnswers.ts';
import { permissionModeOf, type SessionRow } from '../sessions/sessionStore.ts';
import type { Receipts } from '../store/receipts.ts';
import type { ApprovalAnswers } from './approvalAnswers.ts';
import type { ApprovalExpiry } from './approvalExpiry.ts';
import type { ApprovalStore } from './approvalStore.ts';
import { decideApproval } from './decideApproval.ts';

export interface RequestCommandsOptions {
  readonly receipts: Receipts;
  readonly hostGate: HostGate;
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly approvals: ApprovalStore;
  readonly approvalAnswers: ApprovalAnswers;
  readonly approvalExpiry: ApprovalExpiry;
  readonly automaticAnswers: AutomaticAnswers;
}

type Params = ParamsOf<'approval/request'>;

/** How soon a host may ask again whose session has too many open requests. */
const RETRY_MS = 1000;

/** What the host does with requests: it asks, and it takes back. */
export function requestCommands(options: RequestCommandsOptions): Handlers<'approval/request' | 'approval/withdraw'> {
  const { receipts, hostGate, approvals, approvalAnswers, approvalExpiry } = options;
  return {
    'approval/request': ({ principal }, params) => {
      hostGate.enter(principal, params);
      return receipts.once(principal, 'approval/request', params, (change) => {
        const entered = hostGate.enterClaim(principal, params);
        hostGate.admit('approval_request', principal, entered);
        const { session, turn } = entered;
        if (turn.state !== 'running' && turn.state !== 'waiting') throw new AttacheError('turn_not_active');
        const asked = ask(options, change, turn, { params, workspace: session.workspace });
        const answer = answerByRule(options, change, session, { asked, params, turn });
        const approval = answer === null ? waitFor(options, change, turn, asked) : approvalAnswers.end(change, asked, answer.status, answer);
        change.after(() => approvalExpiry.watch(approval));
        return { workspace: session.workspace, result: { approval } };
      });
    },

    'approval/withdraw': ({ principal }, params) => receipts.once(principal, 'approval/withdraw', params, (change) => {
      const { session, turn } = hostGate.enterClaim(principal, params);
      const approval = approvals.find(params.approvalId)?.approval;
      if (approval?.turnId !== turn.turnId) throw new AttacheError('not_found');
      const ended = approval.status === 'pending' ? approvalAnswers.end(change, approval, 'cancelled', { cause: 'withdrawn' }) : approval;
      return { workspace: session.workspace, result: { approval: ended } };
    }),
  };
}

/** Records the question. It belongs to an item of its turn; one that names none gets an item of its own. */
function ask({ approvals, items }: RequestCommandsOptions, change: Change, turn: TurnRow, { params, workspace }: { readonly params: Params; readonly workspace: string }): Approval {
  requireBounded(params.subject);
  if (approvals.countPending(turn.sessionId) >= LIMITS.pendingApprovals) throw new AttacheError('overloaded', { message: 'As many requests wait in this session as may.', retryAfterMs: RETRY_MS });
  const named = params.itemKey === undefined ? null : items.byKey(turn.turnId, params.itemKey);
  if (named === undefined) throw new AttacheError('item_not_found');
  const { title, subject, options, actionDigest, expiresAt = null } = params;
  const approval: Approval = {
    approvalId: mintId<ApprovalId>('apr', change.now), sessionId: turn.sessionId, turnId: turn.turnId, itemId: named?.itemId ?? mintId<ItemId>('itm', change.now),
    title, subject, options, actionDigest, status: 'pending', optionId: null, comment: null, decidedBy: null, cause: null, expiresAt,
    createdAt: change.now, decidedAt: null,
  };
  if (named === null) items.insertOwn(change, turn, { itemId: approval.itemId, data: { kind: 'approval', approvalId: approval.approvalId }, state: 'started', text: '' });
  approvals.insert(change, workspace, approval);
  return approval;
}

function waitFor({ turns }: RequestCommandsOptions, change: Change, turn: TurnRow, approval: Approval): Approval {
  if (turn.state === 'running') turns.patch(change, turn, { state: 'waiting' });
  return approval;
}

interface Asking {
  readonly asked: Approval;
  readonly params: Params;
  readonly turn: TurnRow;
}

/** What answers by itself, the strictest first: a session that only reads, a setting, the permission mode, a grant. Null: a person does. */
function answerByRule({ automaticAnswers }: RequestCommandsOptions, change: Change, session: SessionRow, asking: Asking): RuleAnswer | null {
  const { asked, params } = asking;
  return automaticAnswers.refusal(session, asked) ?? answerByPolicy(session, change, asking) ?? automaticAnswers.permission(change, session, asked, params);
}

type RuleAnswer = Pick<AutomaticAnswer, 'optionId' | 'decidedBy'> & { readonly status: 'approved' | 'rejected' | 'answered' };

/** A setting answers through the same decision as a person. What it allows is asked about all the same where the session asks always. */
function answerByPolicy(session: SessionRow, change: Change, { asked, params: { auto }, turn }: Asking): RuleAnswer | null {
  if (auto === undefined) return null;
  const decision = decideApproval(asked, turn.state, { optionId: auto.optionId, actionDigest: asked.actionDigest }, change.now);
  if (decision.kind !== 'record') throw new AttacheError(decision.kind === 'refuse' ? decision.code : 'approval_closed');
  if (decision.status !== 'rejected' && permissionModeOf(session) === 'askAlways') return null;
  return { status: decision.status, optionId: auto.optionId, decidedBy: { by: 'policy', clientId: null, clientKind: null, rule: auto.rule } };
}
