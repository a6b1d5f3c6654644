import { Buffer } from 'node:buffer';
import type { Approval } from '../../protocol/approval/state.ts';
import type { Item } from '../../protocol/item/state.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { SessionPage } from '../../protocol/subscription/state.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import type { ApprovalStore } from '../approvals/approvalStore.ts';
import { publicTurn, type TurnRow, type TurnStore } from '../broker/turnStore.ts';
import type { ItemStore } from '../items/itemStore.ts';
import type { SessionRow } from './sessionStore.ts';

export interface PagesOptions {
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly approvals: ApprovalStore;
}

/** Where a page ends: before a turn, or before an item of it. */
export interface Place {
  readonly before: number;
  readonly beforeItem: number | null;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A page in the making. It is filled from its end to its beginning. */
class Draft {
  readonly turns: Turn[] = [];
  readonly items: Item[] = [];
  readonly approvals: Approval[] = [];
  room: number = LIMITS.snapshotBytes;
  earlierItem: number | null = null;
  /** Nothing that counts is there yet. The first item always has room, so that every page leads on. */
  isEmpty = true;

  /** False when there is no room for it. */
  take(item: Item, approvals: readonly Approval[]): boolean {
    const size = bytesOf([item, approvals]);
    if (size > this.room && !this.isEmpty) return false;
    this.isEmpty = false;
    this.room -= size;
    this.items.push(item);
    this.approvals.push(...approvals);
    return true;
  }

  page(): SessionPage {
    const { turns, items, approvals, earlierItem } = this;
    const first = turns.at(-1)?.turnIdx ?? 1;
    return {
      turns: turns.reverse(),
      items: items.reverse(),
      approvals: approvals.sort((a, b) => (a.approvalId < b.approvalId ? -1 : 1)),
      earlier: earlierItem !== null || first > 1 ? first : null,
      ...(earlierItem === null ? {} : { earlierItem }),
    };
  }
}

/** Cuts a session's transcript into pieces that fit into a frame, between any two items. */
export class Pages {
  readonly #options: PagesOptions;

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  /** The newest that fits before a place. Messages that wait are few, and all there whatever else is. */
  before(session: SessionRow, place: Place | null, limit: number): SessionPage {
    const draft = new Draft();
    const { turns } = this.#options;
    const rows = turns.page(session.sessionId, lastTurn(session, place), limit).reverse();
    for (const row of rows) {
      const from = place?.beforeItem !== null && row.turnIdx === place?.before ? place.beforeItem : Number.MAX_SAFE_INTEGER;
      if (row.state === 'queued' && !turns.isExpired(row)) this.#addWaiting(draft, row);
      else if (!this.#add(draft, row, from)) break;
    }
    return draft.page();
  }

  #addWaiting(draft: Draft, row: TurnRow): void {
    const { items } = this.#options;
    draft.turns.push(publicTurn(row));
    for (const item of items.before(row.sessionId, row.turnIdx, Number.MAX_SAFE_INTEGER)) draft.items.push(items.shown(item));
  }

  /** False when the page is full. */
  #add(draft: Draft, row: TurnRow, beforeItem: number): boolean {
    const { items, approvals } = this.#options;
    const turn = publicTurn(row);
    const size = bytesOf(turn);
    if (size > draft.room && !draft.isEmpty) return false;
    draft.room -= size;
    const asked = Map.groupBy(approvals.ofTurn(row.turnId), ({ itemId }) => itemId);
    let from = beforeItem;
    for (const item of items.before(row.sessionId, row.turnIdx, beforeItem)) {
      if (!draft.take(items.shown(item), asked.get(item.itemId) ?? [])) {
        // Not even its newest item fits: the turn begins the next page.
        if (from === beforeItem) return false;
        draft.earlierItem = from;
        break;
      }
      from = item.idx;
    }
    draft.isEmpty = false;
    draft.turns.push(turn);
    return draft.earlierItem === null;
  }
}

function lastTurn({ turnCount }: SessionRow, place: Place | null): number {
  if (place === null) return turnCount + 1;
  return place.beforeItem === null ? place.before : place.before + 1;
}
