import { accessTo, admitted, requireGranted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Handlers } from '../handlers.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import { newestWithin } from '../newestWithin.ts';
import type { Receipts } from '../store/receipts.ts';
import type { GrantStore } from './grantStore.ts';

export interface GrantCommandsOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly grants: GrantStore;
}

const LIST_CHARS = 2 * 1024 * 1024;

export function grantCommands({ receipts, sessions, grants }: GrantCommandsOptions): Handlers<'grant/list' | 'grant/revoke'> {
  return {
    'grant/list': ({ principal }, { workspace, sessionId, includeRevoked = false }) => {
      requireGranted(principal, workspace);
      const session = sessionId === undefined ? null : requireVisible(principal, sessions.find(sessionId));
      return { grants: newestWithin(grants.list({ workspace, session, includeRevoked }).reverse(), LIST_CHARS).reverse() };
    },

    'grant/revoke': ({ principal }, params) => receipts.once(principal, 'grant/revoke', params, (change) => {
      const grant = requireVisible(principal, grants.find(params.grantId));
      admitted(decideAdmission({ operation: 'grant_revoke', access: accessTo(principal, grant.workspace) }));
      return { workspace: grant.workspace, result: { grant: grants.revoke(change, grant) } };
    }),
  };
}
