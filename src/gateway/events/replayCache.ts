import type { SessionId, TurnId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';

/** A turn as it was read from the store at one moment. Rows are in order of `seq`, which may have gaps. */
export interface TurnSnapshot {
  readonly turnId: TurnId;
  readonly sessionId: SessionId;
  readonly workspace: string;
  readonly rows: readonly ReplayRow[];
}

export interface ReplayRow {
  readonly seq: number;
  /** The item as JSON, ready to be sent. */
  readonly item: Buffer;
}

/** A read that has begun. Whatever is appended meanwhile makes its snapshot an old one. */
export interface Reading {
  readonly turnId: TurnId;
  stale: boolean;
}

interface Kept {
  readonly snapshot: TurnSnapshot;
  readonly seqs: readonly number[];
  readonly bytes: number;
}

export interface ReplayLimits {
  readonly turns: number;
  readonly rows: number;
  readonly bytes: number;
}

const REPLAY_LIMITS: ReplayLimits = { turns: LIMITS.replayTurns, rows: LIMITS.replayRows, bytes: LIMITS.replayCacheBytes };

/**
 * Finished turns that were replayed lately. The store is the authority and this a view that may be thrown away at any time: an entry is
 * gone with the first change of its turn, so that what is found is always of the revision that the store has.
 */
export class ReplayCache {
  readonly #limits: ReplayLimits;
  /** The least recently replayed first. */
  readonly #kept = new Map<TurnId, Kept>();
  readonly #readings = new Set<Reading>();
  #rows = 0;
  #bytes = 0;

  constructor(limits = REPLAY_LIMITS) {
    this.#limits = limits;
  }

  get size(): { readonly turns: number; readonly rows: number; readonly bytes: number } {
    return { turns: this.#kept.size, rows: this.#rows, bytes: this.#bytes };
  }

  find(turnId: TurnId): TurnSnapshot | undefined {
    const kept = this.#kept.get(turnId);
    if (kept === undefined) return undefined;
    this.#kept.delete(turnId);
    this.#kept.set(turnId, kept);
    return kept.snapshot;
  }

  /** The rows after a place. Where the turn is kept the place is looked up; what lies before it is not touched. */
  after({ turnId, rows }: TurnSnapshot, seq: number): readonly ReplayRow[] {
    const seqs = this.#kept.get(turnId)?.seqs ?? rows.map((row) => row.seq);
    return rows.slice(placeAfter(seqs, seq));
  }

  begin(turnId: TurnId): Reading {
    const reading = { turnId, stale: false };
    this.#readings.add(reading);
    return reading;
  }

  /** Ends a reading. Its snapshot is kept only when nothing was appended since it began, and when it fits by itself. */
  retain(reading: Reading, snapshot: TurnSnapshot | null): void {
    this.#readings.delete(reading);
    if (snapshot === null || reading.stale || snapshot.rows.length > this.#limits.rows) return;
    const bytes = snapshot.rows.reduce((sum, { item }) => sum + item.length, 0);
    if (bytes > this.#limits.bytes) return;
    this.#drop(reading.turnId);
    this.#kept.set(reading.turnId, { snapshot, seqs: snapshot.rows.map(({ seq }) => seq), bytes });
    this.#rows += snapshot.rows.length;
    this.#bytes += bytes;
    this.#makeRoom();
  }

  /** A turn was changed. */
  changed(turnId: TurnId): void {
    this.#drop(turnId);
    for (const reading of this.#readings) if (reading.turnId === turnId) reading.stale = true;
  }

  /** All of a session is to be read anew, and may not be there any more. */
  forget(sessionId: SessionId): void {
    for (const [turnId, { snapshot }] of [...this.#kept]) if (snapshot.sessionId === sessionId) this.#drop(turnId);
  }

  #makeRoom(): void {
    for (const turnId of this.#kept.keys()) {
      if (this.#kept.size <= this.#limits.turns && this.#rows <= this.#limits.rows && this.#bytes <= this.#limits.bytes) return;
      this.#drop(turnId);
    }
  }

  #drop(turnId: TurnId): void {
    const kept = this.#kept.get(turnId);
    if (kept === undefined) return;
    this.#kept.delete(turnId);
    this.#rows -= kept.seqs.length;
    this.#bytes -= kept.bytes;
  }
}

/** Index of the first number above `seq`, by halving. */
function placeAfter(seqs: readonly number[], seq: number): number {
  let [low, high] = [0, seqs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seqs[middle] ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
