import type { Logger } from '../../base/logger.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Scope } from '../../protocol/subscription/state.ts';
import type { TurnStore } from '../broker/turnStore.ts';
import type { Committed } from '../core.ts';
import type { Deadlines } from '../deadlines.ts';
import type { ItemStore } from '../items/itemStore.ts';
import type { Store } from '../store/store.ts';
import type { EventLog } from './eventLog.ts';
import type { ReadRow } from './eventRows.ts';
import { scopeKey } from './scopes.ts';

export interface LogPackerOptions {
  readonly store: Store;
  readonly log: EventLog;
  readonly items: ItemStore;
  readonly turns: TurnStore;
  readonly deadlines: Deadlines;
  readonly logger: Logger;
}

/** More is packed while it still comes in, a piece at a time; then the text that goes on growing is written once more, so that most turns are left alone until they end. */
const MUCH_BYTES = 512 * 1024;
/** As much is worth a segment once its turn has ended. */
const ENOUGH_BYTES = 16 * 1024;
/** Whoever waits for the end of a turn hears of it first. */
const SOON_MS = 20;

/** Packs what the event log need not keep as rows: after each turn, and while a lot comes in. */
export class LogPacker {
  readonly #options: LogPackerOptions;

  constructor(options: LogPackerOptions) {
    this.#options = options;
  }

  noteCommit({ scope, events }: Committed): void {
    const { rows, bytes } = this.#options.log.unpacked(scope);
    const hasEnded = events.some(({ type }) => type === 'turn.ended');
    if (hasEnded && bytes >= ENOUGH_BYTES) this.#later(scope, 1);
    else if (bytes >= MUCH_BYTES || rows >= LIMITS.replayEvents) this.#later(scope, LIMITS.replayEvents);
  }

  /** Goes on while there are so many rows, or a lot of bytes. */
  #later(scope: Scope, rows: number): void {
    const { deadlines, logger } = this.#options;
    const set = rows === 1 ? deadlines.set.bind(deadlines) : deadlines.setOnce.bind(deadlines);
    set(`pack:${scopeKey(scope)}`, SOON_MS, () => {
      try {
        this.#packOne(scope);
        const left = this.#options.log.unpacked(scope);
        if (left.rows >= rows || left.bytes >= MUCH_BYTES) this.#later(scope, rows);
      } catch (error) {
        // A full disk shows itself at the next command; what is not packed is as good as what is.
        logger.warn(`events could not be packed: ${String(error)}`);
      }
    });
  }

  /** One piece, in a transaction of its own: afterwards every event is there once, packed or not. */
  #packOne(scope: Scope): void {
    const { store, log } = this.#options;
    try {
      store.transaction('stream', () => this.#keepWhatTheyHeld(log.pack(scope)));
    } catch (error) {
      log.forgetScopes();
      throw error;
    }
  }

  #keepWhatTheyHeld(rows: readonly ReadRow[]): void {
    const { items, turns } = this.#options;
    items.keepDeltas(rows);
    const reports = new Map<TurnId, number>();
    for (const { turnId, reportSeq } of rows) if (turnId !== null && reportSeq !== null) reports.set(turnId, reportSeq);
    for (const [turnId, reportSeq] of reports) turns.setReportSeq(turnId, reportSeq);
  }
}
