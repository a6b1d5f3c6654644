import assert from 'node:assert/strict';
import { whyNotFrom } from '../../src/gateway/events/cursor.ts';
import { decodeEvents } from '../../src/gateway/events/encodedEvents.ts';
import { EventLog } from '../../src/gateway/events/eventLog.ts';
import { Store } from '../../src/gateway/store/store.ts';
import type { Scope } from '../../src/protocol/subscription/state.ts';
import { figuresLine, randomFrom, type SoakFigures, type SoakOptions } from '../support/soak.ts';

export const about = 'the cursors of many readers over logs that grow, are packed, dropped and opened again, against a list of what was told';
export const defaultRuns = 1_000_000;

const SCOPES = 3;
const READERS = 12;
const LIMITS = { retainedEvents: 300, retainedBytes: 64 * 1024 };
const REPORT_EVERY = 50_000;

interface Told {
  readonly scope: Scope;
  /** The length of the title of each event: enough to tell it from the others. */
  readonly marks: number[];
}

interface Reader {
  epoch: number;
  seq: number;
}

/** One run of commands; every read is compared with what was told. */
class Readers {
  readonly #random: () => number;
  readonly #store = new Store({ path: ':memory:' });
  readonly #told: readonly Told[] = Array.from({ length: SCOPES }, (_, n) => ({ scope: { workspace: `/w/${n}` }, marks: [] }));
  readonly #readers: readonly (readonly Reader[])[] = Array.from({ length: SCOPES }, () => Array.from({ length: READERS }, () => ({ epoch: 1, seq: 0 })));
  readonly figures = { commands: 0, events: 0, reads: 0, resyncs: 0, packs: 0, starts: 0, cancelled: 0 };
  #log = new EventLog(this.#store, LIMITS);
  #epoch = 1;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  step(): void {
    this.figures.commands += 1;
    const n = this.#below(SCOPES);
    const [told, reader] = [this.#told[n], this.#readers[n]?.[this.#below(READERS)]];
    assert.ok(told !== undefined && reader !== undefined);
    const dice = this.#random();
    if (dice < 0.25) this.#append(told, 1 + this.#below(6), true);
    else if (dice < 0.27) this.#append(told, 1 + this.#below(6), false);
    else if (dice < 0.3) this.#pack(told);
    else if (dice < 0.301) this.#restart();
    else this.#read(told, reader);
  }

  close(): void {
    this.#store.close();
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  /** What is taken back was never told. */
  #append({ scope, marks }: Told, count: number, commits: boolean): void {
    const sizes = Array.from({ length: count }, () => this.#below(400));
    try {
      this.#store.transaction('stream', () => {
        for (const size of sizes) this.#log.append(scope, { type: 'goal.updated', goal: { title: 'x'.repeat(size) } as never }, { at: 1, causedBy: { clientId: 'soak' } });
        if (!commits) throw new Error('taken back');
      });
      marks.push(...sizes);
      this.figures.events += count;
    } catch (error) {
      if (commits) throw error;
      this.#log.forgetScopes();
      this.figures.cancelled += 1;
    }
  }

  #pack({ scope }: Told): void {
    this.#store.transaction('stream', () => this.#log.pack(scope));
    this.figures.packs += 1;
  }

  #restart(): void {
    this.#log = new EventLog(this.#store, LIMITS);
    this.#epoch += 1;
    this.figures.starts += 1;
  }

  #read({ scope, marks }: Told, reader: Reader): void {
    const { first, head } = this.#log.kept(scope);
    assert.equal(head, marks.length, 'the head is the last that was told');
    const reason = whyNotFrom(reader, { epoch: this.#epoch, first, head });
    if (reason !== null) {
      if (reason === 'cursor_expired') assert.ok(reader.seq + 1 < first);
      Object.assign(reader, { epoch: this.#epoch, seq: this.#random() < 0.5 ? head : Math.max(0, first - 1) });
      this.figures.resyncs += 1;
      return;
    }
    const batch = this.#log.read(scope, reader.seq, 1 + this.#below(50));
    this.figures.reads += 1;
    if (batch === null) return assert.equal(reader.seq, head, 'there is more');
    const events = decodeEvents(batch);
    assert.deepEqual(events.map(({ seq }) => seq), events.map((_, at) => reader.seq + 1 + at), 'no gap, nothing twice');
    assert.deepEqual(events.map((event) => (event as unknown as { goal: { title: string } }).goal.title.length), marks.slice(reader.seq, reader.seq + events.length), 'each as it was told');
    reader.seq = batch.last;
  }
}

export function run({ runs, seed, report }: SoakOptions): Promise<SoakFigures> {
  const readers = new Readers(seed);
  try {
    for (let n = 1; n <= runs; n++) {
      readers.step();
      if (n % REPORT_EVERY === 0) report(figuresLine(readers.figures));
    }
    return Promise.resolve({ ...readers.figures });
  } finally {
    readers.close();
  }
}
