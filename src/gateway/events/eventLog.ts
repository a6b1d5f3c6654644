import type { CausedBy } from '../../protocol/envelope.ts';
import type { SessionId, TurnId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { AnyEvent, SessionEventBody, WorkspaceEventBody } from '../../protocol/subscription/events.ts';
import type { Scope } from '../../protocol/subscription/state.ts';
import type { LogEnds } from '../core.ts';
import type { Store } from '../store/store.ts';
import { eventsAfter, joinEvents, type EncodedEvents } from './encodedEvents.ts';
import { jsonOf, READ_ROWS, rowOf, type ReadRow, type TextSource } from './eventRows.ts';
import { keyOf, keysOf, Scopes, seqOf, type ScopeState } from './scopes.ts';
import { Segments } from './segments.ts';

export interface Stamp {
  readonly at: number;
  readonly causedBy: CausedBy;
}

/** A piece of a streamed text, as its event keeps it. */
export interface DeltaText {
  readonly rev: number;
  readonly textEnd: number;
  readonly text: string;
}

export interface RetentionLimits {
  readonly retainedEvents: number;
  readonly retainedBytes: number;
}

/** The numbers of the first and the last row of a scope, null where there is none, and what lies between. */
interface RowSums {
  readonly count: number;
  readonly bytes: number;
  readonly first: number | null;
  readonly last: number | null;
}

interface LastRows {
  readonly scopeNo: number;
  readonly head: number;
  readonly after: number;
  readonly limit: number;
  readonly events: EncodedEvents;
}

const NO_ROWS: RowSums = { count: 0, bytes: 0, first: null, last: null };

/** So much is packed in one go: some milliseconds of work. */
const SEGMENT_BYTES = 256 * 1024;

/** How many of the first ones together stay within so many bytes; at least one. */
function fitting(sizes: readonly { readonly bytes: number }[], room: number): number {
  let left = room;
  const over = sizes.findIndex(({ bytes }) => (left -= bytes) < 0);
  return over < 0 ? sizes.length : Math.max(1, over);
}

const encoded = (scopeNo: number, first: ReadRow, rows: readonly ReadRow[]): EncodedEvents =>
  joinEvents(seqOf(scopeNo, first.eventNo), rows.map((row) => jsonOf(row, seqOf(scopeNo, row.eventNo))));

/**
 * The durable events of every scope, numbered without a gap from 1 inside the transaction that changes the state. New ones are rows; older
 * ones are packed into segments and handed out as they are; the oldest are dropped once there are too many. Items, turns and approvals stay whole.
 */
export class EventLog {
  readonly #store: Store;
  readonly #limits: RetentionLimits;
  readonly #scopes: Scopes;
  readonly #segments: Segments;
  /** What was read last of rows: all who follow a session come to its newest events at the same time. */
  #lastRows: LastRows | null = null;

  constructor(store: Store, limits: RetentionLimits = LIMITS) {
    this.#store = store;
    this.#limits = limits;
    this.#segments = new Segments(store);
    this.#scopes = new Scopes(store, (scopeNo) => this.#load(scopeNo));
  }

  /** The oldest number that can be read, and the newest; 0 before the first event. */
  kept(scope: Scope): LogEnds {
    const { first, head } = this.#scopes.find(scope) ?? { first: 1, head: 0 };
    return { first, head };
  }

  /** What is not packed yet. */
  unpacked(scope: Scope): { readonly rows: number; readonly bytes: number } {
    const state = this.#scopes.find(scope);
    return { rows: state?.rows ?? 0, bytes: state?.rowBytes ?? 0 };
  }

  /** Numbers and stores one event. Part of a transaction; `forgetScopes` is to be called when that is taken back. */
  append(scope: Scope, body: SessionEventBody | WorkspaceEventBody, { at, causedBy }: Stamp, source?: TextSource): AnyEvent {
    const state = this.#scopes.findOrAdd(scope);
    const event: AnyEvent = { seq: state.head + 1, at, causedBy, ...body };
    const row = rowOf(keyOf(state.scopeNo, event.seq), event, source);
    this.#store.insert('events', { ...row });
    state.head += 1;
    state.rows += 1;
    state.rowBytes += row.event.length;
    return event;
  }

  /** What is kept at hand about scopes may be wrong: a transaction was taken back. */
  forgetScopes(): void {
    this.#lastRows = null;
    this.#scopes.forget();
    this.#segments.forget();
  }

  /** At most `limit` events after a place, and no more of them than fit into one replay batch; at least one where there is one. */
  read(scope: Scope, after: number, limit: number): EncodedEvents | null {
    const state = this.#scopes.find(scope);
    if (state === undefined || after >= state.head) return null;
    const segment = state.packed === 0 ? undefined : this.#segments.find(state.scopeNo, Math.max(after + 1, state.first));
    const events = segment ?? this.#readRows(state, after, limit);
    return events === null ? null : eventsAfter(events, after, limit);
  }

  /** The pieces of an item's text between two places that have come since a revision and that are not packed yet, and perhaps one more. */
  deltas(sessionId: SessionId, itemNo: number, { sinceRev, from, to }: { readonly sinceRev: number; readonly from: number; readonly to: number }): DeltaText[] {
    const scopeNo = this.#scopes.find({ session: sessionId })?.scopeNo ?? -1;
    return this.#store.all<DeltaText>(
      `SELECT rev, textEnd, event AS text FROM events WHERE eventNo > ? AND eventNo < ? AND itemNo = ? AND rev > ? AND textEnd > ? AND textEnd <= ? ORDER BY eventNo`,
      ...keysOf(scopeNo), itemNo, sinceRev, from, to + LIMITS.inlineDataBytes);
  }

  /** The last of these pieces, without its text. */
  lastDelta(sessionId: SessionId, itemNo: number, sinceRev: number): Omit<DeltaText, 'text'> | undefined {
    const scopeNo = this.#scopes.find({ session: sessionId })?.scopeNo ?? -1;
    return this.#store.get<Omit<DeltaText, 'text'>>(
      'SELECT rev, textEnd FROM events WHERE eventNo > ? AND eventNo < ? AND itemNo = ? AND rev > ? ORDER BY eventNo DESC LIMIT 1', ...keysOf(scopeNo), itemNo, sinceRev);
  }

  /** The report that brought the newest piece of text, and its turn. */
  lastReport(sessionId: SessionId): { readonly turnId: TurnId; readonly reportSeq: number } | undefined {
    const scopeNo = this.#scopes.find({ session: sessionId })?.scopeNo ?? -1;
    return this.#store.get(
      `SELECT i.turnId, e.reportSeq FROM events AS e JOIN items AS i ON i.itemNo = e.itemNo
         WHERE e.eventNo > ? AND e.eventNo < ? AND e.reportSeq IS NOT NULL ORDER BY e.eventNo DESC LIMIT 1`, ...keysOf(scopeNo));
  }

  /**
   * Packs the oldest rows of a scope into one segment and drops what is then too much. Part of a transaction. Gives back the rows that are
   * gone, for whoever needs what only they held; none when there are none.
   */
  pack(scope: Scope): ReadRow[] {
    const state = this.#scopes.find(scope);
    if (state === undefined) return [];
    const { scopeNo } = state;
    const rows = this.#rows(scopeNo, state.head - state.rows, LIMITS.replayEvents, SEGMENT_BYTES);
    const [oldest] = rows;
    if (oldest === undefined) return [];
    const segment = encoded(scopeNo, oldest, rows);
    // In this order the segment takes the place of its rows: fewer pages are written, and the file grows less.
    this.#store.run('DELETE FROM events WHERE eventNo >= ? AND eventNo <= ?', keyOf(scopeNo, segment.first), keyOf(scopeNo, segment.last));
    this.#segments.put(scopeNo, segment);
    state.rows -= rows.length;
    state.rowBytes = state.rows === 0 ? 0 : state.rowBytes - rows.reduce((sum, { event }) => sum + event.length, 0);
    state.packed += rows.length;
    state.packedBytes += segment.json.length;
    this.#dropTooMuch(state);
    return rows;
  }

  /** Removes a scope with all its events. */
  forget(scope: Scope): void {
    const state = this.#scopes.find(scope);
    if (state === undefined) return;
    this.#lastRows = null;
    this.#store.run('DELETE FROM events WHERE eventNo > ? AND eventNo < ?', ...keysOf(state.scopeNo));
    this.#segments.dropAll(state.scopeNo);
    this.#scopes.remove(scope);
  }

  /** The newest event always stays: the numbers go on from it. */
  #dropTooMuch(state: ScopeState): void {
    const { retainedEvents, retainedBytes } = this.#limits;
    while (state.head - state.first + 1 > retainedEvents || state.packedBytes + state.rowBytes > retainedBytes) {
      const oldest = this.#segments.oldest(state.scopeNo);
      if (oldest === undefined || oldest.count >= state.packed + state.rows) return;
      this.#segments.drop(oldest);
      state.packed -= oldest.count;
      state.packedBytes -= oldest.bytes;
      state.first += oldest.count;
    }
  }

  /** As many as were asked for, or as fit; from the last reading when it began at the same place and nothing has come since. */
  #readRows({ scopeNo, head }: ScopeState, after: number, limit: number): EncodedEvents | null {
    const last = this.#lastRows;
    if (last !== null && last.scopeNo === scopeNo && last.head === head && last.after === after && last.limit >= limit) return last.events;
    const rows = this.#rows(scopeNo, after, limit, LIMITS.replayBytes);
    const [first] = rows;
    const events = first === undefined ? null : encoded(scopeNo, first, rows);
    this.#lastRows = events === null || events.json.length > SEGMENT_BYTES ? null : { scopeNo, head, after, limit, events };
    return events;
  }

  #rows(scopeNo: number, after: number, limit: number, bytes: number): ReadRow[] {
    const [from, to] = [keyOf(scopeNo, after), keyOf(scopeNo + 1, 0)];
    const sizes = this.#store.all<{ bytes: number }>('SELECT octet_length(event) AS bytes FROM events WHERE eventNo > ? AND eventNo < ? ORDER BY eventNo LIMIT ?', from, to, limit);
    return this.#store.all<ReadRow>(READ_ROWS, from, to, fitting(sizes, bytes));
  }

  #load(scopeNo: number): ScopeState {
    const rows = this.#store.get<RowSums>(
      'SELECT count(*) AS count, coalesce(sum(octet_length(event)), 0) AS bytes, min(eventNo) - ?1 AS first, max(eventNo) - ?1 AS last FROM events WHERE eventNo > ?1 AND eventNo < ?2', ...keysOf(scopeNo))
      ?? NO_ROWS;
    const ends = this.#segments.ends(scopeNo);
    const { count: packed, bytes: packedBytes } = this.#segments.sums(scopeNo);
    return { scopeNo, first: ends?.first ?? rows.first ?? 1, head: rows.last ?? ends?.last ?? 0, rows: rows.count, rowBytes: rows.bytes, packed, packedBytes };
  }
}
