import type { Hunk } from '../protocol/item/state.ts';
import { splitLines, joinLines, type TextLine } from './textLines.ts';

/**
 * The text with only some of the hunks between `before` and `after` carried out; `chosen` names them by their places. Unless
 * the hunks are all that differs between the two texts the answer is null. All of them give `after`, none gives `before`.
 */
export function textOfPart(before: string, after: string, hunks: readonly Hunk[], chosen: readonly number[]): string | null {
  const [from, to] = [splitLines(before), splitLines(after)];
  const wanted = new Set(chosen);
  if (wanted.size === hunks.length) return covers(from, to, hunks) ? after : null;
  if (!covers(from, to, hunks)) return null;
  const lines: TextLine[] = [];
  let at = 0;
  for (const [place, { fromStart, fromEnd, toStart, toEnd }] of hunks.entries()) {
    lines.push(...from.slice(at, fromStart), ...(wanted.has(place) ? to.slice(toStart, toEnd) : from.slice(fromStart, fromEnd)));
    at = fromEnd;
  }
  return joinLines(ended([...lines, ...from.slice(at)], from, to));
}

/** True when the texts are the same outside of the hunks, whatever ends their lines. */
function covers(from: readonly TextLine[], to: readonly TextLine[], hunks: readonly Hunk[]): boolean {
  let [fromAt, toAt] = [0, 0];
  for (const { fromStart, fromEnd, toStart, toEnd } of [...hunks, { fromStart: from.length, fromEnd: from.length, toStart: to.length, toEnd: to.length }]) {
    if (fromStart < fromAt || fromEnd < fromStart || toEnd < toStart || fromStart - fromAt !== toStart - toAt || fromEnd > from.length || toEnd > to.length) return false;
    for (let line = 0; line < fromStart - fromAt; line += 1) if (from[fromAt + line]?.text !== to[toAt + line]?.text) return false;
    [fromAt, toAt] = [fromEnd, toEnd];
  }
  return true;
}

/** A line that is not the last any more gets a line end, and the last one ends as the file did; an empty one without a line end would be none. */
function ended(lines: readonly TextLine[], from: readonly TextLine[], to: readonly TextLine[]): TextLine[] {
  const eol = [...from, ...to].find((line) => line.eol !== '')?.eol ?? '\n';
  const final = (from.at(-1) ?? to.at(-1))?.eol ?? '';
  return lines.map((line, at) => {
    const isBare = at === lines.length - 1 && final === '' && line.text !== '';
    return { text: line.text, eol: isBare ? '' : line.eol === '' ? eol : line.eol };
  });
}
