import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { LIMITS } from '../protocol/limits.ts';

export interface LeaseWatchOptions {
  readonly clock: Clock;
  /** Sends a sign of life. */
  readonly renew: () => Promise<void>;
  /** No answer for so long that the gateway may give the turn up soon: everything must end now. */
  readonly onCutOff: () => void;
}

/** Keeps the lease of one turn alive, and knows when it can no longer be relied upon. */
export class LeaseWatch implements Disposable {
  readonly #options: LeaseWatchOptions;
  #lastAnswer: number;
  #renewTimer: Disposable | null = null;
  #cutOffTimer: Disposable | null = null;
  #renewing = false;
  #disposed = false;

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
    this.#lastAnswer = options.clock.monotonic();
    this.#armRenew();
    this.#armCutOff(LIMITS.hostSelfStopMs);
  }

  /** The gateway has answered. */
  answered(): void {
    this.#lastAnswer = this.#options.clock.monotonic();
  }

  /** False once nothing new may be begun. */
  get mayAct(): boolean {
    return !this.#disposed && this.#silence < LIMITS.hostNoNewEffectMs;
  }

  dispose(): void {
    this.#disposed = true;
    this.#renewTimer?.dispose();
    this.#cutOffTimer?.dispose();
  }

  get #silence(): number {
    return this.#options.clock.monotonic() - this.#lastAnswer;
  }

  #armRenew(): void {
    this.#renewTimer = this.#options.clock.setTimeout(() => {
      if (this.#disposed) return;
      this.#armRenew();
      // One that waits for a link is enough.
      if (this.#renewing) return;
      this.#renewing = true;
      void this.#options.renew().catch(() => undefined).finally(() => { this.#renewing = false; });
    }, LIMITS.renewMs);
  }

  #armCutOff(ms: number): void {
    this.#cutOffTimer = this.#options.clock.setTimeout(() => {
      if (this.#disposed) return;
      const left = LIMITS.hostSelfStopMs - this.#silence;
      if (left > 0) this.#armCutOff(left);
      else this.#options.onCutOff();
    }, ms);
  }
}
