import type { Logger } from '../../base/logger.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { ApprovalId } from '../../protocol/ids.ts';
import type { Deadlines } from '../deadlines.ts';
import { BY_GATEWAY, type Changes } from '../events/changes.ts';
import type { Timeline } from '../store/timeline.ts';
import type { ApprovalAnswers } from './approvalAnswers.ts';
import type { ApprovalStore } from './approvalStore.ts';

export interface ApprovalExpiryOptions {
  readonly timeline: Timeline;
  readonly logger: Logger;
  readonly deadlines: Deadlines;
  readonly changes: Changes;
  readonly approvals: ApprovalStore;
  readonly approvalAnswers: ApprovalAnswers;
}

const RETRY_MS = 1000;
/** The longest a timer can run; a later expiry is looked at again then. */
const LONGEST_MS = 0x7fffffff;

/** Closes requests whose time is over. Most have none. */
export class ApprovalExpiry {
  readonly #options: ApprovalExpiryOptions;

  constructor(options: ApprovalExpiryOptions) {
    this.#options = options;
  }

  watch({ approvalId, expiresAt }: Approval): void {
    if (expiresAt !== null) this.#arm(approvalId, expiresAt - this.#options.timeline.now());
  }

  #arm(approvalId: ApprovalId, ms: number): void {
    this.#options.deadlines.set(`approval:${approvalId}`, Math.min(ms, LONGEST_MS), () => this.#look(approvalId));
  }

  #look(approvalId: ApprovalId): void {
    const { timeline, logger, changes, approvals, approvalAnswers } = this.#options;
    try {
      const approval = approvals.find(approvalId)?.approval;
      if (approval?.status !== 'pending' || approval.expiresAt === null) return;
      if (approval.expiresAt > timeline.now()) {
        this.watch(approval);
        return;
      }
      changes.commit(BY_GATEWAY, 'lifecycle', (change) => approvalAnswers.end(change, approval, 'expired', { cause: 'approval_expired' }));
    } catch (error) {
      logger.warn(`the request ${approvalId} could not be ended: ${String(error)}`);
      this.#arm(approvalId, RETRY_MS);
    }
  }
}
