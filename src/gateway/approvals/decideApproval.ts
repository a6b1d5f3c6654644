import { meaningOf } from '../../protocol/approval/meaning.ts';
import { faultOfPart, realPart, samePart } from '../../protocol/approval/part.ts';
import type { Approval, ApprovedPart } from '../../protocol/approval/state.ts';
import type { ErrorKind } from '../../protocol/errors.ts';
import type { TurnState } from '../../protocol/turn/state.ts';

export interface Answer {
  readonly optionId: string;
  readonly actionDigest: string;
  /** Absent: all of it. */
  readonly part?: ApprovedPart | undefined;
}

export type ApprovalDecision =
  | { readonly kind: 'record'; readonly status: 'approved' | 'rejected' | 'answered' }
  | { readonly kind: 'already' }
  | { readonly kind: 'refuse'; readonly code: ErrorKind };

const refuse = (code: ErrorKind): ApprovalDecision => ({ kind: 'refuse', code });

const STATUS = { allow: 'approved', reject: 'rejected', answer: 'answered' } as const;

/** Whether an answer is the first, a repeat, or comes too late. `now` is the gateway's timeline, which is near wall time and follows no jump of it. */
export function decideApproval(approval: Approval, turn: TurnState, answer: Answer, now: number): ApprovalDecision {
  if (approval.optionId !== null) return isSame(approval, answer) ? { kind: 'already' } : refuse('approval_already_decided');
  if (approval.status !== 'pending' || (turn !== 'waiting' && turn !== 'running')) return refuse('approval_closed');
  if (approval.expiresAt !== null && approval.expiresAt <= now) return refuse('approval_closed');
  if (approval.actionDigest !== answer.actionDigest) return refuse('approval_changed');
  const option = approval.options.find(({ optionId }) => optionId === answer.optionId);
  if (option === undefined) return refuse('approval_option_unknown');
  if (answer.part !== undefined) {
    const fault = option.kind === 'allow_once' ? faultOfPart(approval.subject, answer.part) : 'not_possible';
    if (fault !== null) return refuse(fault === 'unknown' ? 'approval_part_unknown' : 'approval_part_not_possible');
  }
  return { kind: 'record', status: STATUS[meaningOf(approval, option)] };
}

const isSame = ({ subject, optionId, part }: Approval, answer: Answer): boolean => optionId === answer.optionId && samePart(part, realPart(subject, answer.part));
