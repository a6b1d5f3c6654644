import { hunksBetween } from '../../execution/hunks.ts';
import { splitLines } from '../../execution/textLines.ts';

/** Text [start, end) is to be replaced; offsets count UTF-16 code units of the old text. */
export interface OffsetEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The line-wise edits that turn `before` into `after`, in order, leaving every equal line alone. */
export function minimalEdits(before: string, after: string): OffsetEdit[] {
  const from = wholeLines(before);
  const to = wholeLines(after);
  const starts = [0];
  for (const line of from) starts.push((starts.at(-1) ?? 0) + line.length);
  const offset = (line: number): number => starts[line] ?? before.length;
  return hunksBetween(from, to).map((hunk) => ({
    start: offset(hunk.fromStart),
    end: offset(hunk.fromEnd),
    text: to.slice(hunk.toStart, hunk.toEnd).join(''),
  }));
}

const wholeLines = (text: string): string[] => splitLines(text).map((line) => line.text + line.eol);
