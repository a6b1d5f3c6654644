import type { Clock } from '../../src/base/clock.ts';
import { toDisposable, type Disposable } from '../../src/base/disposable.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
}

/** Time that stands still until a test moves it. Timers fire in order of their time, and what they set in motion runs before the next one. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  readonly #start: number;
  #elapsed = 0;
  #order = 0;

  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#start = start;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimeout(action: () => void, ms: number): Disposable {
    const timer = { at: this.#elapsed + Math.max(0, ms), order: this.#order++, action };
    this.#timers.add(timer);
    return toDisposable(() => this.#timers.delete(timer));
  }

  get pending(): number {
    return this.#timers.size;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#elapsed = timer.at;
      timer.action();
      await settle();
    }
    this.#elapsed = end;
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}

/** Lets promises and immediates that are due run. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}
