import { AttacheError } from '../../protocol/errors.ts';
import type { ItemId, TurnId } from '../../protocol/ids.ts';
import type { Change } from '../events/change.ts';
import type { ItemStore } from '../items/itemStore.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow, TurnStore } from './turnStore.ts';

export interface QueueOrderOptions {
  readonly store: Store;
  readonly turns: TurnStore;
  readonly items: ItemStore;
}

/** Gives waiting turns another order: they change places among themselves, with the messages that people see of them. */
export class QueueOrder {
  readonly #options: QueueOrderOptions;

  constructor(options: QueueOrderOptions) {
    this.#options = options;
  }

  /** All that wait must be named, so that a change that was not seen is not overruled. */
  apply(change: Change, pending: readonly TurnRow[], wanted: readonly TurnId[]): TurnRow[] {
    const byId = new Map(pending.map((turn) => [turn.turnId, turn]));
    const rows = [...new Set(wanted)].flatMap((turnId) => byId.get(turnId) ?? []);
    if (rows.length !== pending.length || wanted.length !== pending.length) {
      throw new AttacheError('revision_conflict', { entity: { turnIds: pending.map(({ turnId }) => turnId) } });
    }
    return this.#move(change, rows, pending.map(({ turnIdx }) => turnIdx));
  }

  #move(change: Change, rows: readonly TurnRow[], places: readonly number[]): TurnRow[] {
    const moving = rows.filter((row, at) => row.turnIdx !== places[at]);
    // Two turns never have one place, not even for a moment.
    for (const row of moving) this.#place(row, -row.turnIdx);
    return rows.map((row, at) => {
      const turnIdx = places[at] ?? row.turnIdx;
      if (turnIdx === row.turnIdx) return row;
      this.#place(row, turnIdx);
      return this.#tell(change, row, turnIdx);
    });
  }

  #place({ turnId }: TurnRow, turnIdx: number): void {
    this.#options.store.run('UPDATE turns SET turnIdx = ? WHERE turnId = ?', turnIdx, turnId);
    this.#options.store.run('UPDATE items SET turnIdx = ? WHERE turnId = ?', turnIdx, turnId);
  }

  #tell(change: Change, row: TurnRow, turnIdx: number): TurnRow {
    const { store, turns, items } = this.#options;
    for (const { itemId } of store.all<{ itemId: ItemId }>('SELECT itemId FROM items WHERE turnId = ? ORDER BY idx', row.turnId)) {
      const item = items.find(itemId);
      if (item !== undefined) items.update(change, item, {});
    }
    return turns.patch(change, row, { turnIdx });
  }
}
