import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { GatewayCore } from '../core.ts';

export interface IdleExitOptions {
  readonly core: GatewayCore;
  readonly clock: Clock;
  readonly connections: () => number;
  readonly onIdle: () => void;
}

/** Ends a gateway that nobody has used for ten minutes and that has nothing to look after. */
export class IdleExit implements Disposable {
  readonly #options: IdleExitOptions;
  readonly #owned = new DisposableStore();
  #timer: Disposable | null = null;

  constructor(options: IdleExitOptions) {
    this.#options = options;
    this.#owned.add(options.core.onCommitted(() => this.restart()));
    this.restart();
  }

  /** To be called whenever something happened: the ten minutes begin anew. */
  restart(): void {
    this.#timer?.dispose();
    this.#timer = null;
    if (this.#owned.isDisposed || this.#options.connections() > 0) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      const { liveTurns, pendingApprovals } = this.#options.core.counts();
      if (liveTurns === 0 && pendingApprovals === 0) this.#options.onIdle();
      else this.restart();
    }, LIMITS.idleExitMs);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#timer?.dispose();
  }
}
