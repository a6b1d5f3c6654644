import type { Digest } from '../../protocol/ids.ts';
import { discard } from '../items/blobCommands.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';

/** What is put is named by an item soon after; a put that stopped in the middle goes on soon or never. */
const WAIT_MS = 24 * 3_600_000;
const AT_ONCE = 100;

/** Removes blobs that no session refers to, and those that never became whole. */
export class BlobSweep {
  readonly #store: Store;
  readonly #timeline: Timeline;

  constructor(store: Store, timeline: Timeline) {
    this.#store = store;
    this.#timeline = timeline;
  }

  /** Part of a transaction of the caller's. Returns whether there is more to remove. */
  sweep(): boolean {
    const due = this.#store.all<{ workspace: string; digest: Digest }>(
      `SELECT workspace, digest FROM blobs AS b WHERE addedAt < ? AND ((complete = 0 AND freedAt IS NULL)
         OR NOT EXISTS (SELECT 1 FROM blobRefs AS r WHERE r.workspace = b.workspace AND r.digest = b.digest)) LIMIT ?`, this.#timeline.now() - WAIT_MS, AT_ONCE);
    for (const blob of due) discard(this.#store, blob);
    return due.length === AT_ONCE;
  }
}
