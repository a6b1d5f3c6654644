import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { Deadlines } from './deadlines.ts';
import type { BlobSweep } from './space/blobSweep.ts';
import type { Removals } from './sessions/removals.ts';
import type { Receipts } from './store/receipts.ts';
import type { Store } from './store/store.ts';

export interface MaintenanceOptions {
  readonly store: Store;
  readonly receipts: Receipts;
  readonly removals: Removals;
  readonly blobSweep: BlobSweep;
  readonly clock: Clock;
  readonly logger: Logger;
}

const IDLE_MS = 500;
const BUSY_MS = 5000;
const PRUNE_MS = 3_600_000;
const WAL_CAP_BYTES = 16 * 1024 * 1024;
/** Between two pieces of long work: others are served meanwhile. */
const PIECE_MS = 20;
const PAGE_BYTES = 4096;
/** What a client asks for first is not held up by reading all of a large file. */
const CHECK_AFTER_MS = 5000;
/** Pages given back at once. */
const SHRINK_PAGES = 1000;
/** So many free pages are left for what comes next, unless somebody asked for space. */
const SPARE_PAGES = 4000;

/** Work of the store that would make a commit wait: done when nobody writes, or when the log has grown too long. */
export class Maintenance implements Disposable {
  readonly #options: MaintenanceOptions;
  readonly #deadlines: Deadlines;
  #prunedAt = Number.NEGATIVE_INFINITY;
  #spare = SPARE_PAGES;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock);
    if (options.store.isPartlyChecked) this.#deadlines.set('check', CHECK_AFTER_MS, () => this.#guarded(() => this.#check()));
  }

  /** Called after each commit. */
  noteCommit(): void {
    this.#deadlines.set('idle', IDLE_MS, () => this.#whenIdle());
    this.#deadlines.setOnce('busy', BUSY_MS, () => this.#whenBusy());
  }

  /** Space was freed: the file is made as small as it can be, piece by piece. */
  shrink(): void {
    this.#spare = 0;
    this.#later('shrink', () => this.#shrink());
  }

  dispose(): void {
    this.#deadlines.dispose();
  }

  #whenIdle(): void {
    this.#deadlines.clear('busy');
    this.#guarded(() => {
      this.#prune();
      const { store } = this.#options;
      store.checkpoint('PASSIVE');
      if (store.shrinksBitByBit && store.size().freeBytes > SPARE_PAGES * PAGE_BYTES) this.#later('shrink', () => this.#shrink());
    });
  }

  #later(what: string, work: () => void): void {
    this.#deadlines.setOnce(what, PIECE_MS, () => this.#guarded(work));
  }

  #shrink(): void {
    if (this.#options.store.shrink(SHRINK_PAGES) > this.#spare) return this.#later('shrink', () => this.#shrink());
    this.#spare = SPARE_PAGES;
    this.#options.store.checkpoint('PASSIVE');
  }

  /** All of a large file is compared with its sums, a part at a time. */
  #check(): void {
    if (this.#options.store.checkSome()) this.#later('check', () => this.#check());
  }

  #sweep(): void {
    const { store, blobSweep } = this.#options;
    if (store.transaction('stream', () => blobSweep.sweep())) this.#later('sweep', () => this.#sweep());
  }

  #whenBusy(): void {
    this.#guarded(() => {
      if (this.#options.store.walBytes() > WAL_CAP_BYTES) this.#options.store.checkpoint('PASSIVE');
    });
  }

  #prune(): void {
    const { store, receipts, removals, clock } = this.#options;
    if (clock.monotonic() - this.#prunedAt < PRUNE_MS) return;
    store.transaction('stream', () => {
      receipts.prune();
      removals.purge();
    });
    this.#later('sweep', () => this.#sweep());
    this.#prunedAt = clock.monotonic();
  }

  /** Housekeeping must not take the gateway down: a full disk shows itself at the next command. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.logger.warn(`store maintenance failed: ${String(error)}`);
    }
  }
}
