import assert from 'node:assert/strict';
import { isActive } from '../../../src/protocol/turn/state.ts';
import type { MethodName, ParamsOf } from '../../../src/protocol/methods.ts';
import type { AnyEvent } from '../../../src/protocol/subscription/events.ts';
import type { Scope } from '../../../src/protocol/subscription/state.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import { eventually } from '../eventually.ts';
import { TestClient } from '../testClient.ts';
import { TURNS, type Story } from './story.ts';
import type { StoryClient } from './storyClient.ts';

/** What the store says when all is over, and how many statements about it were found true. */
export interface Verdict {
  readonly snapshot: SessionSnapshot;
  readonly checks: number;
}

/** Compares what every client saw, and was promised, with what the gateway has now. */
export class Inspection {
  readonly #dataRoot: string;
  readonly #story: Story;
  #checks = 0;

  constructor(dataRoot: string, story: Story) {
    this.#dataRoot = dataRoot;
    this.#story = story;
  }

  get checks(): number {
    return this.#checks;
  }

  /** Holds for a story that came to its end. */
  async finished(): Promise<void> {
    const { sessionId, host, effects, clients } = this.#story;
    const onlooker = await this.#onlooker();
    const { snapshot } = await onlooker.call('session/get', { sessionId });
    this.#equal(snapshot.turns.map(({ text, state }) => ({ text, state })), TURNS.map(({ text, state }) => ({ text, state })), 'every turn, once, with its end');
    for (const [at, { answer }] of TURNS.entries()) this.#equal(answersOf(snapshot, at), answer === null ? [] : [answer], `the answer of turn ${at}, whole and once`);
    this.#equal(effects, ['make'], 'what was allowed was done once');
    this.#equal(snapshot.approvals.map(({ status, decidedBy }) => [status, decidedBy?.by === 'client' && decidedBy.clientId]), [['approved', this.#story.second.name]], 'one answer, by who gave it');
    this.#equal(snapshot.session.title, 'A story', 'the name that was given');
    this.#equal(snapshot.goal?.title, 'The goal, nearly done', 'the goal as it was changed');
    for (const client of clients) {
      await eventually(`${client.name} is up to date`, () => client.view?.head === snapshot.head);
      this.#equal(client.view, snapshot, `${client.name} shows what is stored`);
    }
    this.#equal(snapshot.items.every(({ state, outcome }) => state !== 'started' && outcome === 'known'), true, 'everything has ended, and its outcome is known');
    this.#equal(host.view?.session.status, 'ready', 'the session is free');
    onlooker.close();
  }

  /** Holds whatever happened: what was shown is in the log as it was shown, what was acknowledged is answered the same again. */
  async nothingLost(): Promise<void> {
    const { clients, sessionId, folder } = this.#story;
    for (const { violations } of clients) this.#equal(violations, [], 'no gap, nothing twice, nothing out of order, nothing taken back');
    const onlooker = await this.#onlooker();
    const logs = { session: sessionId === undefined ? [] : await this.#log(onlooker, { session: sessionId }), workspace: await this.#log(onlooker, { workspace: folder }) };
    for (const client of clients) {
      for (const { scope, event } of client.shown) this.#equal(logs[scope][event.seq - 1], event, `${client.name} was shown what is on record`);
      this.#rising(client.epochs);
    }
    const ends = logs.session.flatMap((event) => (event.type === 'turn.ended' ? [event.turn.turnId] : []));
    this.#equal(ends.length, new Set(ends).size, 'a turn ends once');
    const starts = handedOut(logs.session);
    this.#equal(starts.length, new Set(starts).size, 'a turn is handed out once');
    onlooker.close();
    for (const client of clients) await this.#acknowledgementsHold(client);
  }

  /** 30 s after a restart to which no host came back. */
  async abandoned(): Promise<void> {
    const { sessionId, intents } = this.#story;
    if (sessionId === undefined) return;
    const onlooker = await this.#onlooker();
    await onlooker.raw('test/clock.advance', { ms: 30_000 });
    const { snapshot } = await onlooker.call('session/get', { sessionId });
    this.#equal(snapshot.turns.filter(({ state }) => isActive(state)), [], 'nothing is running');
    this.#equal(snapshot.approvals.filter(({ status }) => status === 'pending'), [], 'nothing is asked for a turn that is over');
    this.#equal(snapshot.session.activeTurnId, null, 'the session is held by nothing');
    const queued = new Set(snapshot.turns.filter(({ state }) => state === 'queued').map(({ turnId }) => turnId));
    this.#equal(snapshot.items.filter(({ state, turnId }) => state === 'started' && !queued.has(turnId)), [], 'no item goes on');
    const command = snapshot.items.find(({ data }) => data.kind === 'command');
    const { sent, acknowledged, endSent } = intents;
    if (sent === 0 && command !== undefined) this.#equal(command.outcome, 'known', 'what had not begun is known not to have been done');
    if (acknowledged > 0 && endSent === 0) this.#equal(command?.outcome, 'unknown', 'what had begun is of unknown outcome');
    if (command?.outcome === 'unknown') this.#equal(command.state, 'interrupted', 'nothing without a result is called a success');
    onlooker.close();
  }

  /** A repeat with the same key changes nothing and says the same. */
  async #acknowledgementsHold({ name, acknowledged }: StoryClient): Promise<void> {
    const client = await TestClient.connect(this.#dataRoot, { clientId: name, kind: name.startsWith('sender') ? 'cli' : 'editor', folders: [this.#story.folder] });
    for (const { method, params, result } of acknowledged) {
      if (method.startsWith('host/') || method === 'approval/request') continue;
      const again = await client.call(method as MethodName, params as ParamsOf<MethodName>);
      if (method === 'turn/submit') this.#equal([(again as Submitted).created, (again as Submitted).turn.turnId], [false, (result as Submitted).turn.turnId], 'the message is there, once');
      else this.#equal(again, result, `${method} is answered as before`);
    }
    client.close();
  }

  /** All of a scope's events from the first on. */
  async #log(client: TestClient, scope: Scope): Promise<readonly AnyEvent[]> {
    const { subscriptionId, head } = await client.call('sub/subscribe', { scope, from: { epoch: client.hello.epoch, seq: 0 } });
    await eventually('the whole log', () => (client.events(subscriptionId).at(-1)?.seq ?? 0) >= head);
    const events = client.events(subscriptionId) as readonly AnyEvent[];
    this.#equal(events.map(({ seq }) => seq), events.map((_, at) => at + 1), 'the log has no gap');
    return events;
  }

  #onlooker(): Promise<TestClient> {
    return TestClient.connect(this.#dataRoot, { clientId: 'onlooker', kind: 'cli', folders: [this.#story.folder] });
  }

  #rising(epochs: readonly number[]): void {
    this.#equal(epochs.every((epoch, at) => at === 0 || epoch > epochs[at - 1]!), true, `each restart raises the epoch: ${epochs.join(', ')}`);
  }

  #equal(actual: unknown, expected: unknown, what: string): void {
    assert.deepEqual(actual, expected, what);
    this.#checks += 1;
  }
}

type Submitted = { readonly created: boolean; readonly turn: { readonly turnId: string } };

const answersOf = ({ turns, items }: SessionSnapshot, at: number): string[] => {
  const turnId = turns[at]?.turnId;
  return turns[at]?.state === 'completed' ? items.filter((item) => item.turnId === turnId && item.data.kind === 'agent_message').map(({ text }) => text) : [];
};

/** The turns that left the queue to be run, as often as they did. */
function handedOut(log: readonly AnyEvent[]): string[] {
  const states = new Map<string, string>();
  return log.flatMap((event) => {
    if (event.type !== 'turn.updated' && event.type !== 'turn.ended') return [];
    const { turnId, state } = event.turn;
    const before = states.get(turnId);
    states.set(turnId, state);
    return before === 'queued' && state === 'running' ? [turnId] : [];
  });
}
