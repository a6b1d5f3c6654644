import assert from 'node:assert/strict';
import { asAttacheError } from '../../src/protocol/errors.ts';
import type { AnyEvent } from '../../src/protocol/subscription/events.ts';
import { isActive } from '../../src/protocol/turn/phase.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { figuresLine, randomFrom, type SoakFigures, type SoakOptions } from '../support/soak.ts';
import type { TestClient } from '../support/testClient.ts';
import { goalKey, newClaim, newCommand, newMessage, TestHost } from '../support/testHost.ts';

export const about = 'B13: retiring a goal races with submit, claim and resume of its sessions';
export const defaultRuns = 1000;

/** What a refusal that is due to the retirement may be called. */
const DUE = new Set(['stale_goal_instance', 'goal_retired', 'goal_not_registered', 'turn_not_active', 'attached_session_conflict', 'session_not_ready', 'claim_superseded']);

/** Three links of one user whose requests meet in the gateway in whatever order. */
export class RetireRounds {
  readonly #harness: GatewayHarness;
  readonly #random: () => number;
  readonly tally = { rounds: 0, submitted: 0, claimed: 0, resumed: 0, refused: 0 };
  #clients: readonly TestClient[] = [];

  constructor(harness: GatewayHarness, random: () => number) {
    this.#harness = harness;
    this.#random = random;
  }

  async play(): Promise<void> {
    if (this.#clients.length === 0) this.#clients = await Promise.all(['owner', 'sender', 'manager'].map((clientId) => this.#harness.client({ clientId, folders: [this.#harness.folder('retire')] })));
    const [owner, sender, manager] = this.#clients as [TestClient, TestClient, TestClient];
    const workspace = this.#harness.folder('retire');
    const goal = `goal-${this.tally.rounds}`;
    const host = await TestHost.start(owner, { workspace, goal });
    const { sessionId } = host;
    const submit = () => sender.call('turn/submit', { sessionId, clientTurnId: newMessage(), text: 'work' });
    // Half of the time there is work to be claimed, half of the time the claim waits for it.
    if (this.#random() < 0.5) await submit();
    const acts: readonly (() => Promise<unknown>)[] = [
      () => manager.call('goal/retire', { commandId: newCommand(), workspace, goalId: goalKey(goal), expectedLifetime: 1 }),
      () => this.#tried('submitted', submit()),
      () => this.#tried('claimed', host.claim(this.#random() < 0.5 ? 0 : 60, newClaim())),
      () => this.#tried('resumed', manager.call('session/resume', { commandId: newCommand(), sessionId })),
    ];
    await Promise.all(this.#shuffled(acts).map((act) => act()));
    await this.#inspect(manager, sessionId);
    await this.#refusedFromNowOn(host, submit);
    this.tally.rounds += 1;
  }

  async #tried(what: 'submitted' | 'claimed' | 'resumed', call: Promise<unknown>): Promise<void> {
    const result = await call.catch((error: unknown) => {
      const kind = asAttacheError(error)?.kind ?? String(error);
      assert.ok(DUE.has(kind), `${what}: ${kind}`);
      return 'refused' as const;
    });
    this.tally[result === 'refused' || result === null ? 'refused' : what] += 1;
  }

  /** The log of the session is the order of commits: nothing is admitted behind the retirement, and nothing is left waiting. */
  async #inspect(onlooker: TestClient, sessionId: TestHost['sessionId']): Promise<void> {
    const { subscriptionId, head } = await onlooker.call('sub/subscribe', { scope: { session: sessionId }, from: { epoch: onlooker.hello.epoch, seq: 0 } });
    await eventually('the whole log', () => (onlooker.events(subscriptionId).at(-1)?.seq ?? 0) >= head);
    const log = onlooker.events(subscriptionId);
    await onlooker.call('sub/unsubscribe', { subscriptionId });
    const retiredAt = log.findIndex((event) => event.type === 'goal.updated' && event.goal.state === 'retired');
    assert.ok(retiredAt >= 0, 'the session was told that its goal is retired');
    const before = new Map(log.slice(0, retiredAt).flatMap(turnsOf).map(({ turnId, state }) => [turnId, state]));
    for (const turn of log.slice(retiredAt).flatMap(turnsOf)) {
      assert.ok(before.has(turn.turnId), 'no turn is made after the retirement');
      assert.ok(!isActive(turn.state) || isActive(before.get(turn.turnId)!), 'no turn is admitted after the retirement');
    }
    const { turns } = await onlooker.call('turn/list', { sessionId, states: ['queued'] });
    assert.deepEqual(turns, [], 'nothing waits for a lifetime that is over');
  }

  async #refusedFromNowOn(host: TestHost, submit: () => Promise<unknown>): Promise<void> {
    for (const call of [submit, () => host.claim()]) {
      const kind = await call().then(() => 'done', (error: unknown) => asAttacheError(error)?.kind ?? String(error));
      assert.ok(DUE.has(kind), kind);
    }
  }

  #shuffled<T>(list: readonly T[]): T[] {
    return list.map((each) => ({ each, at: this.#random() })).sort((a, b) => a.at - b.at).map(({ each }) => each);
  }
}

const turnsOf = (event: AnyEvent) => (event.type === 'turn.updated' || event.type === 'turn.ended' ? [event.turn] : []);

export async function run({ runs, seed, report }: SoakOptions): Promise<SoakFigures> {
  const harness = await GatewayHarness.start({ main: await bundleGateway('test/support/gatewayMain.ts') });
  const rounds = new RetireRounds(harness, randomFrom(seed));
  try {
    while (rounds.tally.rounds < runs) {
      await rounds.play();
      if (rounds.tally.rounds % 250 === 0) report(figuresLine(rounds.tally));
    }
    return rounds.tally;
  } finally {
    await harness.stop();
  }
}
