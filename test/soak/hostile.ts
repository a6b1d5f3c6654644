import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { encodeFrame, FrameDecoder } from '../../src/connector/frames.ts';
import { methods } from '../../src/protocol/methods.ts';
import { MUTATION_KINDS, mutate, READABLE_KINDS } from '../support/frameMutator.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { helloMessage } from '../support/rawClient.ts';
import { figuresLine, randomFrom, type SoakFigures, type SoakOptions } from '../support/soak.ts';
import type { TestClient } from '../support/testClient.ts';
import { attachParams, createGoal, newCommand, newMessage, newRun } from '../support/testHost.ts';

export const about = 'R7: mutated frames before and after hello; the gateway lives, answers others, and remembers nothing wrong';
export const defaultRuns = 1_000_000;

/** Frames that can be read, sent on one link in one write, before one of any kind ends it. What comes before hello is read up to its first frame. */
const FRAMES_PER_LINK = 200;
const ALIVE_MS = 20_000;
/** One link of so many says no hello: every byte of it comes from a stranger. */
const STRANGER_EACH = 4;
const MEMORY_BYTES = 400 * 1024 * 1024;

/** A client that sends what it should not, and another one that must not notice. */
export class HostileRounds {
  readonly #harness: GatewayHarness;
  readonly #random: () => number;
  readonly tally = { frames: 0, links: 0, strangers: 0, closedEarly: 0, answers: 0, otherClientAnswers: 0 };
  readonly kinds = new Map<string, number>();
  #other!: TestClient;
  #corpus: Record<string, unknown>[] = [];

  constructor(harness: GatewayHarness, random: () => number) {
    this.#harness = harness;
    this.#random = random;
  }

  /** Records what valid requests look like: one of each method, on things that exist. */
  async begin(): Promise<void> {
    this.#other = await this.#harness.client({ clientId: 'other' });
    const workspace = this.#harness.folder();
    await createGoal(this.#other, workspace);
    const { session } = await this.#other.call('session/attach', attachParams({ workspace }));
    const { sessionId } = session!;
    const { turn } = await this.#other.call('turn/submit', { sessionId, clientTurnId: newMessage(), text: 'work' });
    const common = { commandId: newCommand(), workspace, goalId: 'goal', sessionId, turnId: turn.turnId, hostRunId: newRun(), text: 'text', title: 'title', expectedRev: 1 };
    const ending = new Set(['gateway/shutdown', 'gateway/drain', 'host/claim']);
    this.#corpus = [
      ...Object.keys(methods).filter((method) => !ending.has(method)).map((method) => ({ jsonrpc: '2.0', id: 1, method, params: fitting(method, common) })),
      { jsonrpc: '2.0', id: 1, method: 'sub/subscribe', params: { scope: { session: sessionId }, from: { epoch: 1, seq: 0 } } },
    ];
  }

  /** One link full of them. */
  async play(): Promise<void> {
    const { links } = this.tally;
    // Another one in each round of the kinds, so that strangers, too, send each of them.
    const stranger = (links + Math.floor(links / MUTATION_KINDS.length)) % STRANGER_EACH === STRANGER_EACH - 1;
    const socket = net.connect(this.#harness.descriptor.endpoint);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const closed = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')));
    const answers = new Answers(socket);
    const greeting = helloMessage(this.#harness, { workspaces: [{ path: this.#harness.folder(), trusted: true }], kind: 'editor' });
    if (!stranger) {
      const frames = Array.from({ length: FRAMES_PER_LINK }, () => this.#frame(this.#message(), READABLE_KINDS));
      socket.write(Buffer.concat([encodeFrame(greeting), ...frames, encodeFrame({ jsonrpc: '2.0', id: 'last', method: 'gateway/status', params: {} })]));
      if ((await this.#within(Promise.race([closed, answers.last]), 'all of them are dealt with')) === 'closed') this.tally.closedEarly += 1;
    }
    // All kinds in turn: even a few links see each of them.
    socket.write(this.#frame(stranger ? greeting : this.#message(), [MUTATION_KINDS[links % MUTATION_KINDS.length]!]));
    // Half-closed: what is left of a frame can never come.
    socket.end();
    await this.#within(closed, 'the link is closed');
    this.tally.answers += answers.count;
    this.tally.links += 1;
    this.tally.strangers += stranger ? 1 : 0;
    await this.#othersLive();
  }

  /** The other client is served. */
  async #othersLive(): Promise<void> {
    const status = await this.#within(this.#other.call('gateway/status', {}), 'the other client is answered');
    assert.ok(status.rssBytes < MEMORY_BYTES, `${Math.round(status.rssBytes / 1024 / 1024)} MiB of memory`);
    this.tally.otherClientAnswers += 1;
  }

  async end(): Promise<void> {
    const fresh = await this.#within(this.#harness.client(), 'a new client is let in');
    assert.deepEqual(await fresh.raw('test/polluted', {}), { polluted: null });
    const { goals } = await fresh.call('goal/list', { workspace: this.#harness.folder() });
    assert.ok(goals.some(({ goalId }) => goalId === 'goal'));
    fresh.close();
    this.#other.close();
  }

  #message(): Record<string, unknown> {
    return this.#corpus[Math.floor(this.#random() * this.#corpus.length)]!;
  }

  #frame(message: Record<string, unknown>, kinds: readonly string[]): Buffer {
    const kind = kinds[Math.floor(this.#random() * kinds.length)]!;
    this.tally.frames += 1;
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    return mutate(kind, message, this.#random);
  }

  async #within<T>(wanted: Promise<T>, what: string): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not within ${ALIVE_MS} ms: ${what}`)), ALIVE_MS);
    });
    return Promise.race([wanted, late]).finally(() => clearTimeout(timer));
  }
}

/** What comes back on one link. */
class Answers {
  count = 0;
  readonly last: Promise<'last'>;

  constructor(socket: net.Socket) {
    const decoder = new FrameDecoder(64 * 1024 * 1024);
    this.last = new Promise((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        decoder.push(chunk);
        for (let body = decoder.next(); body !== null; body = decoder.next()) {
          this.count += 1;
          if ((JSON.parse(body.toString()) as { id?: unknown }).id === 'last') resolve('last');
        }
      });
    });
  }
}

/** Those of the common parameters that the method has, so that a part of the mutants gets past the first check. */
function fitting(method: string, common: Record<string, unknown>): Record<string, unknown> {
  const { params } = methods[method as keyof typeof methods];
  const shape = 'shape' in params ? Object.keys(params.shape) : Object.keys(common);
  return Object.fromEntries(Object.entries(common).filter(([name]) => shape.includes(name)));
}

export async function run({ runs, seed, report }: SoakOptions): Promise<SoakFigures> {
  // Its clock stands still: only the system's own makes slow links end.
  const harness = await GatewayHarness.start({ main: await bundleGateway('test/support/gatewayMain.ts'), clock: 'system' });
  const rounds = new HostileRounds(harness, randomFrom(seed));
  const pid = harness.pid;
  try {
    await rounds.begin();
    for (let links = 1; rounds.tally.frames < runs; links++) {
      await rounds.play();
      if (links % 1000 === 0) report(figuresLine(rounds.tally));
    }
    await rounds.end();
    assert.equal(harness.pid, pid, 'it is the same process still');
    return { ...rounds.tally, 'kinds of mutations': rounds.kinds.size };
  } finally {
    await harness.stop();
  }
}
