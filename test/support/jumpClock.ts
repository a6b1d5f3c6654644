import type { Clock } from '../../src/base/clock.ts';
import { toDisposable, type Disposable } from '../../src/base/disposable.ts';

const longMs = 2_000;

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

/** The machine's time, which a test can move forward: what waits for long then need not be waited for. */
export class JumpClock implements Clock {
  readonly #long = new Set<Timer>();
  #jumped = 0;

  now(): number {
    return Date.now() + this.#jumped;
  }

  monotonic(): number {
    return performance.now() + this.#jumped;
  }

  setTimeout(action: () => void, ms: number): Disposable {
    if (ms < longMs) {
      const timer = setTimeout(action, ms);
      return toDisposable(() => clearTimeout(timer));
    }
    const long: Timer = { at: this.monotonic() + ms, action };
    this.#long.add(long);
    return toDisposable(() => this.#long.delete(long));
  }

  /** Number of timers that only a jump can end. */
  get waiting(): number {
    return this.#long.size;
  }

  jump(ms: number): void {
    const until = this.monotonic() + ms;
    this.#jumped += ms;
    for (const timer of [...this.#long].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)) {
      if (this.#long.delete(timer)) timer.action();
    }
  }
}
