import type { Approval } from '../../protocol/approval/state.ts';
import type { TurnStore } from '../broker/turnStore.ts';
import type { Change } from '../events/change.ts';
import type { ApprovalEnds } from './approvalEnds.ts';
import type { ApprovalStore } from './approvalStore.ts';

export interface ApprovalAnswersOptions {
  readonly approvals: ApprovalStore;
  readonly approvalEnds: ApprovalEnds;
  readonly turns: TurnStore;
}

type End = Parameters<ApprovalEnds['end']>;

/** Ends one request of a turn that goes on: when none is left the turn no longer waits. */
export class ApprovalAnswers {
  readonly #options: ApprovalAnswersOptions;

  constructor(options: ApprovalAnswersOptions) {
    this.#options = options;
  }

  end(change: Change, approval: Approval, status: End[2], answer: End[3]): Approval {
    const { approvals, approvalEnds, turns } = this.#options;
    const ended = approvalEnds.end(change, approval, status, answer);
    const turn = turns.get(approval.turnId);
    if (turn.state === 'waiting' && approvals.pendingOfTurn(turn.turnId).length === 0) turns.patch(change, turn, { state: 'running' });
    return ended;
  }
}
