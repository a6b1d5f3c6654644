import { requireGranted, requireVisible } from '../admission/access.ts';
import type { Handlers } from '../handlers.ts';
import { newestWithin } from '../newestWithin.ts';
import type { ApprovalStore } from './approvalStore.ts';

const LIST_CHARS = 2 * 1024 * 1024;

export function approvalQueries(approvals: ApprovalStore): Handlers<'approval/list' | 'approval/get'> {
  return {
    'approval/list': ({ principal }, { workspace, sessionId, status }) => {
      requireGranted(principal, workspace);
      return { approvals: newestWithin(approvals.list({ workspace, sessionId, status }), LIST_CHARS) };
    },
    'approval/get': ({ principal }, { approvalId }) => ({ approval: requireVisible(principal, approvals.find(approvalId)).approval }),
  };
}
