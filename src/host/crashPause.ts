import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';

const firstMs = 1_000;
const maxMs = 30_000;

/** How long an agent is left alone that goes down with one turn after the other: twice as long each time, not at all after a turn that did not. */
export class CrashPause {
  readonly #clock: Clock;
  #ms = 0;
  #until = 0;
  #over = new Deferred<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How a turn ended. */
  note(hasCrashed: boolean): void {
    this.#ms = hasCrashed ? Math.min(maxMs, Math.max(firstMs, this.#ms * 2)) : 0;
    this.#until = this.#clock.monotonic() + this.#ms;
  }

  /** A person wants to try again, now. */
  end(): void {
    this.note(false);
    this.#over.resolve();
    this.#over = new Deferred();
  }

  /** Resolves when the next turn may begin. */
  async rested(): Promise<void> {
    const left = this.#until - this.#clock.monotonic();
    if (left <= 0) return;
    const over = this.#over.promise;
    await new Promise<void>((resolve) => {
      const timer = this.#clock.setTimeout(resolve, left);
      void over.then(() => {
        timer.dispose();
        resolve();
      });
    });
  }
}
