import type { Approval, ApprovalOption } from './state.ts';

/** What an option says: `answer` is one to a question and counts as an allow. */
export type Meaning = 'allow' | 'reject' | 'answer';

/** An option of a kind that nobody knows is a refusal, unless a question was asked. */
export function meaningOf(approval: Pick<Approval, 'subject'>, option: Pick<ApprovalOption, 'kind'>): Meaning {
  if (option.kind === 'reject_once' || option.kind === 'reject_always') return 'reject';
  if (approval.subject.kind === 'question') return 'answer';
  return option.kind === 'other' ? 'reject' : 'allow';
}
