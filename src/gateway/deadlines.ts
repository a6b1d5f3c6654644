import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';

/** Named timers: at most one per key, all ended together. */
export class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #timers = new Map<string, Disposable>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces a timer of the same key. */
  set(key: string, ms: number, action: () => void): void {
    this.clear(key);
    const timer = this.#clock.setTimeout(() => {
      if (this.#timers.get(key) !== timer) return;
      this.#timers.delete(key);
      action();
    }, Math.max(0, ms));
    this.#timers.set(key, timer);
  }

  /** Leaves a timer of the same key running. */
  setOnce(key: string, ms: number, action: () => void): void {
    if (!this.#timers.has(key)) this.set(key, ms, action);
  }

  clear(key: string): void {
    this.#timers.get(key)?.dispose();
    this.#timers.delete(key);
  }

  dispose(): void {
    for (const timer of this.#timers.values()) timer.dispose();
    this.#timers.clear();
  }
}
