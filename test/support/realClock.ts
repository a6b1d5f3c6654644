import type { Clock } from '../../src/base/clock.ts';
import { toDisposable } from '../../src/base/disposable.ts';

/** The machine's own time. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(action, ms) {
    const timer = setTimeout(action, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};
