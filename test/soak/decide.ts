import assert from 'node:assert/strict';
import { setImmediate as nextTick } from 'node:timers/promises';
import { AttacheError } from '../../src/protocol/errors.ts';
import type { StepKind } from '../support/failingCore.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { isAlive } from '../support/processes.ts';
import { figuresLine, randomFrom, type SoakFigures, type SoakOptions } from '../support/soak.ts';
import { Consent, type Outcome } from '../support/story/consent.ts';
import { TestClient } from '../support/testClient.ts';
import { key, newCommand } from '../support/testHost.ts';

export const about = 'B2, B3, R9: two clients answer at once, over cut links, killed gateways and cancels';
export const defaultRuns = 1000;

const ROUNDS_PER_SESSION = 40;
/** Between the record of an answer and its delivery. */
const KILLS: readonly StepKind[] = ['committed', 'reply', 'send', 'torn', 'sent'];
/** One round in so many kills the gateway. */
const KILL_EVERY = 10;

type Tally = { atOnce: number; cut: number; killed: number; raced: number; allowed: number };

/** One consent after the other on one gateway, each attacked in another way. */
export class DecideRounds {
  readonly #harness: GatewayHarness;
  readonly #random: () => number;
  readonly tally: Tally = { atOnce: 0, cut: 0, killed: 0, raced: 0, allowed: 0 };

  constructor(harness: GatewayHarness, random: () => number) {
    this.#harness = harness;
    this.#random = random;
  }

  async play(consent: Consent, round: number): Promise<void> {
    if (round % KILL_EVERY === KILL_EVERY - 1) return this.#killed(consent, round);
    if (round % 3 === 0) return this.#atOnce(consent, round);
    return round % 3 === 1 ? this.#cut(consent, round) : this.#cancelled(consent);
  }

  /** B2: exactly one wins. */
  async #atOnce(consent: Consent, round: number): Promise<void> {
    this.tally.atOnce += 1;
    await this.#decideAtOnce(consent, round, () => Promise.resolve());
  }

  /** R9: links are lost between the question and the answer, and between the answer and its delivery. */
  async #cut(consent: Consent, round: number): Promise<void> {
    this.tally.cut += 1;
    await this.#decideAtOnce(consent, round, async () => {
      for (let ticks = Math.floor(this.#random() * 12); ticks > 0; ticks--) await nextTick();
      const unlucky = consent.clients.filter(() => this.#random() < 0.6);
      for (const client of unlucky) client.cut();
    });
  }

  /** R9: the gateway is killed between the answer and its delivery. */
  async #killed(consent: Consent, round: number): Promise<void> {
    this.tally.killed += 1;
    const at = KILLS[Math.floor(this.#random() * KILLS.length)]!;
    const control = await TestClient.connect(this.#harness.dataRoot, { kind: 'cli', clientId: 'control' });
    const { pid } = this.#harness;
    await this.#decideAtOnce(consent, round, async () => {
      // Where the step is not reached the process is ended all the same.
      await Promise.race([control.peer.closed, new Promise((resolve) => setTimeout(resolve, 200))]);
      control.close();
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      while (isAlive(pid)) await nextTick();
      await this.#harness.restart();
    }, async () => {
      // Its own answer may be where it dies.
      await control.raw('test/fail', { at, after: Math.floor(this.#random() * (at === 'reply' ? 2 : 6)), how: 'kill' }).catch(() => undefined);
    });
  }

  async #decideAtOnce(consent: Consent, round: number, meanwhile: () => Promise<void>, before: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { claimed, asked } = await consent.ask();
    const [first, second] = consent.deciders;
    const choices = round % 2 === 0 ? (['yes', 'no'] as const) : (['yes', 'yes'] as const);
    await before();
    const [outcomes] = await Promise.all([Promise.all([consent.decide(first, asked, choices[0]), consent.decide(second, asked, choices[1])]), meanwhile()]);
    const decided = await consent.agreed(asked);
    const expected: Outcome[] = choices[0] === choices[1] ? ['already', 'decided'] : ['approval_already_decided', 'decided'];
    assert.deepEqual([...outcomes].sort(), expected, 'one wins, the other one is told');
    const winner = consent.deciders[outcomes.indexOf('decided')]!;
    assert.equal(decided.decidedBy?.clientId, winner.name, 'the answer is by who was told so');
    assert.equal(await consent.answersOnRecord(asked), 1, 'one answer is on record');
    if (await consent.finish(claimed, decided)) this.tally.allowed += 1;
  }

  /** B3: an answer and a cancel at once. Nothing begins after the cancel, and nothing without an answer before it. */
  async #cancelled(consent: Consent): Promise<void> {
    this.tally.raced += 1;
    const { claimed, asked } = await consent.ask();
    const [first, second] = consent.deciders;
    const cancel = () => second.do('turn/cancel', { commandId: newCommand(), turnId: claimed.turn.turnId });
    const late = this.#random() < 0.3;
    if (late) await cancel();
    const [outcome] = await Promise.all([consent.decide(first, asked, 'yes'), ...(late ? [] : [cancel()])]);
    const decided = await consent.agreed(asked);
    assert.equal(decided.status, outcome === 'decided' ? 'approved' : 'cancelled');
    assert.ok(!late || outcome === 'approval_closed', 'an answer after the cancel comes too late');
    await assert.rejects(consent.host.begin(claimed, decided), (error) => error instanceof AttacheError && error.kind === 'approval_required', 'nothing begins in a turn that is being stopped');
    consent.host.forgetReport();
    assert.equal(this.#harness.dump()['effects']?.filter((effect) => (effect as { approvalId: string }).approvalId === asked.approvalId).length, 0, 'no record of a start');
    await consent.host.report(claimed, { op: 'item.end', itemKey: key('c'), state: 'cancelled' });
    await consent.host.complete(claimed, { outcome: 'cancelled' });
    await second.do('queue/resume', { commandId: newCommand(), sessionId: consent.host.sessionId });
  }
}

export async function run({ runs, seed, report }: SoakOptions): Promise<SoakFigures> {
  const harness = await GatewayHarness.start({ main: await bundleGateway('test/support/gatewayMain.ts') });
  const rounds = new DecideRounds(harness, randomFrom(seed));
  const figures = (done: number): SoakFigures => {
    const { atOnce, cut, killed, raced, allowed } = rounds.tally;
    return { 'rounds': done, 'at once': atOnce, 'over cut links': cut, 'over a killed gateway': killed, 'against a cancel': raced, 'acts allowed and begun once': allowed };
  };
  try {
    for (let done = 0; done < runs;) {
      const consent = await Consent.start(harness);
      for (let n = 0; n < ROUNDS_PER_SESSION && done < runs; n++, done++) {
        await rounds.play(consent, done).catch((error: unknown) => {
          throw new Error(`in round ${done}`, { cause: error });
        });
      }
      consent.end();
      if (done % 200 === 0) report(figuresLine(figures(done)));
    }
    return figures(runs);
  } finally {
    await harness.stop();
  }
}
