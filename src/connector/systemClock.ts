import type { Clock } from '../base/clock.ts';
import { toDisposable } from '../base/disposable.ts';

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(action, ms) {
    const timer = setTimeout(action, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};
