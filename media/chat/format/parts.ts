import { type PartCount, partCount, partWithout } from '../../../src/protocol/approval/part.ts';
import type { Approval, ApprovalOption, ApprovedPart } from '../../../src/protocol/approval/state.ts';

/** What of an edit is chosen, as its card shows it. */
export interface Chosen extends PartCount {
  readonly part: ApprovedPart;
}

/** Null where nothing is left out: the request is answered whole. `left`: the hunks that are, by their keys. */
export function chosenPart({ subject }: Pick<Approval, 'subject'>, left: readonly string[] = []): Chosen | null {
  const part = partWithout(subject, left);
  const count = part === null ? null : partCount(subject, part);
  return part === null || count === null || count.chosen === count.of ? null : { part, ...count };
}

export const refuses = ({ kind }: Pick<ApprovalOption, 'kind'>): boolean => kind === 'reject_once' || kind === 'reject_always';

/** Nothing is approved that the card shows as left out: with a part chosen, the answers are to refuse the request and to approve that part once, if there is anything in it. */
export const mayAnswer = (option: Pick<ApprovalOption, 'kind'>, chosen: Pick<PartCount, 'chosen'> | null): boolean => chosen === null || refuses(option) || (option.kind === 'allow_once' && chosen.chosen > 0);
