import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { FileChange, Hunk } from '../protocol/item/state.ts';
import type { ShownChange } from '../runtime/agent.ts';
import type { Blobs } from './blobs.ts';
import type { LineDiffer } from './hostOptions.ts';

/** Makes changes displayable and brings their texts into the gateway. */
export class ShownChanges {
  readonly #folder: string;
  readonly #lineDiff: LineDiffer;
  readonly #blobs: Blobs;

  constructor(folder: string, lineDiff: LineDiffer, blobs: Blobs) {
    this.#folder = folder;
    this.#lineDiff = lineDiff;
    this.#blobs = blobs;
  }

  describe(change: ShownChange): FileChange {
    return this.withHunks(change).change;
  }

  /** The same, and every place that differs. */
  withHunks({ path, before, after }: ShownChange): HunkedChange {
    const diff = this.#lineDiff(before, after);
    const change = {
      path: resolve(this.#folder, path).slice(0, 4096),
      label: labelOf(this.#folder, resolve(this.#folder, path)).slice(0, 4096),
      before: before === null ? null : this.#blobs.put(before),
      after: this.#blobs.put(after),
      added: diff.added,
      removed: diff.removed,
      lines: [...diff.lines],
      linesCut: diff.cut,
    };
    return { change, hunks: diff.hunks };
  }
}

export interface HunkedChange {
  readonly change: FileChange;
  readonly hunks: readonly Hunk[];
}

const maxHunks = 500;

/** The changes of one request, with their hunks where they can be chosen from. */
export function choosable(described: readonly HunkedChange[]): FileChange[] {
  const isFit = described.every(({ hunks }) => hunks.length > 0 && hunks.length <= maxHunks) && described.reduce((sum, { hunks }) => sum + hunks.length, 0) > 1;
  return described.map(({ change, hunks }) => (isFit ? { ...change, hunks: [...hunks] } : change));
}

/** Relative to the session's folder where it lies inside. */
export function labelOf(folder: string, path: string): string {
  const way = relative(folder, path);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? path : way.split(sep).join('/');
}

/** Line ends and a final newline are kept by whoever writes, so they do not make two texts different. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n$/, '');

export const sameText = (a: string | null, b: string | null): boolean => (a === null || b === null ? a === b : plain(a) === plain(b));

/** The text that a file would have after the change; null when the change does not fit its present text. */
export function resultOf(change: ShownChange, present: string | null): string | null {
  if (change.before === null || present === null) return change.before === null ? change.after : null;
  if (sameText(change.before, present)) return change.after;
  // Some agents show only the piece they replace.
  const whole = present.replaceAll('\r\n', '\n');
  const piece = change.before.replaceAll('\r\n', '\n');
  const at = piece === '' ? -1 : whole.indexOf(piece);
  if (at < 0 || whole.indexOf(piece, at + 1) >= 0) return null;
  return whole.slice(0, at) + change.after.replaceAll('\r\n', '\n') + whole.slice(at + piece.length);
}

/**
 * The change as it would be done to the file's present text: agents show only the piece they replace, or leave out what was
 * there before. As given when it does not fit.
 */
export function wholeChange(change: ShownChange, present: string | null): ShownChange {
  const before = change.before === '' && present === null ? null : change.before;
  if (before === null || sameText(before, present)) return { ...change, before: present };
  const after = resultOf(change, present);
  return after === null ? change : { path: change.path, before: present, after };
}
