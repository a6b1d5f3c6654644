import type { Approval } from '../protocol/approval/state.ts';
import type { ParamsOf } from '../protocol/methods.ts';
import type { GatewayCalls } from './gatewayClient.ts';

/** All pages of `approval/list`, oldest first. */
export async function everyApproval(calls: Pick<GatewayCalls, 'call'>, which: Omit<ParamsOf<'approval/list'>, 'before'>): Promise<Approval[]> {
  const pages: Approval[][] = [];
  for (let before: Approval['approvalId'] | undefined; ;) {
    const { approvals, next } = await calls.call('approval/list', { ...which, ...(before === undefined ? {} : { before }) });
    pages.unshift(approvals);
    if (next === undefined) return pages.flat();
    before = next;
  }
}
