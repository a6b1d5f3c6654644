import type { EditPreview } from './plane.ts';
import { hunksBetween, type Hunk } from './hunks.ts';
import { dominantEol, joinLines, splitLines, type TextLine } from './textLines.ts';

/** The merge as a preview. A byte order mark belongs to the file, so one that the wanted text brings changes nothing. */
export function previewOf(base: string | null, current: string | null, wanted: string): EditPreview {
  return { before: current, ...mergeText(base, current, current === null || current.startsWith('\uFEFF') ? wanted : wanted.replace(/^\uFEFF/, '')) };
}

export interface MergedText {
  readonly after: string;
  /** True when both sides changed the same lines; `after` is then what was wanted, over the other side's change. */
  readonly conflict: boolean;
}

/**
 * What a file's text becomes when somebody who knew `base` wants `wanted` and the file now says `current`. Lines that
 * nobody touched keep their own line ends, new ones get the file's; a missing final newline stays missing.
 */
export function mergeText(base: string | null, current: string | null, wanted: string): MergedText {
  if (current === null) return { after: wanted, conflict: base !== null };
  const lines = splitLines(wanted);
  if (base === current) return { after: inLineEndsOf(current, lines), conflict: false };
  const overwritten = inLineEndsOf(current, lines);
  if (base === null) return { after: overwritten, conflict: overwritten !== current };
  const merged = mergeLines(splitLines(base), splitLines(current), lines);
  if (merged === null) return { after: overwritten, conflict: true };
  return { after: inLineEndsOf(current, merged), conflict: false };
}

const contents = (lines: readonly TextLine[]): string[] => lines.map((line) => line.text);

/** Both sides' changes of `base` together, or null when they touch the same lines in different ways. */
function mergeLines(base: TextLine[], ours: TextLine[], theirs: TextLine[]): TextLine[] | null {
  const sides = [
    ...hunksBetween(contents(base), contents(ours)).map((hunk) => ({ hunk, lines: ours.slice(hunk.toStart, hunk.toEnd) })),
    ...hunksBetween(contents(base), contents(theirs)).map((hunk) => ({ hunk, lines: theirs.slice(hunk.toStart, hunk.toEnd) })),
  ].sort((a, b) => a.hunk.fromStart - b.hunk.fromStart || a.hunk.fromEnd - b.hunk.fromEnd);
  const pieces: TextLine[][] = [];
  let at = 0;
  let last: (typeof sides)[number] | null = null;
  for (const side of sides) {
    if (last !== null && sameChange(last, side)) continue;
    if (last !== null && collide(last.hunk, side.hunk)) return null;
    pieces.push(base.slice(at, side.hunk.fromStart), side.lines);
    at = side.hunk.fromEnd;
    last = side;
  }
  pieces.push(base.slice(at));
  return pieces.flat();
}

type Change = { readonly hunk: Hunk; readonly lines: readonly TextLine[] };

function sameChange(a: Change, b: Change): boolean {
  if (a.hunk.fromStart !== b.hunk.fromStart || a.hunk.fromEnd !== b.hunk.fromEnd) return false;
  return a.lines.length === b.lines.length && a.lines.every((line, index) => line.text === b.lines[index]?.text);
}

/** `a` begins no later than `b`. Two insertions at one place collide; neighbours do not. */
function collide(a: Hunk, b: Hunk): boolean {
  if (a.fromStart === b.fromStart) return (a.fromStart === a.fromEnd) === (b.fromStart === b.fromEnd);
  return b.fromStart < a.fromEnd;
}

/** The wanted lines with the line ends that the file has. */
function inLineEndsOf(current: string, wanted: readonly TextLine[]): string {
  const old = splitLines(current);
  const eol = dominantEol(old);
  const last = old.at(-1);
  if (eol === null || last === undefined) return withFinal(wanted, old.length > 0 ? '' : null);
  const own = keptLineEnds(old, wanted);
  const lines = wanted.map(({ text }, index) => ({ text, eol: own.get(index) || eol }));
  return withFinal(lines, last.eol === '' ? '' : (own.get(wanted.length - 1) || eol));
}

/** Sets the end of the last line; null leaves it as it is. */
function withFinal(lines: readonly TextLine[], final: string | null): string {
  const last = lines.at(-1);
  if (last === undefined || final === null) return joinLines(lines);
  return joinLines([...lines.slice(0, -1), { text: last.text, eol: final }]);
}

function keptLineEnds(old: readonly TextLine[], wanted: readonly TextLine[]): Map<number, string> {
  const own = new Map<number, string>();
  let oldAt = 0;
  let newAt = 0;
  const keepUntil = (oldEnd: number): void => {
    for (; oldAt < oldEnd; oldAt += 1, newAt += 1) own.set(newAt, old[oldAt]?.eol ?? '');
  };
  for (const hunk of hunksBetween(contents(old), contents(wanted))) {
    keepUntil(hunk.fromStart);
    oldAt = hunk.fromEnd;
    newAt = hunk.toEnd;
  }
  keepUntil(old.length);
  return own;
}
