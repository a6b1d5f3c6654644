import { t } from '../../base/l10n.ts';
import { oneLine } from '../../base/oneLine.ts';
import type { FileChange } from '../item/state.ts';
import { meaningOf } from './meaning.ts';
import { choosableChanges } from './part.ts';
import type { Approval, ApprovalOption, ApprovedPart } from './state.ts';

/** One stretch of a proposed change. `line` counts from 0 in the text that the proposal starts from, `toLine` in the proposed one. */
export interface ChangedPlace {
  readonly line: number;
  readonly toLine: number;
  readonly added: number;
  readonly removed: number;
}

/** One hunk of a request: which of its changes, and the place within that. */
export interface HunkPlace {
  readonly change: number;
  readonly hunk: number;
}

/** What a person has marked a hunk for before the whole request is answered. */
export type Mark = 'approve' | 'reject';

/** The marks of a request’s hunks, where a client keeps such. */
export type MarkOf = (place: HunkPlace) => Mark | undefined;

/**
 * A line of buttons' worth of one request beside the text it is about. Editors differ only in how they draw it. mark: marks one
 * hunk, or takes its mark away (null). approve with a `part`: just these hunks.
 */
export type ApprovalLens = { readonly line: number; readonly toLine: number; readonly title: string } & (
  | { readonly does: 'show' }
  | { readonly does: 'mark'; readonly place: HunkPlace; readonly mark: Mark | null }
  | { readonly does: 'approve' | 'reject'; readonly option: ApprovalOption; readonly part?: ApprovedPart }
);

const TITLE_CHARS = 80;

/** Where a change touches its file: its hunks, or else what the lines shown of it tell; what was cut from those has no place. */
export function changedPlaces({ lines, hunks = [] }: Pick<FileChange, 'lines' | 'hunks'>): ChangedPlace[] {
  const shown = shownPlaces(lines);
  if (shown.length >= hunks.length) return shown;
  // The last one may lie behind the last line.
  return hunks.map(({ fromStart, fromEnd, toStart, toEnd }, at) => ({
    line: fromStart === fromEnd && at === hunks.length - 1 ? Math.max(0, fromStart - 1) : fromStart, toLine: toStart, added: toEnd - toStart, removed: fromEnd - fromStart,
  }));
}

function shownPlaces(lines: FileChange['lines']): ChangedPlace[] {
  const places: { line: number; toLine: number; added: number; removed: number }[] = [];
  let [at, toAt] = [0, 0];
  let open: (typeof places)[number] | null = null;
  /** At the end of a file nothing follows: the last line that is there carries the place. */
  const close = (followed: boolean): void => {
    if (open !== null && open.removed === 0 && !followed) open.line = Math.max(0, open.line - 1);
    open = null;
  };
  for (const { t: sign, text } of lines) {
    if (sign === '@') {
      close(false);
      [at, toAt] = firstLines(text);
    } else if (sign === ' ') {
      close(true);
      at += 1;
      toAt += 1;
    } else {
      if (open === null) places.push((open = { line: at, toLine: toAt, added: 0, removed: 0 }));
      if (sign === '+') {
        open.added += 1;
        toAt += 1;
      } else {
        open.removed += 1;
        at += 1;
      }
    }
  }
  close(false);
  return places;
}

/** `@@ -start,count +start,count @@`: a piece without lines starts behind line `start`. */
function firstLines(header: string): [number, number] {
  const [, from = '1', fromCount = '1', to = '1', toCount = '1'] = /^@@ -(\d+),(\d+) \+(\d+),(\d+)/.exec(header) ?? [];
  const first = (start: string, count: string): number => (Number(count) === 0 ? Number(start) : Number(start) - 1);
  return [first(from, fromCount), first(to, toCount)];
}

/**
 * What stands beside the text of `change`, a file of this request, place by place: first what is asked, then every answer in the
 * agent's own words. An answer counts for the whole request, except where a part of it can be approved: there each place has an answer
 * of its own, or with `markOf` its mark, and the answers for all of it stand at the first place only. `canAnswer` false: shown only.
 */
export function approvalLenses(approval: Approval, change: FileChange, canAnswer: boolean, markOf?: MarkOf): ApprovalLens[] {
  const found = changedPlaces(change);
  const places = found.length === 0 ? [{ line: 0, toLine: 0, added: change.added, removed: change.removed }] : found;
  const changes = approval.subject.kind === 'edit' ? approval.subject.changes : [];
  const canChoose = choosableChanges(approval.subject) !== null;
  const isMany = places.length > 1 || changes.length > 1;
  return places.flatMap((place, index) => {
    const at = { line: place.line, toLine: place.toLine };
    const own = { change: changes.indexOf(change), hunk: index };
    const whole = canAnswer && (!canChoose || markOf === undefined || index === 0) ? approval.options.map((option) => answer(approval, option, at, { isMany, markOf })) : [];
    const parts = canAnswer && canChoose && own.change >= 0 ? ownAnswers(approval, own, at, markOf) : [];
    const title = headline(change, place, { at: index + 1, of: places.length, files: changes.length, canAnswer, isShort: markOf !== undefined });
    return [{ ...at, title, does: 'show' as const }, ...parts, ...whole];
  });
}

type At = Pick<ApprovalLens, 'line' | 'toLine'>;

function ownAnswers(approval: Approval, place: HunkPlace, at: At, markOf: MarkOf | undefined): ApprovalLens[] {
  if (markOf === undefined) {
    const option = approval.options.find(({ kind }) => kind === 'allow_once');
    const part = (choosableChanges(approval.subject) ?? []).map((_change, index) => (index === place.change ? [place.hunk] : []));
    return option === undefined ? [] : [{ ...at, title: t('{0} (only this place)', short(option.name)), does: 'approve', option, part }];
  }
  const lens = (mark: Mark | null, title: string): ApprovalLens => ({ ...at, title, does: 'mark', place, mark });
  switch (markOf(place)) {
    case 'approve':
      return [lens(null, t('To be written · Undo'))];
    case 'reject':
      return [lens(null, t('Left out · Undo'))];
    case undefined:
      return [lens('approve', t('Approve Change')), lens('reject', t('Reject Change'))];
  }
}

function headline({ label }: FileChange, { added, removed }: ChangedPlace, { at, of, files, canAnswer, isShort }: { at: number; of: number; files: number; canAnswer: boolean; isShort: boolean }): string {
  const counts = `+${added} −${removed}`;
  // It stands in the file, between many others.
  if (isShort && of > 1 && files === 1 && canAnswer) return t('Attaché: change {0} of {1}, {2}', at, of, counts);
  const what = of > 1 ? t('Attaché: change {0} of {1} of {2} waits, {3}', at, of, short(label), counts) : t('Attaché: change of {0} waits, {1}', short(label), counts);
  const more = files > 1 ? t(files === 2 ? ', with {0} more file' : ', with {0} more files', files - 1) : '';
  return `${what}${more}${canAnswer ? '' : t(' (this folder is not trusted here: look only)')}`;
}

function answer(approval: Approval, option: ApprovalOption, at: At, { isMany, markOf }: { readonly isMany: boolean; readonly markOf: MarkOf | undefined }): ApprovalLens {
  const isRefusal = meaningOf(approval, option) === 'reject';
  const left = isRefusal || option.kind !== 'allow_once' || markOf === undefined ? null : leftOf(approval, markOf);
  const name = short(option.name);
  const title = left !== null ? t('{0} ({1} of {2})', name, left.chosen, left.of) : isMany ? (markOf === undefined ? t('{0} (all of it)', name) : t('{0} (all)', name)) : name;
  return { ...at, title, does: isRefusal ? 'reject' : 'approve', option };
}

/** How much an answer would approve once some hunks are marked as left out; null: all of it. */
function leftOf({ subject }: Approval, markOf: MarkOf): { readonly chosen: number; readonly of: number } | null {
  const marks = (choosableChanges(subject) ?? []).flatMap(({ hunks }, change) => hunks.map((_hunk, hunk) => markOf({ change, hunk })));
  const chosen = marks.filter((mark) => mark !== 'reject').length;
  return chosen === marks.length ? null : { chosen, of: marks.length };
}

function short(text: string): string {
  const line = oneLine(text);
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1)}…` : line;
}
