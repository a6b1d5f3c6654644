import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';
import type { GatewayHarness } from '../gatewayHarness.ts';
import { TestClient } from '../testClient.ts';
import { key, newCommand, newMessage } from '../testHost.ts';
import { ScriptedHost, type Claimed } from './scriptedHost.ts';
import { StoryClient } from './storyClient.ts';

/** How an answer came out: given, given before by the other one, or too late. */
export type Outcome = 'decided' | 'already' | 'approval_already_decided' | 'approval_closed';

/** A host that asks and two clients that answer, on links that can be cut and a gateway that can be killed. */
export class Consent {
  readonly host: ScriptedHost;
  readonly deciders: readonly [StoryClient, StoryClient];
  readonly #harness: GatewayHarness;
  readonly #folder: string;

  static async start(harness: GatewayHarness): Promise<Consent> {
    const consent = new Consent(harness);
    await Promise.all(consent.clients.map((client) => client.open()));
    await consent.host.attach();
    await Promise.all(consent.clients.map((client) => client.follow(consent.host.sessionId)));
    return consent;
  }

  constructor(harness: GatewayHarness) {
    this.#harness = harness;
    const tag = randomUUID().slice(0, 8);
    this.#folder = harness.folder(`consent-${tag}`);
    const client = (name: string, kind: 'editor' | 'cli'): StoryClient => new StoryClient(harness.dataRoot, this.#folder, `${name}-${tag}`, kind);
    this.host = new ScriptedHost(client('host', 'editor'), this.#folder);
    this.deciders = [client('window', 'editor'), client('terminal', 'cli')];
  }

  get clients(): readonly StoryClient[] {
    return [this.host.client, ...this.deciders];
  }

  end(): void {
    for (const client of this.clients) client.end();
  }

  /** A turn that has come to its question, which both deciders are shown. */
  async ask(): Promise<{ claimed: Claimed; asked: Approval }> {
    await this.deciders[0].do('turn/submit', { sessionId: this.host.sessionId, clientTurnId: newMessage(), text: 'make' });
    const claimed = await this.host.claim();
    const asked = await this.host.ask(claimed, 'make');
    for (const decider of this.deciders) await decider.until(({ approvals }) => approvals.some(({ approvalId, status }) => approvalId === asked.approvalId && status === 'pending'));
    return { claimed, asked };
  }

  async decide(decider: StoryClient, { approvalId, actionDigest }: Approval, optionId: 'yes' | 'no'): Promise<Outcome> {
    try {
      return (await decider.do('approval/decide', { commandId: newCommand(), approvalId, optionId, actionDigest })).outcome;
    } catch (error) {
      assert.ok(error instanceof AttacheError && (error.kind === 'approval_already_decided' || error.kind === 'approval_closed'), String(error));
      return error.kind;
    }
  }

  /** What each client is shown of a request once it is over; fails where two are shown different things. */
  async agreed({ approvalId }: Approval): Promise<Approval> {
    const seen = await Promise.all(this.clients.map((client) => client.until(({ approvals }) => approvals.find((each) => each.approvalId === approvalId && each.status !== 'pending'))));
    for (const each of seen) assert.deepEqual(each, seen[0], 'all are shown the same answer by the same person');
    for (const { name, view, violations } of this.clients) {
      assert.equal(view?.approvals.filter(({ status }) => status === 'pending').length, 0, `${name}: no prompt is left`);
      assert.equal(view?.approvals.filter((each) => each.approvalId === approvalId).length, 1, `${name}: one request`);
      assert.deepEqual(violations, []);
    }
    return seen[0]!;
  }

  /** Carries the act out if it was allowed, and ends the turn. Gives back whether the act was begun. */
  async finish(claimed: Claimed, decided: Approval): Promise<boolean> {
    if (decided.status === 'approved') {
      await this.host.begin(claimed, decided);
      await this.host.report(claimed, { op: 'effect.end', itemKey: key('c') }, { op: 'item.end', itemKey: key('c'), state: 'completed' });
    }
    await this.host.complete(claimed, { outcome: 'completed', stopReason: 'end_turn', message: { text: 'over' } });
    return decided.status === 'approved';
  }

  /** How often the log says that this request was answered. */
  async answersOnRecord({ approvalId }: Approval): Promise<number> {
    const onlooker = await TestClient.connect(this.#harness.dataRoot, { kind: 'cli', clientId: 'onlooker', folders: [this.#folder] });
    const { subscriptionId, head } = await onlooker.call('sub/subscribe', { scope: { session: this.host.sessionId }, from: { epoch: onlooker.hello.epoch, seq: 0 } });
    while ((onlooker.events(subscriptionId).at(-1)?.seq ?? 0) < head) await new Promise((resolve) => setImmediate(resolve));
    const answers = onlooker.events(subscriptionId).filter((event) => event.type === 'approval.updated' && event.approval.approvalId === approvalId && event.approval.status !== 'pending');
    onlooker.close();
    return answers.length;
  }
}
