import { requireGranted, requireVisible } from '../admission/access.ts';
import type { Handlers } from '../handlers.ts';
import { newestWithin } from '../newestWithin.ts';
import type { ApprovalStore } from './approvalStore.ts';

const LIST_CHARS = 2 * 1024 * 1024;

export function approvalQueries(approvals: ApprovalStore): Handlers<'approval/list' | 'approval/get'> {
  return {
    'approval/list': ({ principal }, { workspace, sessionId, status, before }) => {
      requireGranted(principal, workspace);
      const { approvals: found, earlier } = approvals.list({ workspace, sessionId, status, before });
      const page = newestWithin(found, LIST_CHARS);
      const next = page.length < found.length ? page[0]?.approvalId : earlier;
      return { approvals: page, ...(next === undefined ? {} : { next }) };
    },
    'approval/get': ({ principal }, { approvalId }) => ({ approval: requireVisible(principal, approvals.find(approvalId)).approval }),
  };
}
