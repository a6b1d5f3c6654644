import type { Approval, ApprovalStatus } from '../../protocol/approval/state.ts';
import type { ItemState } from '../../protocol/item/state.ts';
import type { Change } from '../events/change.ts';
import { kindOf, type ItemStore } from '../items/itemStore.ts';
import type { ApprovalStore } from './approvalStore.ts';

type EndedStatus = Exclude<ApprovalStatus, 'pending'>;
type Answer = Partial<Pick<Approval, 'optionId' | 'part' | 'comment' | 'decidedBy' | 'cause'>>;

/** What the item that was made for a request becomes with it. */
const ITEM_STATE: Readonly<Record<EndedStatus, Exclude<ItemState, 'started'>>> = {
  approved: 'completed',
  answered: 'completed',
  rejected: 'declined',
  expired: 'cancelled',
  cancelled: 'cancelled',
  orphaned: 'interrupted',
};

/** The one place where a request stops being pending. */
export class ApprovalEnds {
  readonly #approvals: ApprovalStore;
  readonly #items: ItemStore;

  constructor(approvals: ApprovalStore, items: ItemStore) {
    this.#approvals = approvals;
    this.#items = items;
  }

  end(change: Change, approval: Approval, status: EndedStatus, answer: Answer): Approval {
    const ended = this.#approvals.patch(change, approval, { status, ...answer });
    const item = this.#items.find(approval.itemId);
    if (item?.state === 'started' && kindOf(item) === 'approval') this.#items.update(change, item, { state: ITEM_STATE[status] });
    return ended;
  }
}
