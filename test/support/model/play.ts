import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { ParamsOf } from '../../../src/protocol/methods.ts';
import { actOf, GOALS, WINDOWS, type Act, type Happening, type Intent, type Race } from './acts.ts';
import { checkTranscripts, openStates } from './inspect.ts';
import { Performer, type ModelDriver } from './perform.ts';
import { expect, happen } from './reference.ts';
import { newModel, type Model } from './state.ts';

/** What a run has done, for the figures of the soak. */
export interface Figures {
  steps: number;
  races: number;
  waits: number;
  checks: number;
}

export const newFigures = (): Figures => ({ steps: 0, races: 0, waits: 0, checks: 0 });

type Waiting = { readonly outcome: Promise<string>; settled: string | null };

/** Where every run begins: two goals, and a session of each with its window. */
const PROLOGUE: readonly Act[] = [
  { do: 'create', by: 0, goal: 0 }, { do: 'create', by: 1, goal: 1 },
  { do: 'attach', by: 0, goal: 0, channel: 0 }, { do: 'register', by: 0, s: 0 },
  { do: 'attach', by: 1, goal: 1, channel: 1 }, { do: 'register', by: 1, s: 1 },
];

/** Plays one run on the real thing and on the reference, and compares after every step. */
export class Play {
  readonly #performer: Performer;
  readonly #figures: Figures;
  readonly #waits: Waiting[] = [];
  #model: Model = newModel(GOALS, WINDOWS);

  constructor(driver: ModelDriver, name: string, figures: Figures) {
    this.#performer = new Performer(driver, name);
    this.#figures = figures;
  }

  async run(intents: readonly Intent[]): Promise<void> {
    for (const act of PROLOGUE) await this.#act(act);
    for (const intent of intents) {
      const act = actOf(this.#model, intent);
      if (act === null) continue;
      this.#figures.steps += 1;
      await this.#step(act);
    }
    await this.finish();
  }

  /** For runs that are written out. */
  async play(acts: readonly (Act | Happening | Race)[]): Promise<void> {
    for (const act of [...PROLOGUE, ...acts]) await this.#step(act);
    await this.finish();
  }

  async finish(): Promise<void> {
    this.#figures.checks += await checkTranscripts(this.#performer, this.#model);
  }

  async #step(act: Act | Happening | Race): Promise<void> {
    if (act.do === 'race') await this.#race(act);
    else if (act.do === 'again') await this.#again(act.by);
    else if (act.do === 'cut' || act.do === 'reload' || act.do === 'advance' || act.do === 'restart') await this.#happen(act);
    else await this.#act(act);
  }

  async #act(act: Act): Promise<void> {
    const before = structuredClone(this.#model);
    const expected = expect(this.#model, act);
    const look = this.#performer.driver.watch?.('s' in act ? this.#performer.idOf(act.s) : null);
    const outcome = await this.#outcome(before, act, expected);
    assert.equal(outcome, expected, describe(act));
    look?.(outcome);
    await this.#compare(describe(act));
  }

  async #outcome(model: Model, act: Act, expected: string): Promise<string> {
    const outcome = this.#performer.outcome(model, act);
    if (!expected.startsWith('ok waits ')) return outcome;
    const waiting: Waiting = { outcome, settled: null };
    void outcome.then((settled) => { waiting.settled = settled; });
    this.#waits.push(waiting);
    this.#figures.waits += 1;
    // What comes after it on the same link is answered after it has begun to wait.
    await this.#performer.driver.call(act.by, 'goal/list', { workspace: this.#performer.driver.workspace } as ParamsOf<'goal/list'>);
    return waiting.settled ?? expected;
  }

  async #happen(act: Exclude<Happening, { readonly do: 'again' }>): Promise<void> {
    const { driver } = this.#performer;
    happen(this.#model, act);
    if (act.do === 'advance') await driver.advance(act.ms);
    else if (act.do === 'restart') await driver.restart();
    else await driver.cut(act.by);
    await this.#compare(describe(act));
  }

  async #again(by: number): Promise<void> {
    const sent = this.#performer.sent.get(by);
    if (sent === undefined) return;
    const look = this.#performer.driver.watch?.(null);
    assert.deepEqual(await this.#performer.driver.call(by, sent.method, sent.params as never), sent.result, `${sent.method} again`);
    look?.('again');
    await this.#compare('again');
  }

  /** Whatever order they came in, together they must look like one after the other. */
  async #race({ acts }: Race): Promise<void> {
    const [first, second] = acts.map((act) => (act.do === 'claim' ? { ...act, wait: false } : act)) as [Act, Act];
    const outcomes = await Promise.all([this.#performer.outcome(this.#model, first), this.#performer.outcome(this.#model, second)]);
    this.#figures.races += 1;
    const orders = [[first, second], [second, first]].map((order) => {
      const model = structuredClone(this.#model);
      const expected = new Map(order.map((act) => [act, tryExpect(model, act)]));
      return { model, expected: [expected.get(first), expected.get(second)] };
    });
    const possible = orders.filter(({ expected }) => isDeepStrictEqual(expected, outcomes));
    const what = `${describe(first)} || ${describe(second)}`;
    assert.ok(possible.length > 0, `${what}: ${outcomes.join(', ')} is neither ${orders.map(({ expected }) => expected.join(', ')).join(' nor ')}`);
    for (const { model } of possible) {
      this.#model = model;
      if ((await this.#mismatch()) === null) break;
    }
    await this.#compare(what);
  }

  async #compare(what: string): Promise<void> {
    this.#figures.checks += 1;
    const mismatch = await this.#mismatch();
    if (mismatch !== null) assert.deepEqual(mismatch.actual, mismatch.expected, what);
  }

  async #mismatch(): Promise<{ actual: unknown; expected: unknown } | null> {
    const [actual, expected] = await openStates(this.#performer, this.#model);
    const told = await Promise.all(this.#waits.map((waiting, id) => this.#waited(waiting, id)));
    const pair = { actual: { ...actual, waits: told }, expected: { ...expected, waits: this.#model.waits } };
    return isDeepStrictEqual(pair.actual, pair.expected) ? null : pair;
  }

  /** A claim that should have ended has the time of a link to say so; one that should wait must not have. */
  async #waited(waiting: Waiting, id: number): Promise<string | null> {
    if ((this.#model.waits[id] ?? null) === null) return waiting.settled;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => { timer = setTimeout(() => resolve('still waiting'), 2000); });
    const outcome = await Promise.race([waiting.outcome, late]);
    clearTimeout(timer);
    return outcome;
  }
}

const describe = (act: Act | Happening): string => JSON.stringify(act);

/** In the wrong order an act may be about something that is not there yet. */
function tryExpect(model: Model, act: Act): string {
  try {
    return expect(model, act);
  } catch (error) {
    return String(error);
  }
}
