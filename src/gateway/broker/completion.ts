import { isRecord } from '../../base/isRecord.ts';
import type { Logger } from '../../base/logger.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { TurnResult } from '../../protocol/host/commands.ts';
import type { ItemId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Deadlines } from '../deadlines.ts';
import { BY_GATEWAY, type Changes } from '../events/changes.ts';
import type { Change } from '../events/change.ts';
import type { ItemStore, OwnItem } from '../items/itemStore.ts';
import { mintId } from '../mint.ts';
import { readJson } from '../store/readJson.ts';
import type { TurnEnds, TurnOutcome } from './turnEnds.ts';
import type { TurnRow, TurnStore } from './turnStore.ts';

export interface CompletionOptions {
  readonly logger: Logger;
  readonly deadlines: Deadlines;
  readonly changes: Changes;
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly turnEnds: TurnEnds;
}

const RETRY_MS = 1000;

/** What a reserved result is that cannot be read any more. */
const UNREADABLE: TurnResult = { outcome: 'failed', code: 'store_unreadable', message: 'The result of this turn cannot be read any more.', next: 'Look at what it did above, then send the message again.' };

/** Second half of a completion: makes a reserved result known and releases the session. Also run at start-up for what a crash left. */
export class Completion {
  readonly #options: CompletionOptions;

  constructor(options: CompletionOptions) {
    this.#options = options;
  }

  /** Refuses a message that is missing, empty or too long. Reads only. */
  check(turn: TurnRow, result: TurnResult): void {
    if (result.outcome !== 'completed') return;
    const text = this.messageText(turn, result);
    if (text === undefined) throw new AttacheError('item_not_found');
    if (text.trim() === '') throw new AttacheError('response_empty');
    if (text.length > LIMITS.responseChars) throw new AttacheError('response_too_long');
  }

  /** The answer, wherever it is; undefined when it names an item that there is not. */
  messageText(turn: TurnRow, { message }: Extract<TurnResult, { outcome: 'completed' }>): string | undefined {
    if ('text' in message) return message.text;
    const item = this.#options.items.byKey(turn.turnId, message.itemKey);
    return item === undefined ? undefined : this.#options.items.textOf(item);
  }

  /** Idempotent: a turn that is not `completing` is returned as it is. */
  finish(turnId: TurnRow['turnId'], causedBy = BY_GATEWAY): TurnRow {
    const { changes, turns, turnEnds } = this.#options;
    return changes.commit(causedBy, 'lifecycle', (change) => {
      const turn = turns.get(turnId);
      if (turn.state !== 'completing' || turn.completion === null) return turn;
      const result = readJson(turn.completion, UNREADABLE, isRecord);
      this.#publishMessage(change, turn, result);
      return turnEnds.end(change, turn, outcomeOf(result));
    });
  }

  /** A result that was reserved and could not be published is tried again until it is: nothing else may end its turn. */
  finishLater(turnId: TurnRow['turnId']): void {
    const { deadlines, logger } = this.#options;
    deadlines.set(`finish:${turnId}`, RETRY_MS, () => {
      try {
        this.finish(turnId);
      } catch (error) {
        logger.warn(`the result of ${turnId} could not be published: ${String(error)}`);
        this.finishLater(turnId);
      }
    });
  }

  /** Kept as a notice that belongs to no turn any more; at most one for each turn. */
  keepLate(change: Change, turn: TurnRow, text: string): void {
    if (turn.lateResult === 1) return;
    this.#options.turns.markLateResult(turn);
    this.#insert(change, turn, { data: { kind: 'notice', level: 'warning', code: 'late_result' }, text: text.slice(0, LIMITS.responseChars) });
  }

  #publishMessage(change: Change, turn: TurnRow, result: TurnResult): void {
    if (result.outcome !== 'completed') return;
    const { items } = this.#options;
    if ('text' in result.message) {
      this.#insert(change, turn, { data: { kind: 'agent_message' }, text: result.message.text });
      return;
    }
    const item = items.byKey(turn.turnId, result.message.itemKey);
    if (item?.state === 'started') items.update(change, item, { state: 'completed' });
  }

  #insert(change: Change, turn: TurnRow, own: Pick<OwnItem, 'data' | 'text'>): void {
    this.#options.items.insertOwn(change, turn, { itemId: mintId<ItemId>('itm', change.now), state: 'completed', ...own });
  }
}

function outcomeOf(result: TurnResult): TurnOutcome {
  switch (result.outcome) {
    case 'completed':
      return { state: 'completed', stopReason: result.stopReason };
    case 'failed':
      return {
        state: 'failed', cause: result.code, detail: [result.message, result.next].filter((part) => part !== '').join(' '),
        ...(result.stopReason === undefined ? {} : { stopReason: result.stopReason }),
      };
    case 'cancelled':
      return { state: 'cancelled', ...(result.detail === undefined ? {} : { detail: result.detail }) };
  }
}
