import type { Logger } from '../../base/logger.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { Deadlines } from '../deadlines.ts';
import { BY_GATEWAY, type Changes } from '../events/changes.ts';
import type { TurnEnds } from './turnEnds.ts';
import type { TurnStore } from './turnStore.ts';

export interface CancelGraceOptions {
  readonly logger: Logger;
  readonly deadlines: Deadlines;
  readonly changes: Changes;
  readonly turns: TurnStore;
  readonly turnEnds: TurnEnds;
}

const RETRY_MS = 1000;

/** The time a host has to confirm that it stopped. When it is over nobody knows, and the turn says so. */
export class CancelGrace {
  readonly #options: CancelGraceOptions;

  constructor(options: CancelGraceOptions) {
    this.#options = options;
  }

  begin(turnId: TurnId, ms: number): void {
    this.#options.deadlines.set(`cancel:${turnId}`, ms, () => this.#end(turnId));
  }

  #end(turnId: TurnId): void {
    const { changes, turns, turnEnds, logger } = this.#options;
    try {
      if (turns.get(turnId).state !== 'cancelling') return;
      changes.commit(BY_GATEWAY, 'lifecycle', (change) => turnEnds.end(change, turns.get(turnId), { state: 'interrupted', cause: 'cancel_unconfirmed' }));
    } catch (error) {
      logger.warn(`the cancel of ${turnId} could not be ended: ${String(error)}`);
      this.begin(turnId, RETRY_MS);
    }
  }
}
