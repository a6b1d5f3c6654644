import type { resyncReason } from '../../protocol/subscription/commands.ts';

/** A place in the log of a scope that somebody has come to. */
export interface Cursor {
  readonly epoch: number;
  readonly seq: number;
}

/** Where the log stands. */
export interface LogEnds extends Pick<Cursor, 'epoch'> {
  readonly first: number;
  readonly head: number;
}

/** Why the log cannot be read on from a place; null when it can. */
export function whyNotFrom(cursor: Cursor, { epoch, first, head }: LogEnds): (typeof resyncReason.options)[number] | null {
  if (cursor.epoch !== epoch) return 'epoch_changed';
  if (cursor.seq > head) return 'cursor_ahead';
  return cursor.seq < head && cursor.seq + 1 < first ? 'cursor_expired' : null;
}
