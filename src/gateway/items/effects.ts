import type { ApprovalId, Digest, ItemId, TurnId } from '../../protocol/ids.ts';
import type { Store } from '../store/store.ts';

export interface EffectStart {
  readonly itemId: ItemId;
  readonly approvalId: ApprovalId;
  readonly turnId: TurnId;
  readonly actionDigest: Digest;
}

/** Intent records of acts on the world, and whether somebody saw their end. One approval starts at most one act of an item. */
export class Effects {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  begin(start: EffectStart, now: number): void {
    this.#store.insert('effects', { ...start, begunAt: now, endedAt: null });
  }

  wasStartedBy(approvalId: ApprovalId, itemId: ItemId): boolean {
    return this.#store.get('SELECT 1 FROM effects WHERE itemId = ? AND approvalId = ?', itemId, approvalId) !== undefined;
  }

  /** Begun, and nobody saw its end. */
  isOpen(itemId: ItemId): boolean {
    return this.#store.get('SELECT 1 FROM effects WHERE itemId = ? AND endedAt IS NULL', itemId) !== undefined;
  }

  end(itemId: ItemId, now: number): void {
    this.#store.run('UPDATE effects SET endedAt = ? WHERE itemId = ? AND endedAt IS NULL', now, itemId);
  }
}
