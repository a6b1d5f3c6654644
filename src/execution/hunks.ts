import { diffArrays } from 'diff';
import type { Hunk } from '../protocol/item/state.ts';

export type { Hunk };

// A diff that takes longer than this is not worth waiting for: the changed middle is then one hunk.
const timeout = 300;

/** The differences between two lists of lines, in order, as small as they can be found in reasonable time. */
export function hunksBetween(from: readonly string[], to: readonly string[]): Hunk[] {
  const start = commonPrefix(from, to);
  const end = commonSuffix(from, to, start);
  const fromMiddle = from.slice(start, from.length - end);
  const toMiddle = to.slice(start, to.length - end);
  if (fromMiddle.length === 0 && toMiddle.length === 0) return [];
  return middleHunks(fromMiddle, toMiddle).map((hunk) => ({
    fromStart: hunk.fromStart + start,
    fromEnd: hunk.fromEnd + start,
    toStart: hunk.toStart + start,
    toEnd: hunk.toEnd + start,
  }));
}

function middleHunks(from: string[], to: string[]): Hunk[] {
  const whole: Hunk = { fromStart: 0, fromEnd: from.length, toStart: 0, toEnd: to.length };
  if (from.length === 0 || to.length === 0) return [whole];
  const parts = diffArrays(from, to, { timeout });
  if (parts === undefined) return [whole];
  const hunks: Hunk[] = [];
  let fromAt = 0;
  let toAt = 0;
  let open: Hunk | null = null;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      if (open !== null) hunks.push(open);
      open = null;
      fromAt += part.count;
      toAt += part.count;
      continue;
    }
    const start: Hunk = open ?? { fromStart: fromAt, fromEnd: fromAt, toStart: toAt, toEnd: toAt };
    if (part.removed) fromAt += part.count;
    else toAt += part.count;
    open = { ...start, fromEnd: fromAt, toEnd: toAt };
  }
  if (open !== null) hunks.push(open);
  return hunks;
}

function commonPrefix(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}

function commonSuffix(a: readonly string[], b: readonly string[], prefix: number): number {
  let count = 0;
  while (count < a.length - prefix && count < b.length - prefix && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}
