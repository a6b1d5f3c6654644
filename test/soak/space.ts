import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { STORE_FILE } from '../../src/gateway/createCore.ts';
import type { SessionId } from '../../src/protocol/ids.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { figuresLine, randomFrom, type SoakFigures, type SoakOptions } from '../support/soak.ts';
import { CoreHarness } from '../unit/gateway/support/coreHarness.ts';
import { hex, Story } from '../unit/gateway/support/story.ts';

export const about = 'turns of 16 KiB, and one of 1 MiB for each fifty: what they take on the disk, and how long a gateway then takes to start';
export const defaultRuns = 10_000;

/** Far below those of the protocol, so that much is dropped. */
const RETENTION = { retainedEvents: 500, retainedBytes: 512 * 1024 };
const TURN_CHARS = 16 * 1024;
const LARGE_TURN_CHARS = 1024 * 1024;
const TURNS_PER_LARGE_ONE = 50;
/** Each text is kept once; everything else that a turn leaves is small beside it. */
const CAP_PER_CHAR = 1.25;
const SESSIONS = 4;
/** Of the log that one session may keep besides, and of what every store takes. */
const CAP_BASE_BYTES = (SESSIONS + 1) * RETENTION.retainedBytes;
const DELTA_CHARS = 4096;
const REPORT_EVERY = 1000;
const FEW_TURNS = 100;
const STARTS = 9;

/** Bytes that so many turns, and the large ones among them, may take. */
export function capOf(turns: number): number {
  const chars = turns * TURN_CHARS + Math.ceil(turns / TURNS_PER_LARGE_ONE) * LARGE_TURN_CHARS;
  return Math.round(chars * CAP_PER_CHAR) + CAP_BASE_BYTES;
}

/** Streams turns into a store, which refuses what would be above its cap. */
export class ManyTurns {
  readonly gw: CoreHarness;
  readonly #random: () => number;
  readonly #stories: Story[] = [];
  #turns = 0;

  constructor(file: string, turns: number, seed: number) {
    this.gw = new CoreHarness(file, capOf(turns), RETENTION);
    this.#random = randomFrom(seed);
  }

  async run(turns: number, report: (line: string) => void = () => undefined): Promise<void> {
    while (this.#stories.length < SESSIONS) this.#stories.push(await Story.begin(this.gw, { goalId: `goal-${this.#stories.length}`, hostSessionId: hex(`host ${this.#stories.length}`) }));
    for (let n = 0; n < turns; n++) {
      if (n % TURNS_PER_LARGE_ONE === 0) await this.#turn(LARGE_TURN_CHARS);
      await this.#turn(TURN_CHARS);
      if ((n + 1) % REPORT_EVERY === 0) report(`${n + 1} turns, ${this.gw.store.bytes()} bytes`);
    }
    await this.gw.clock.advance(10_000);
  }

  /** Bytes on the disk, and what the cap is for. */
  figures(): { readonly turns: number; readonly bytes: number; readonly usedBytes: number; readonly capBytes: number } {
    const { store } = this.gw;
    return { turns: this.#turns, bytes: store.bytes(), usedBytes: store.size().usedBytes, capBytes: store.capBytes };
  }

  /** Events of all sessions: those that can still be read, and all there have been. */
  log(): { readonly kept: number; readonly told: number } {
    const principal = this.#stories[0]?.host.principal;
    assert.ok(principal !== undefined);
    const logs = this.#stories.map(({ sessionId }) => this.gw.core.logEnds(principal, { session: sessionId as SessionId }));
    return { kept: logs.reduce((sum, { first, head }) => sum + head - first + 1, 0), told: logs.reduce((sum, { head }) => sum + head, 0) };
  }

  async #turn(chars: number): Promise<void> {
    const story = this.#stories[this.#turns % SESSIONS];
    assert.ok(story !== undefined);
    this.#turns += 1;
    const [claimId, itemKey] = [`claim-${this.#turns}`, `m${this.#turns}`];
    const turnId = await story.run(claimId, 'go on');
    await story.report([{ op: 'item.start', itemKey, data: { kind: 'agent_message' }, text: '' }], claimId);
    for (let at = 0; at < chars; at += DELTA_CHARS) await story.report([{ op: 'item.delta', itemKey, text: this.#text(DELTA_CHARS) }], claimId);
    await story.report([{ op: 'item.end', itemKey, state: 'completed' }], claimId);
    await story.complete(turnId, undefined, { claimId, completionId: `completion-${this.#turns}` });
    // Packing, and now and then what is done while nobody writes.
    await this.gw.clock.advance(this.#turns % 25 === 0 ? 1000 : 200);
    this.gw.published.length = 0;
    this.gw.heard.length = 0;
  }

  #text(chars: number): string {
    let text = '';
    while (text.length < chars) text += `${Math.floor(this.#random() * 2 ** 32).toString(36)} `;
    return text.slice(0, chars);
  }
}

/** Fills the store of a data root that no gateway has used yet. */
async function filled(harness: GatewayHarness, turns: number, { seed, report }: SoakOptions): Promise<ReturnType<ManyTurns['figures']>> {
  fs.mkdirSync(harness.dataRoot, { recursive: true, mode: 0o700 });
  const many = new ManyTurns(path.join(harness.dataRoot, STORE_FILE), turns, seed);
  await many.run(turns, report);
  const figures = many.figures();
  many.gw.close();
  return figures;
}

/** From nothing to the first answer, in ms. */
async function startOf(harness: GatewayHarness): Promise<number> {
  const begun = performance.now();
  await harness.restart();
  const took = performance.now() - begun;
  await harness.kill9();
  return took;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** A start with many turns and one with few, again and again in turn. */
export async function run(options: SoakOptions): Promise<SoakFigures> {
  const main = await bundleGateway('src/gateway/main.ts');
  const [many, few] = [new GatewayHarness({ main, clock: 'none' }), new GatewayHarness({ main, clock: 'none' })];
  try {
    const figures = await filled(many, options.runs, options);
    options.report(figuresLine(figures));
    assert.ok(figures.usedBytes <= figures.capBytes, `${figures.usedBytes} bytes are more than the cap of ${figures.capBytes}`);
    await filled(few, FEW_TURNS, options);
    const took: Record<'many' | 'few', number[]> = { many: [], few: [] };
    for (let n = 0; n < STARTS; n++) {
      took.few.push(await startOf(few));
      took.many.push(await startOf(many));
    }
    const [startMs, startOfFewMs] = [Math.round(median(took.many)), Math.round(median(took.few))];
    assert.ok(startMs <= 1.5 * startOfFewMs, `a start takes ${startMs} ms with ${options.runs} turns and ${startOfFewMs} ms with ${FEW_TURNS}`);
    return { ...figures, 'ms to start': startMs, [`ms to start with ${FEW_TURNS} turns`]: startOfFewMs, 'percent of that': Math.round((100 * startMs) / startOfFewMs) };
  } finally {
    await many.stop();
    await few.stop();
  }
}
