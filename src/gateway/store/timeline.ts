import type { Clock } from '../../base/clock.ts';
import type { Store } from './store.ts';

interface Mark {
  readonly time: number;
  readonly wall: number;
}

/**
 * The time of everything that expires: near wall time, but it never runs backwards and ignores jumps of the wall clock.
 * Across a restart it goes on by the difference of wall time, at least 0.
 */
export class Timeline {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #monotonicStart: number;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    const wall = clock.now();
    const last = this.#read();
    this.#start = last === null ? wall : last.time + Math.max(0, wall - last.wall);
    this.#monotonicStart = clock.monotonic();
  }

  now(): number {
    return Math.round(this.#start + this.#clock.monotonic() - this.#monotonicStart);
  }

  /** Remembers this moment for the next start. Part of every lifecycle transaction. */
  save(): void {
    const mark: Mark = { time: this.now(), wall: this.#clock.now() };
    this.#store.run('INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value', 'timeline', JSON.stringify(mark));
  }

  #read(): Mark | null {
    const row = this.#store.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', 'timeline');
    return row === undefined ? null : (JSON.parse(row.value) as Mark);
  }
}
