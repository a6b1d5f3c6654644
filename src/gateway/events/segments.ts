import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Store } from '../store/store.ts';
import type { EncodedEvents } from './encodedEvents.ts';
import { keyOf, keysOf, seqOf } from './scopes.ts';

export interface SegmentSums {
  readonly count: number;
  readonly bytes: number;
}

interface Place {
  readonly eventNo: number;
  readonly count: number;
}

export type Segment = Place & SegmentSums;

interface Unpacked extends EncodedEvents {
  readonly scopeNo: number;
}

/** Unpacked segments that somebody reads are likely to be read by others at the same time. */
const CACHE_BYTES = 4 * 1024 * 1024;
/** About 2 ms for 150 KB, between commits. Lower ones are three times as fast and leave the file larger than a text and a half. */
const QUALITY = 5;
/** zlib takes none smaller. */
const MIN_CHUNK = 64;

/** Older events, packed: many in one row, ready to be handed out as they are. */
export class Segments {
  readonly #store: Store;
  /** By their number, the least recently read first. */
  readonly #unpacked = new Map<number, Unpacked>();
  #bytes = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  put(scopeNo: number, { first, last, json }: EncodedEvents): void {
    const packed = brotliCompressSync(json, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: json.length } });
    this.#store.insert('eventSegments', { eventNo: keyOf(scopeNo, first), count: last - first + 1, bytes: json.length, packed });
  }

  /** The segment that holds an event. */
  find(scopeNo: number, seq: number): EncodedEvents | undefined {
    const known = this.#known(scopeNo, seq);
    if (known !== undefined) return known;
    const found = this.#store.get<Place>(
      'SELECT eventNo, count FROM eventSegments WHERE eventNo > ? AND eventNo <= ? ORDER BY eventNo DESC LIMIT 1', keyOf(scopeNo, 0), keyOf(scopeNo, seq));
    if (found === undefined) return undefined;
    const first = seqOf(scopeNo, found.eventNo);
    const last = first + found.count - 1;
    return seq > last ? undefined : this.#unpack(found.eventNo, { scopeNo, first, last });
  }

  /** The numbers of the first and the last event of a scope that are packed. */
  ends(scopeNo: number): { readonly first: number; readonly last: number } | undefined {
    const end = (order: 'ASC' | 'DESC'): Place | undefined => this.#store.get<Place>(
      `SELECT eventNo, count FROM eventSegments WHERE eventNo > ? AND eventNo < ? ORDER BY eventNo ${order} LIMIT 1`, ...keysOf(scopeNo));
    const [first, last] = [end('ASC'), end('DESC')];
    return first === undefined || last === undefined ? undefined : { first: seqOf(scopeNo, first.eventNo), last: seqOf(scopeNo, last.eventNo) + last.count - 1 };
  }

  sums(scopeNo: number): SegmentSums {
    return this.#store.get<SegmentSums>(
      'SELECT coalesce(sum(count), 0) AS count, coalesce(sum(bytes), 0) AS bytes FROM eventSegments WHERE eventNo > ? AND eventNo < ?', ...keysOf(scopeNo)) ?? { count: 0, bytes: 0 };
  }

  oldest(scopeNo: number): Segment | undefined {
    return this.#store.get<Segment>(
      'SELECT eventNo, count, bytes FROM eventSegments WHERE eventNo > ? AND eventNo < ? ORDER BY eventNo LIMIT 1', ...keysOf(scopeNo));
  }

  drop({ eventNo }: Segment): void {
    this.#store.run('DELETE FROM eventSegments WHERE eventNo = ?', eventNo);
    this.#drop(eventNo);
  }

  dropAll(scopeNo: number): void {
    this.#store.run('DELETE FROM eventSegments WHERE eventNo > ? AND eventNo < ?', ...keysOf(scopeNo));
    this.forget();
  }

  /** A number may stand for something else from now on. */
  forget(): void {
    this.#unpacked.clear();
    this.#bytes = 0;
  }

  /** They are few: whoever reads on needs no look into the store. */
  #known(scopeNo: number, seq: number): Unpacked | undefined {
    for (const [eventNo, unpacked] of this.#unpacked) {
      if (unpacked.scopeNo !== scopeNo || seq < unpacked.first || seq > unpacked.last) continue;
      this.#unpacked.delete(eventNo);
      this.#unpacked.set(eventNo, unpacked);
      return unpacked;
    }
    return undefined;
  }

  #unpack(eventNo: number, place: Omit<Unpacked, 'json'>): Unpacked {
    const row = this.#store.get<{ packed: Uint8Array; bytes: number }>('SELECT packed, bytes FROM eventSegments WHERE eventNo = ?', eventNo);
    // Into one piece of its size: by default it would come in many small ones, which takes five times as long.
    const unpacked = { ...place, json: brotliDecompressSync(row?.packed ?? new Uint8Array(), { chunkSize: Math.max(MIN_CHUNK, (row?.bytes ?? 0) + 1) }) };
    this.#unpacked.set(eventNo, unpacked);
    this.#bytes += unpacked.json.length;
    for (const oldest of this.#unpacked.keys()) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#drop(oldest);
    }
    return unpacked;
  }

  #drop(eventNo: number): void {
    this.#bytes -= this.#unpacked.get(eventNo)?.json.length ?? 0;
    this.#unpacked.delete(eventNo);
  }
}
