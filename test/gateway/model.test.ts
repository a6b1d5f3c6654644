import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Deferred } from '../../src/base/deferred.ts';
import type { CoreMethod } from '../../src/gateway/core.ts';
import { AttacheError } from '../../src/protocol/errors.ts';
import { sessionId as sessionIdOf } from '../../src/protocol/ids.ts';
import type { ParamsOf, ResultOf } from '../../src/protocol/methods.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { intents, WINDOWS } from '../support/model/acts.ts';
import type { ModelDriver } from '../support/model/perform.ts';
import { newFigures, Play } from '../support/model/play.ts';
import type { TestClient } from '../support/testClient.ts';

/** A connection, and the word to whoever still waits on it once it is cut. */
interface Link {
  readonly client: TestClient;
  readonly cut: Deferred<never>;
}

/** Plays runs on one gateway process, each in a folder of its own. */
class SocketDriver implements ModelDriver {
  workspace = '';
  readonly #harness: GatewayHarness;
  readonly #root: string;
  readonly #windows: Link[] = [];
  #onlooker!: Link;
  #runs = 0;

  constructor(harness: GatewayHarness) {
    this.#harness = harness;
    this.#root = harness.folder('runs');
  }

  async begin(): Promise<void> {
    if (this.#runs === 0) {
      for (let window = 0; window < WINDOWS; window++) this.#windows[window] = await this.#connect(`window-${window}`);
      this.#onlooker = await this.#connect('onlooker');
    }
    this.#runs += 1;
    this.workspace = this.#harness.folder(`runs/r${this.#runs}`);
  }

  call<M extends CoreMethod>(window: number, method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    const link = window < 0 ? this.#onlooker : this.#windows[window];
    assert.ok(link !== undefined);
    return Promise.race([link.client.call(method, params), link.cut.promise]);
  }

  async cut(window: number): Promise<void> {
    const status = () => this.#onlooker.client.call('gateway/status', {});
    const { connections } = await status();
    const link = this.#windows[window];
    link?.client.close();
    await eventually('the gateway has noticed', async () => (await status()).connections < connections);
    link?.cut.reject(new AttacheError('connection_closed'));
    this.#windows[window] = await this.#connect(`window-${window}`);
  }

  async advance(ms: number): Promise<void> {
    await this.#onlooker.client.raw('test/clock.advance', { ms });
  }

  restart(): Promise<void> {
    throw new Error('runs over the socket do not restart the gateway');
  }

  async ends(): Promise<ReadonlyMap<string, number>> {
    const ends = new Map<string, number>();
    const { sessions } = await this.#onlooker.client.call('session/list', { workspace: this.workspace, includeClosed: true });
    for (const { sessionId } of sessions) for (const turnId of await this.#endsOf(sessionId)) ends.set(turnId, (ends.get(turnId) ?? 0) + 1);
    return ends;
  }

  /** Read from the beginning, as a client does that has lost everything. */
  async #endsOf(id: string): Promise<string[]> {
    const { client } = this.#onlooker;
    const { subscriptionId, head } = await client.call('sub/subscribe', { scope: { session: sessionIdOf.parse(id) }, from: { epoch: client.hello.epoch, seq: 0 } });
    await eventually('all that happened', () => (client.events(subscriptionId).at(-1)?.seq ?? 0) === head);
    await client.call('sub/unsubscribe', { subscriptionId });
    const events = client.events(subscriptionId);
    assert.deepEqual(events.map(({ seq }) => seq), Array.from({ length: head }, (_, at) => at + 1), 'no gap and nothing twice');
    return events.flatMap((event) => (event.type === 'turn.ended' ? [event.turn.turnId] : []));
  }

  async #connect(clientId: string): Promise<Link> {
    const cut = new Deferred<never>();
    cut.promise.catch(() => undefined);
    return { client: await this.#harness.client({ clientId, folders: [this.#root] }), cut };
  }
}

describe('any order of events over the socket', () => {
  let harness: GatewayHarness;

  before(async () => {
    harness = await GatewayHarness.start();
  });
  after(() => harness.stop());

  it('comes to what the reference model says, 200 times', async () => {
    const figures = newFigures();
    const driver = new SocketDriver(harness);
    let runs = 0;
    await fc.assert(fc.asyncProperty(intents({ restarts: false, maxLength: 25 }), async (run) => {
      await driver.begin();
      await new Play(driver, `run${(runs += 1)}`, figures).run(run);
    }), { numRuns: 200, interruptAfterTimeLimit: 170_000, markInterruptAsFailure: true });
    assert.ok(figures.races > 0 && figures.waits > 0);
  }).timeout(180_000);
});
