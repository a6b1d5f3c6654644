import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Serve } from '../server/clientConnection.ts';

const IDLE_MS = 2000;
const GROWN_BYTES = 2 * 1024 * 1024;

/** Full and at once, also of compiled code that nothing has used for long. */
export type Collect = (options: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void;

export interface IdleMemoryOptions {
  readonly clock: Clock;
  /** None: the process was started without `--expose-gc`, and V8 does what it does by itself. */
  readonly collect: Collect | undefined;
  /** Whoever works is not held up, however long it thinks. */
  readonly isBusy: () => boolean;
  /** What is in use of the heap, in bytes. */
  readonly used?: () => number;
}

/** Gives memory back when nothing runs and nobody has asked for anything for two seconds: what a start or a busy time leaves would stay until the next one. */
export class IdleMemory implements Disposable {
  readonly #options: IdleMemoryOptions;
  #timer: Disposable | null = null;
  #touchedAt = 0;
  #keptBytes = 0;
  #isDisposed = false;

  constructor(options: IdleMemoryOptions) {
    this.#options = options;
    this.#touch();
  }

  /** Every request begins the two seconds anew. */
  watch(serve: Serve): Serve {
    return (...request) => {
      this.#touch();
      return serve(...request);
    };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
  }

  /** Cheap: one timer runs, however much happens meanwhile. */
  #touch(): void {
    this.#touchedAt = this.#options.clock.monotonic();
    if (this.#timer === null) this.#wait(IDLE_MS);
  }

  #wait(ms: number): void {
    if (this.#options.collect === undefined || this.#isDisposed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = null;
      const left = this.#touchedAt + IDLE_MS - this.#options.clock.monotonic();
      if (left > 0) this.#wait(left);
      else this.#collectIfWorthIt();
    }, ms);
  }

  #collectIfWorthIt(): void {
    const { collect, isBusy, used = () => process.memoryUsage().heapUsed } = this.#options;
    if (used() < this.#keptBytes + GROWN_BYTES || isBusy()) return;
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    this.#keptBytes = used();
  }
}
