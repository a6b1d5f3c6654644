import type { DiffLine } from '../protocol/item/state.ts';
import { hunksBetween, type Hunk } from './hunks.ts';
import { splitLines } from './textLines.ts';

/** A diff for display. `added` and `removed` count all of it, also what `cut` left out of `lines`. */
export interface LineDiff {
  readonly lines: DiffLine[];
  readonly added: number;
  readonly removed: number;
  readonly cut: boolean;
  /** Every place that differs. */
  readonly hunks: Hunk[];
}

const context = 3;
const maxLines = 400;
const maxLineChars = 2_000;
const maxChars = 24_000;

/** Compares by line, whatever the line ends are. `before` null: the file is new. */
export function lineDiff(before: string | null, after: string): LineDiff {
  const from = contents(before ?? '');
  const to = contents(after);
  const hunks = hunksBetween(from, to);
  const out = new BoundedLines();
  for (const group of grouped(hunks)) writeGroup(out, group, from, to);
  return {
    lines: out.lines,
    cut: out.cut,
    hunks,
    added: hunks.reduce((sum, hunk) => sum + hunk.toEnd - hunk.toStart, 0),
    removed: hunks.reduce((sum, hunk) => sum + hunk.fromEnd - hunk.fromStart, 0),
  };
}

const contents = (text: string): string[] => splitLines(text).map((line) => line.text);

class BoundedLines {
  readonly lines: DiffLine[] = [];
  cut = false;
  #chars = 0;

  add(t: DiffLine['t'], text: string): void {
    const shown = text.length > maxLineChars ? text.slice(0, maxLineChars) : text;
    if (this.lines.length >= maxLines || this.#chars + shown.length > maxChars) {
      this.cut = true;
      return;
    }
    if (shown !== text) this.cut = true;
    this.#chars += shown.length;
    this.lines.push({ t, text: shown });
  }
}

/** Hunks whose context would touch are shown together. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && hunk.fromStart - last.fromEnd <= 2 * context) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function writeGroup(out: BoundedLines, group: readonly Hunk[], from: readonly string[], to: readonly string[]): void {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return;
  const fromStart = Math.max(0, first.fromStart - context);
  const fromEnd = Math.min(from.length, last.fromEnd + context);
  const toStart = first.toStart - (first.fromStart - fromStart);
  const toEnd = last.toEnd + (fromEnd - last.fromEnd);
  out.add('@', `@@ -${range(fromStart, fromEnd)} +${range(toStart, toEnd)} @@`);
  let at = fromStart;
  for (const hunk of group) {
    for (const text of from.slice(at, hunk.fromStart)) out.add(' ', text);
    for (const text of from.slice(hunk.fromStart, hunk.fromEnd)) out.add('-', text);
    for (const text of to.slice(hunk.toStart, hunk.toEnd)) out.add('+', text);
    at = hunk.fromEnd;
  }
  for (const text of from.slice(at, fromEnd)) out.add(' ', text);
}

const range = (start: number, end: number): string => `${String(start === end ? start : start + 1)},${String(end - start)}`;
