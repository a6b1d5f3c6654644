import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { GatewayCore } from '../core.ts';

/** How long running turns may take to end. */
const RUNNING_MS = 60_000;

export interface DrainOptions {
  readonly core: GatewayCore;
  readonly clock: Clock;
  readonly onDone: () => void;
}

/** Lets a gateway end for its successor: no new turns, running ones get a minute, waiting ones are taken over by the next gateway within their lease. */
export class Drain implements Disposable {
  readonly #options: DrainOptions;
  readonly #owned = new DisposableStore();
  #started = false;

  constructor(options: DrainOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    const { core, clock } = this.#options;
    core.drain();
    this.#owned.add(core.onCommitted(() => this.#look()));
    this.#owned.add(clock.setTimeout(() => this.#options.onDone(), RUNNING_MS));
    this.#owned.add(clock.setTimeout(() => this.#look(), 0));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #look(): void {
    const { liveTurns, waitingTurns } = this.#options.core.counts();
    if (liveTurns <= waitingTurns) this.#options.onDone();
  }
}
