import { setImmediate as nextRound } from 'node:timers/promises';
import type { AbortSignalLike } from '../../base/abort.ts';
import { SerialQueue } from '../../base/serialQueue.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { ItemData } from '../../protocol/item/state.ts';
import type { SearchHit } from '../../protocol/session/commands.ts';
import type { ItemStore, StoredItem } from '../items/itemStore.ts';
import type { SessionRow } from '../sessions/sessionStore.ts';
import { ITEM_KIND } from '../store/readJson.ts';
import type { Store } from '../store/store.ts';
import { searchable, SEARCHABLE_KINDS } from './searchable.ts';
import type { WordSearch } from './wordSearch.ts';

/** Where a search goes on: in the titles, newest activity first, then in the items, the newest first. */
export type SearchPlace = { readonly in: 'titles'; readonly before: { readonly updatedAt: number; readonly sessionId: string } | null } | { readonly in: 'items'; readonly before: number };

export interface SearchOptions {
  readonly workspace: string;
  readonly words: WordSearch;
  readonly limit: number;
  readonly from: SearchPlace;
  readonly signal: AbortSignalLike;
}

export interface Found {
  readonly hits: SearchHit[];
  readonly next: SearchPlace | null;
}

/** One slice looks at no more than this, unless a single item is larger. */
const SLICE_ITEMS = 200;
const SLICE_BYTES = 256 * 1024;
const SLICE_TITLES = 200;
/** One search looks at no more than this; the rest is asked for with its cursor. */
const SEARCH_BYTES = 32 * 1024 * 1024;
const SEARCH_SLICES = 2000;

const FIRST_ITEM = Number.MAX_SAFE_INTEGER;

/** A search in the making. */
interface Search extends SearchOptions {
  readonly hits: SearchHit[];
  bytes: number;
}

interface Size {
  readonly itemNo: number;
  readonly bytes: number;
}

/**
 * Searches by looking, without an index: that would cost each streamed text more writing than it may. One slice of one search runs at a time and
 * everything else gets its turn in between, so that nobody waits for longer than a slice.
 */
export class TranscriptSearch {
  readonly #store: Store;
  readonly #items: ItemStore;
  readonly #slices = new SerialQueue();

  constructor(store: Store, items: ItemStore) {
    this.#store = store;
    this.#items = items;
  }

  async run(options: SearchOptions): Promise<Found> {
    const search: Search = { ...options, hits: [], bytes: 0 };
    let place: SearchPlace | null = options.from;
    for (let slices = 0; place !== null && slices < SEARCH_SLICES && search.hits.length < search.limit && search.bytes < SEARCH_BYTES; slices++) {
      const from: SearchPlace = place;
      place = from.in === 'titles' ? await this.#slice(search, () => this.#titles(search, from.before)) : await this.#itemSlice(search, from.before);
    }
    return { hits: this.#visible(search.hits), next: place };
  }

  /** Runs when everything else has had its turn. Whoever no longer waits is not worked for. */
  #slice<T>({ signal }: Search, work: () => T): Promise<T> {
    return this.#slices.run(async () => {
      await nextRound();
      if (signal.aborted) throw new AttacheError('connection_closed');
      return work();
    });
  }

  #titles(search: Search, before: Extract<SearchPlace, { in: 'titles' }>['before']): SearchPlace {
    const rows = this.#store.all<Pick<SessionRow, 'sessionId' | 'title' | 'updatedAt'>>(
      `SELECT sessionId, title, updatedAt FROM sessions WHERE workspace = ?1 AND deletedAt IS NULL AND (?2 IS NULL OR updatedAt < ?2 OR (updatedAt = ?2 AND sessionId < ?3))
       ORDER BY updatedAt DESC, sessionId DESC LIMIT ?4`, search.workspace, before?.updatedAt ?? null, before?.sessionId ?? null, SLICE_TITLES);
    for (const { sessionId, title, updatedAt } of rows) {
      const excerpt = finish(search.words.look([title]));
      if (excerpt !== null) search.hits.push({ sessionId, turnId: null, itemId: null, kind: 'session_title', at: updatedAt, ...excerpt });
      if (search.hits.length >= search.limit) return { in: 'titles', before: { updatedAt, sessionId } };
    }
    const last = rows.at(-1);
    return last === undefined || rows.length < SLICE_TITLES ? { in: 'items', before: FIRST_ITEM } : { in: 'titles', before: { updatedAt: last.updatedAt, sessionId: last.sessionId } };
  }

  /** Reading the next items is one slice; looking into a long one of them takes several more. */
  async #itemSlice(search: Search, before: number): Promise<SearchPlace | null> {
    const { rows, bytes, next } = await this.#slice(search, () => this.#read(search.workspace, before));
    search.bytes += bytes;
    for (const row of rows) {
      await this.#lookAt(search, row);
      if (search.hits.length >= search.limit) return { in: 'items', before: row.itemNo };
    }
    return next === null ? null : { in: 'items', before: next };
  }

  #read(workspace: string, before: number): { readonly rows: StoredItem[]; readonly bytes: number; readonly next: number | null } {
    const { sizes, end } = this.#sizes(workspace, before);
    const [first, last] = [sizes[0], sizes.at(-1)];
    if (first === undefined || last === undefined) return { rows: [], bytes: 0, next: end };
    return { rows: this.#rows(workspace, first.itemNo, last.itemNo), bytes: sizes.reduce((sum, size) => sum + size.bytes, 0), next: last.itemNo };
  }

  /** The next items in a range of numbers, as many as one slice may look at. `end`: where to go on when there are none; null at the very end. */
  #sizes(workspace: string, before: number): { readonly sizes: Size[]; readonly end: number | null } {
    const top = this.#store.get<{ itemNo: number }>('SELECT itemNo FROM items WHERE itemNo < ? ORDER BY itemNo DESC LIMIT 1', before)?.itemNo;
    if (top === undefined) return { sizes: [], end: null };
    const bottom = top - SLICE_ITEMS;
    const all = this.#store.all<Size>(
      `SELECT i.itemNo, octet_length(i.data) + max(octet_length(i.text), i.textLength) AS bytes FROM items AS i WHERE i.itemNo <= ? AND i.itemNo > ? AND i.sessionId IN ${SESSIONS} ORDER BY i.itemNo DESC`,
      top, bottom, workspace);
    let room = SLICE_BYTES;
    const over = all.findIndex(({ bytes }) => (room -= bytes) < 0);
    return { sizes: over < 0 ? all : all.slice(0, Math.max(1, over)), end: bottom + 1 };
  }

  #rows(workspace: string, from: number, to: number): StoredItem[] {
    return this.#store.all<StoredItem>(
      `SELECT * FROM items WHERE itemNo <= ? AND itemNo >= ? AND sessionId IN ${SESSIONS} AND ${ITEM_KIND} IN ${SEARCHABLE_KINDS} ORDER BY itemNo DESC`, from, to, workspace);
  }

  async #lookAt(search: Search, row: StoredItem): Promise<void> {
    const found = searchable(JSON.parse(row.data) as ItemData, () => this.#items.textOf(row));
    if (found === null) return;
    const look = search.words.look(found.texts);
    let step = look.next();
    while (step.done !== true) step = await this.#slice(search, () => look.next());
    if (step.value === null) return;
    const { sessionId, turnId, itemId, startedAt } = row;
    search.hits.push({ sessionId, turnId, itemId, kind: found.kind, at: startedAt, ...step.value });
  }

  /** What was deleted while the search went on is not found any more. */
  #visible(hits: readonly SearchHit[]): SearchHit[] {
    const ids = [...new Set(hits.map(({ sessionId }) => sessionId))];
    const visible = new Set(this.#store.all<{ sessionId: SessionId }>(
      'SELECT sessionId FROM sessions WHERE deletedAt IS NULL AND sessionId IN (SELECT value FROM json_each(?))', JSON.stringify(ids)).map(({ sessionId }) => sessionId));
    return hits.filter(({ sessionId }) => visible.has(sessionId));
  }
}

const SESSIONS = '(SELECT sessionId FROM sessions WHERE workspace = ? AND deletedAt IS NULL)';

/** For texts that are short. */
function finish<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
