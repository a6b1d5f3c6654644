import type { FileChange } from '../item/state.ts';
import type { Approval, ApprovalSubject, ApprovedPart } from './state.ts';

/** A hunk of a request as one word: the change of the edit it is in, and which of that, both from 0. */
export const hunkKey = (change: number, hunk: number): string => `${change}.${hunk}`;

/** How many hunks were chosen, of how many. */
export interface PartCount {
  readonly chosen: number;
  readonly of: number;
}

/** The changes of an edit that may be approved hunk by hunk; null for what can only be answered as a whole. */
export function choosableChanges(subject: ApprovalSubject): readonly ChoosableChange[] | null {
  if (subject.kind !== 'edit' || subject.mode !== 'hosted') return null;
  const changes = subject.changes.filter(isChoosable);
  return changes.length === subject.changes.length && countOf(changes) > 1 ? changes : null;
}

export type ChoosableChange = FileChange & { readonly hunks: NonNullable<FileChange['hunks']> };

const isChoosable = (change: FileChange): change is ChoosableChange => change.hunks !== undefined;

const countOf = (changes: readonly ChoosableChange[]): number => changes.reduce((sum, { hunks }) => sum + hunks.length, 0);

/** All that is not left out of an edit, whose hunks are given by their keys; null for what can only be answered as a whole. */
export const partWithout = (subject: ApprovalSubject, left: readonly string[]): ApprovedPart | null =>
  choosableChanges(subject)?.map(({ hunks }, change) => hunks.flatMap((_hunk, hunk) => (left.includes(hunkKey(change, hunk)) ? [] : [hunk]))) ?? null;

/** What is wrong with a part as an answer to this request; null: nothing. not_possible: it has to be answered whole. unknown: it names no hunk, or one that is not there. */
export function faultOfPart(subject: ApprovalSubject, part: ApprovedPart): 'not_possible' | 'unknown' | null {
  const changes = choosableChanges(subject);
  if (changes === null) return 'not_possible';
  const fits = part.length === changes.length && part.every((chosen, at) => chosen.every((place, index) => place < (changes[at]?.hunks.length ?? 0) && place > (chosen[index - 1] ?? -1)));
  if (!fits || part.every((chosen) => chosen.length === 0)) return 'unknown';
  return null;
}

/** The part as it is recorded: all of it is no part. */
export function realPart(subject: ApprovalSubject, part: ApprovedPart | undefined): ApprovedPart | undefined {
  const count = part === undefined ? null : partCount(subject, part);
  return count === null || count.chosen === count.of ? undefined : part;
}

export const samePart = (a: ApprovedPart | undefined, b: ApprovedPart | undefined): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

export function partCount(subject: ApprovalSubject, part: ApprovedPart): PartCount | null {
  const changes = choosableChanges(subject);
  return changes === null ? null : { chosen: part.reduce((sum, chosen) => sum + chosen.length, 0), of: countOf(changes) };
}

/** Of a request that was approved in part; null for every other. */
export const approvedCount = ({ subject, part }: Pick<Approval, 'subject' | 'part'>): PartCount | null => (part === undefined ? null : partCount(subject, part));
