import { isRecord } from '../../base/isRecord.ts';
import type { ItemId, ItemKey, SessionId, TurnId } from '../../protocol/ids.ts';
import type { Item, ItemData, ItemKind, ItemState } from '../../protocol/item/state.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Change } from '../events/change.ts';
import type { DeltaText, EventLog } from '../events/eventLog.ts';
import type { ReadRow } from '../events/eventRows.ts';
import { CHUNKS_PER_ITEM } from '../store/chunkNumbers.ts';
import { readJson } from '../store/readJson.ts';
import type { Store } from '../store/store.ts';
import { headOf, splitText } from './text.ts';

export interface ItemRow {
  readonly itemId: ItemId;
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly turnIdx: number;
  readonly idx: number;
  readonly itemKey: ItemKey | null;
  /** The report that started it. */
  readonly reportSeq: number | null;
  readonly state: ItemState;
  readonly outcome: Item['outcome'];
  readonly rev: number;
  /** JSON of ItemData. */
  readonly data: string;
  /** The full text once the item has ended; before that it is in the chunks. */
  readonly text: string;
  readonly textLength: number;
  readonly parentId: ItemId | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** A row that is in the store. */
export interface StoredItem extends ItemRow {
  readonly itemNo: number;
}

interface ChunkRow {
  readonly chunkNo: number;
  readonly offset: number;
  readonly length: number;
  readonly rev: number;
  readonly text: string;
}

export interface ItemChanges {
  readonly state?: ItemState;
  readonly outcome?: Item['outcome'];
  readonly data?: ItemData;
  /** Replaces the whole text. */
  readonly text?: string;
}

/** An item that no report started. */
export interface OwnItem {
  readonly itemId: ItemId;
  readonly state: ItemState;
  readonly data: ItemData;
  readonly text: string;
}

/** All but the text, which may be long. */
const COLUMNS = `itemNo, itemId, sessionId, turnId, turnIdx, idx, itemKey, reportSeq, state, outcome, rev, data, '' AS text, textLength, parentId, startedAt, endedAt`;
const ROWS_AT_ONCE = 100;
/** Longer than any text. */
const MOST = 2 ** 40;

/** A text as far as it is known here. */
interface Head {
  readonly text: string;
  readonly textLength: number;
}

const whole = (text: string): Head => ({ text, textLength: text.length });

export const kindOf = (row: Pick<ItemRow, 'data'>): ItemKind => dataOf(row).kind;

/** One that cannot be read is a notice that says so; its text is still there. */
const UNREADABLE: ItemData = { kind: 'notice', level: 'warning', code: 'store_unreadable' };

const dataOf = (row: Pick<ItemRow, 'data'>): ItemData => readJson(row.data, UNREADABLE, (value) => isRecord(value) && typeof value['kind'] === 'string');

/** Where the text of an item ends that still grows, and the item's newest revision: each piece counts one. */
interface End {
  readonly end: number;
  readonly rev: number;
}

type Chunk = Omit<ChunkRow, 'text'>;

/**
 * Rows of items and their growing texts. While a text streams its pieces are the events that told them, and chunks of what came before; when
 * the item has ended it is one column.
 */
export class ItemStore {
  readonly #store: Store;
  readonly #log: EventLog;

  constructor(store: Store, log: EventLog) {
    this.#store = store;
    this.#log = log;
  }

  find(itemId: ItemId): StoredItem | undefined {
    return this.#store.get<StoredItem>('SELECT * FROM items WHERE itemId = ?', itemId);
  }

  byKey(turnId: TurnId, itemKey: ItemKey): StoredItem | undefined {
    return this.#store.get<StoredItem>('SELECT * FROM items WHERE turnId = ? AND itemKey = ?', turnId, itemKey);
  }

  open(turnId: TurnId): StoredItem[] {
    return this.#store.all<StoredItem>(`SELECT * FROM items WHERE turnId = ? AND state = 'started' ORDER BY idx`, turnId);
  }

  startedBy(turnId: TurnId, reportSeq: number): { itemKey: ItemKey; itemId: ItemId }[] {
    return this.#store.all<{ itemKey: ItemKey; itemId: ItemId }>(
      'SELECT itemKey, itemId FROM items WHERE turnId = ? AND reportSeq = ? ORDER BY idx', turnId, reportSeq).map(({ itemKey, itemId }) => ({ itemKey, itemId }));
  }

  /** Items of a turn before a place, the newest first, without their texts. Read in pieces: a turn may be long. */
  *before(sessionId: SessionId, turnIdx: number, beforeIdx: number): Generator<StoredItem> {
    for (let from = beforeIdx; ; ) {
      const rows = this.#store.all<StoredItem>(
        `SELECT ${COLUMNS} FROM items WHERE sessionId = ? AND turnIdx = ? AND idx < ? ORDER BY idx DESC LIMIT ?`, sessionId, turnIdx, from, ROWS_AT_ONCE);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_AT_ONCE) return;
      from = last.idx;
    }
  }

  /** The newest items of a turn that have not ended, without their texts. */
  newestOpen(turnId: TurnId, limit: number): StoredItem[] {
    return this.#store.all<StoredItem>(`SELECT ${COLUMNS} FROM items WHERE turnId = ? AND state = 'started' ORDER BY idx DESC LIMIT ?`, turnId, limit);
  }

  /** Stores a new item with its text and tells it; one that starts in an ended state is told as started and ended. Gives what is told of it in the end. */
  insert(change: Change, row: ItemRow): Item {
    const ended = row.state !== 'started';
    const itemNo = this.#store.insert('items', { ...row, text: ended ? row.text : '' });
    if (!ended && row.text !== '') this.#putChunk(itemNo * CHUNKS_PER_ITEM, { offset: 0, text: row.text, rev: row.rev });
    const item = this.#public(row, whole(row.text), row.rev);
    const source = ended ? { kind: 'ended' as const, itemNo } : undefined;
    change.tellSession(row.sessionId, { type: 'item.started', item: ended ? { ...item, state: 'started', endedAt: null } : item }, source);
    if (ended) change.tellSession(row.sessionId, { type: 'item.ended', item }, source);
    return item;
  }

  /** Adds an item of the gateway's own at the end of a turn. */
  insertOwn(change: Change, turn: Pick<ItemRow, 'sessionId' | 'turnId' | 'turnIdx'>, own: OwnItem): Item {
    const { sessionId, turnId, turnIdx } = turn;
    const { itemId, state, data, text } = own;
    return this.insert(change, {
      itemId, sessionId, turnId, turnIdx, idx: this.nextIdx(turnId), itemKey: null, reportSeq: null, state, outcome: 'known', rev: 1,
      data: JSON.stringify(data), text, textLength: text.length, parentId: null, startedAt: change.now, endedAt: state === 'started' ? null : change.now,
    });
  }

  /** Takes the next place within a turn. */
  nextIdx(turnId: TurnId): number {
    const row = this.#store.get<{ itemCount: number }>('SELECT itemCount FROM turnProgress WHERE turnId = ?', turnId);
    const idx = row?.itemCount ?? 0;
    this.#store.run('UPDATE turnProgress SET itemCount = ? WHERE turnId = ?', idx + 1, turnId);
    return idx;
  }

  /** Adds streamed text by telling it, in pieces that fit into one event each. */
  append(change: Change, row: StoredItem, { text, reportSeq }: { readonly text: string; readonly reportSeq: number }): void {
    let { end, rev } = this.#end(row);
    for (const piece of splitText(text, LIMITS.inlineDataBytes)) {
      rev += 1;
      const { itemId, turnId, itemNo } = row;
      change.tellSession(row.sessionId, { type: 'item.delta', itemId, turnId, rev, offset: end, text: piece }, { kind: 'delta', itemNo, reportSeq });
      end += piece.length;
    }
  }

  /** Keeps pieces of texts that the event log is about to pack, as far as their items still grow. Part of a transaction. */
  keepDeltas(rows: readonly ReadRow[]): void {
    const pieces = Map.groupBy(rows.filter(({ rev }) => rev !== null), ({ itemNo }) => itemNo);
    for (const [itemNo, of] of pieces) {
      const last = itemNo === null || this.#hasEnded(itemNo) ? undefined : of.at(-1);
      if (last === undefined || itemNo === null) continue;
      const known = this.#lastChunk(itemNo);
      const newer = of.filter(({ rev }) => known === undefined || (rev ?? 0) > known.rev);
      const text = newer.map(({ event }) => event).join('');
      if (text !== '') this.#putChunk(known === undefined ? itemNo * CHUNKS_PER_ITEM : known.chunkNo + 1, { offset: (last.textEnd ?? 0) - text.length, text, rev: last.rev ?? 0 });
    }
  }

  update(change: Change, row: StoredItem, changes: ItemChanges): StoredItem {
    const stays = (changes.state ?? row.state) === 'started';
    const text = changes.text ?? (stays ? null : this.textOf(row));
    const next = this.#write(change, row, changes, text);
    if (stays && changes.text !== undefined) this.#putChunk(row.itemNo * CHUNKS_PER_ITEM, { offset: 0, text: changes.text, rev: next.rev });
    const item = text === null ? this.shown(next) : this.#public(next, whole(text), next.rev);
    const source = stays ? undefined : { kind: 'ended' as const, itemNo: row.itemNo };
    change.tellSession(row.sessionId, { type: !stays && row.state === 'started' ? 'item.ended' : 'item.updated', item }, source);
    return next;
  }

  /** The whole text, wherever it is. */
  textOf(row: StoredItem): string {
    if (row.state !== 'started') return row.text;
    return this.#streamed(row, 0, MOST);
  }

  /** What a client gets: the item with the head of its text. The row may have been read without it. */
  shown(row: StoredItem): Item {
    if (row.state !== 'started') return this.#public(row, { text: this.#headOfEnded(row), textLength: row.textLength }, row.rev);
    const { end, rev } = this.#end(row);
    return this.#public(row, { text: this.#streamed(row, 0, LIMITS.inlineDataBytes), textLength: end }, rev);
  }

  /** The item with its text from a place on, at most `bytes` of it. */
  from(row: StoredItem, offset: number, bytes: number): Item {
    const { end, rev } = row.state === 'started' ? this.#end(row) : { end: row.text.length, rev: row.rev };
    const text = row.state === 'started' ? this.#streamed(row, offset, Math.min(offset + bytes, MOST)) : row.text.slice(offset);
    return { ...this.#public(row, whole(''), rev), text: headOf(text, bytes), textLength: end };
  }

  /** `rev`: the newest, which pieces of text that stream in count, too. */
  #public(row: ItemRow, { text, textLength }: Head, rev: number): Item {
    const { itemId, sessionId, turnId, turnIdx, idx, state, outcome, parentId, startedAt, endedAt } = row;
    return {
      itemId, sessionId, turnId, turnIdx, idx, rev, state, outcome,
      text: headOf(text, LIMITS.inlineDataBytes), textLength, data: dataOf(row), parentId, startedAt, endedAt,
    };
  }

  /** The beginning of the text, long enough for any head that is shown. */
  #headOfEnded(row: StoredItem): string {
    // A text that SQLite cannot keep as it is is stored in another form, which must not be cut.
    const found = this.#store.get<{ text: string }>(
      'SELECT CASE WHEN unicode(text) = 1 THEN text ELSE substr(text, 1, ?) END AS text FROM items WHERE itemNo = ?', LIMITS.inlineDataBytes, row.itemNo);
    return found?.text ?? '';
  }

  /** A text that still grows, from one place at least up to another. */
  #streamed({ itemNo, sessionId }: StoredItem, from: number, to: number): string {
    const chunks = this.#store.all<{ offset: number; text: string }>(
      'SELECT offset, text FROM itemChunks WHERE chunkNo >= ? AND chunkNo < ? AND offset < ? AND offset + length > ? ORDER BY chunkNo', itemNo * CHUNKS_PER_ITEM, (itemNo + 1) * CHUNKS_PER_ITEM, to, from);
    const deltas = this.#log.deltas(sessionId, itemNo, { sinceRev: this.#lastChunk(itemNo)?.rev ?? 0, from, to });
    const pieces = [...chunks, ...deltas.map(({ textEnd, text }) => ({ offset: textEnd - text.length, text }))];
    return pieces.map(({ text }) => text).join('').slice(from - (pieces[0]?.offset ?? from));
  }

  #write(change: Change, row: StoredItem, changes: ItemChanges, text: string | null): StoredItem {
    const state = changes.state ?? row.state;
    const ended = state !== 'started';
    const patch: Partial<ItemRow> = {
      state,
      outcome: changes.outcome ?? row.outcome,
      rev: (row.state === 'started' ? this.#end(row).rev : row.rev) + 1,
      ...(changes.data === undefined ? {} : { data: JSON.stringify(changes.data) }),
      ...(ended && text !== null ? { text, textLength: text.length, endedAt: row.endedAt ?? change.now } : {}),
    };
    this.#store.patch('items', { itemId: row.itemId }, patch);
    if (row.state === 'started' && (ended || changes.text !== undefined)) this.#dropChunks(row);
    return { ...row, ...patch };
  }

  #end({ itemNo, sessionId, rev }: StoredItem): End {
    const chunk = this.#lastChunk(itemNo);
    const delta: Omit<DeltaText, 'text'> | undefined = this.#log.lastDelta(sessionId, itemNo, chunk?.rev ?? 0);
    const end = delta?.textEnd ?? (chunk === undefined ? 0 : chunk.offset + chunk.length);
    return { end, rev: Math.max(rev, delta?.rev ?? chunk?.rev ?? 0) };
  }

  #lastChunk(itemNo: number): Chunk | undefined {
    return this.#store.get<Chunk>(
      'SELECT chunkNo, offset, length, rev FROM itemChunks WHERE chunkNo >= ? AND chunkNo < ? ORDER BY chunkNo DESC LIMIT 1', itemNo * CHUNKS_PER_ITEM, (itemNo + 1) * CHUNKS_PER_ITEM);
  }

  #hasEnded(itemNo: number): boolean {
    return this.#store.get<{ state: ItemState }>('SELECT state FROM items WHERE itemNo = ?', itemNo)?.state !== 'started';
  }

  #dropChunks({ itemNo }: StoredItem): void {
    this.#store.run('DELETE FROM itemChunks WHERE chunkNo >= ? AND chunkNo < ?', itemNo * CHUNKS_PER_ITEM, (itemNo + 1) * CHUNKS_PER_ITEM);
  }

  #putChunk(chunkNo: number, piece: { readonly offset: number; readonly text: string; readonly rev: number }): void {
    this.#store.insert('itemChunks', { chunkNo, offset: piece.offset, length: piece.text.length, rev: piece.rev, text: piece.text });
  }
}
