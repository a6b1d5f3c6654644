import assert from 'node:assert/strict';
import { setImmediate as nextTick } from 'node:timers/promises';
import { sessionMirror, type SessionMirror } from '../../src/client/sessionMirror.ts';
import type { ApprovalId, SessionId } from '../../src/protocol/ids.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { figuresLine, randomFrom, type SoakFigures, type SoakOptions } from '../support/soak.ts';
import { Consent } from '../support/story/consent.ts';
import type { TestClient } from '../support/testClient.ts';

export const about = 'B1: mirror clients reload at random instants between a request and its answer';
export const defaultRuns = 1000;

const ROUNDS_PER_SESSION = 40;

/** One life of a window: a link, and what it shows of the session. */
interface Life {
  readonly client: TestClient;
  readonly mirror: SessionMirror;
}

/** Windows that reload while somebody is asked; each life of each shows the question exactly once as long as it is one. */
export class ReloadRounds {
  readonly #harness: GatewayHarness;
  readonly #random: () => number;
  readonly tally = { rounds: 0, lives: 0, sightings: 0 };

  constructor(harness: GatewayHarness, random: () => number) {
    this.#harness = harness;
    this.#random = random;
  }

  async play(consent: Consent): Promise<void> {
    const { sessionId } = consent.host;
    let life = await this.#begin(consent, sessionId);
    const asking = consent.ask();
    // It may be before the question, while it is on its way, or after it.
    await this.#moment();
    life = await this.#reload(consent, sessionId, life);
    const { claimed, asked } = await asking;
    await eventually('the prompt is shown', () => this.#prompts(life, asked.approvalId) === 1);
    for (let reloads = 1 + Math.floor(this.#random() * 3); reloads > 0; reloads--) {
      await this.#moment();
      life = await this.#reload(consent, sessionId, life);
      assert.equal(this.#prompts(life, asked.approvalId), 1, 'the prompt is visible in each life from the first moment on, once');
      assert.equal(life.mirror.view?.items.filter(({ itemId }) => itemId === asked.itemId).length, 1);
    }
    const deciding = consent.decide(consent.deciders[0], asked, this.#random() < 0.5 ? 'yes' : 'no');
    await this.#moment();
    life = await this.#reload(consent, sessionId, life);
    assert.equal(await deciding, 'decided');
    const decided = await consent.agreed(asked);
    await eventually('the answer is shown', () => life.mirror.view?.approvals.some((each) => each.approvalId === decided.approvalId && each.status === decided.status));
    assert.equal(this.#prompts(life), 0, 'no prompt is left');
    await consent.finish(claimed, decided);
    life.mirror.dispose();
    life.client.close();
    this.tally.rounds += 1;
  }

  async #begin(consent: Consent, sessionId: SessionId): Promise<Life> {
    const client = await this.#harness.client({ clientId: 'reloading', folders: [consent.host.folder] });
    const mirror = sessionMirror(client, sessionId);
    await mirror.connect();
    this.tally.lives += 1;
    return { client, mirror };
  }

  async #reload(consent: Consent, sessionId: SessionId, { client, mirror }: Life): Promise<Life> {
    client.close();
    mirror.dispose();
    return this.#begin(consent, sessionId);
  }

  #prompts({ mirror }: Life, only?: ApprovalId): number {
    const pending = mirror.view?.approvals.filter(({ status }) => status === 'pending') ?? [];
    this.tally.sightings += pending.length;
    return (only === undefined ? pending : pending.filter((each) => each.approvalId === only)).length;
  }

  async #moment(): Promise<void> {
    for (let ticks = Math.floor(this.#random() * 20); ticks > 0; ticks--) await nextTick();
  }
}

export async function run({ runs, seed, report }: SoakOptions): Promise<SoakFigures> {
  const harness = await GatewayHarness.start({ main: await bundleGateway('test/support/gatewayMain.ts') });
  const rounds = new ReloadRounds(harness, randomFrom(seed));
  try {
    while (rounds.tally.rounds < runs) {
      const consent = await Consent.start(harness);
      for (let n = 0; n < ROUNDS_PER_SESSION && rounds.tally.rounds < runs; n++) await rounds.play(consent);
      consent.end();
      if (rounds.tally.rounds % 200 === 0) report(figuresLine(rounds.tally));
    }
    return rounds.tally;
  } finally {
    await harness.stop();
  }
}
