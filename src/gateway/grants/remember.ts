import { AttacheError } from '../../protocol/errors.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { Grant } from '../../protocol/grant/state.ts';
import type { GrantId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import { redactSecrets } from '../../base/redact.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import { hashParams, mintId } from '../mint.ts';
import type { SessionRow } from '../sessions/sessionStore.ts';
import type { AutomaticAnswers } from './automaticAnswers.ts';
import type { GrantStore } from './grantStore.ts';

export interface RememberOptions {
  readonly grants: GrantStore;
  readonly automaticAnswers: AutomaticAnswers;
}

export interface Remembering {
  readonly principal: Principal;
  readonly session: SessionRow;
  readonly approval: Approval;
  readonly remember: NonNullable<ParamsOf<'approval/decide'>['remember']>;
}

/** Makes a rule of a permission that a person gives. Its pattern must state what is shown, and may hold no secret: rules are listed. */
export function remember({ grants, automaticAnswers }: RememberOptions, change: Change, { principal, session, approval, remember: asked }: Remembering): Grant {
  const { workspace, agentId, sessionId } = session;
  const { pattern, scope } = asked;
  const { subject } = approval;
  if (pattern.kind !== subject.kind || holdsSecret(subject)) throw new AttacheError('grant_not_possible');
  if (!automaticAnswers.covers(pattern, session, approval)) throw new AttacheError('grant_too_wide');
  const stated = hashParams(pattern);
  const same = grants.inForce(session, pattern.kind).find((grant) => grant.sessionId === (scope === 'session' ? sessionId : null) && hashParams(grant.pattern) === stated);
  if (same !== undefined) return same;
  if (grants.countInForce(workspace) >= LIMITS.grants) throw new AttacheError('grant_not_possible', { message: 'As many rules as may are remembered in this folder.', next: 'Revoke some of them first.' });
  const { clientId, windowId, kind: clientKind } = principal;
  const grant: Grant = {
    grantId: mintId<GrantId>('grt', change.now), workspace, agentId, sessionId: scope === 'session' ? sessionId : null, pattern,
    createdAt: change.now, createdBy: { clientId, windowId, clientKind }, approvalId: approval.approvalId, uses: 0, lastUsedAt: null, revokedAt: null,
  };
  grants.insert(change, grant);
  return grant;
}

const holdsSecret = (subject: Approval['subject']): boolean => subject.kind === 'command' && redactSecrets(subject.command) !== subject.command;
