import type { Disposable } from './disposable.ts';

/** The one source of time, so that a test can drive it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC; may jump. */
  now(): number;
  /** Milliseconds that only grow; the base of every lease, timeout and interval. */
  monotonic(): number;
  /** Calls once after `ms`; never before the caller has returned. */
  setTimeout(action: () => void, ms: number): Disposable;
}
