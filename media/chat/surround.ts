import type { PanelState } from '../../src/protocol/panel.ts';
import type { PageState } from './store.ts';
import { sameList } from './transcript.ts';
import type { Surroundings } from './view/dom.ts';

/** What every part of the page knows besides its own data: `before` as long as nothing in it changed, so that unchanged turns stay as they are. */
export function surround({ chrome, view }: PanelState, page: PageState, own: Pick<Surroundings, 'actions' | 'pictures'>, before: Surroundings | null): Surroundings {
  const pending = (view?.approvals ?? []).filter(({ status }) => status === 'pending').sort((a, b) => a.createdAt - b.createdAt).map(({ approvalId }) => approvalId as string);
  // It comes anew with all that surrounds the transcript, and is the same most of the time.
  const leftOut = chrome.leftOut ?? {};
  const next: Surroundings = {
    ...own, windowClientId: chrome.windowClientId, windowId: chrome.windowId, agentLabel: chrome.agent.label,
    deciding: page.deciding, retrying: page.retrying, marked: page.markedApprovalId,
    leftOut: before !== null && JSON.stringify(before.leftOut) === JSON.stringify(leftOut) ? before.leftOut : leftOut,
    pending: before !== null && sameList(before.pending, pending) ? before.pending : pending,
  };
  return before !== null && sameList(Object.values(before), Object.values(next)) ? before : next;
}
