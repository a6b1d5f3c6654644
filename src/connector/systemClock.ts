import type { Clock } from '../base/clock.ts';
import { toDisposable } from '../base/disposable.ts';

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Not `performance`, which Node loads only when it is asked for, at a price.
  monotonic: () => process.uptime() * 1000,
  setTimeout(action, ms) {
    const timer = setTimeout(action, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};
