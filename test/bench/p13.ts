import assert from 'node:assert/strict';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionMirror } from '../../src/client/sessionMirror.ts';
import { workspaceMirror } from '../../src/client/workspaceMirror.ts';
import { TestHost } from '../support/testHost.ts';
import type { TestClient } from '../support/testClient.ts';
import { atMost, type BenchRow, type Figure } from './support/benchRow.ts';
import { openWindow, type BenchWindow } from './support/benchWindow.ts';
import { textSource } from './support/corpus.ts';
import { GatewayUnderTest } from './support/gatewayUnderTest.ts';
import { fastTurn, liveTurn } from './support/liveSession.ts';

const SESSIONS = 1000;
const LIVE = 20;
const WINDOWS = 4;
const EVENTS = 100_000;
const RSS_MIB = 110;
const SLOPE_MIB = 1;
const SAMPLE_MS = 1000;
const LONG = process.argv.includes('--long');
const SOAK_S = LONG ? 600 : 60;
/** Until its caches are as large as they become. */
const WARM_UP_S = LONG ? 60 : 30;

const rssMib = ({ pid }: GatewayUnderTest): number => Number(/^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** So many sessions, each with a finished turn and its share of the events. */
async function fill(gateway: GatewayUnderTest): Promise<void> {
  const text = textSource();
  const client = await gateway.client();
  let events = 0;
  const work = async (): Promise<void> => {
    const host = await TestHost.start(client, { workspace: gateway.folder });
    await fastTurn(host, EVENTS / SESSIONS, text);
    const { snapshot } = await client.call('session/get', { sessionId: host.sessionId });
    events += snapshot.head;
  };
  const EACH = 10;
  for (let n = 0; n < SESSIONS - LIVE; n += EACH) await Promise.all(Array.from({ length: EACH }, work));
  for (let n = 0; n < LIVE; n++) events += EVENTS / SESSIONS;
  assert.ok(events >= EVENTS, `there are ${events} events`);
  client.close();
}

/** Sessions that are worked in until told otherwise, followed by as many windows again. */
class LiveSessions {
  readonly #gateway: GatewayUnderTest;
  readonly #text = textSource();
  readonly #clients: TestClient[] = [];
  readonly #viewers: BenchWindow[] = [];
  readonly #running: Promise<void>[] = [];
  #ending = false;
  turns = 0;

  static async start(gateway: GatewayUnderTest): Promise<LiveSessions> {
    const live = new LiveSessions(gateway);
    for (let n = 0; n < WINDOWS; n++) await live.#startWindow(n);
    return live;
  }

  constructor(gateway: GatewayUnderTest) {
    this.#gateway = gateway;
  }

  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#running);
    for (const client of [...this.#clients, ...this.#viewers]) client.close();
  }

  async #startWindow(n: number): Promise<void> {
    const [client, viewer] = [await this.#gateway.client(), await openWindow(this.#gateway, `viewer-${n}`)];
    this.#clients.push(client);
    this.#viewers.push(viewer);
    await workspaceMirror(viewer.calls, this.#gateway.folder).connect();
    for (let session = 0; session < LIVE / WINDOWS; session++) {
      const host = await TestHost.start(client, { workspace: this.#gateway.folder });
      await fastTurn(host, EVENTS / SESSIONS, this.#text);
      await sessionMirror(viewer.calls, host.sessionId).connect();
      this.#running.push(this.#work(host, viewer));
    }
  }

  /** A turn, then somebody looks back at it, then a window is opened anew and reads everything. */
  async #work(host: TestHost, viewer: BenchWindow): Promise<void> {
    while (!this.#ending) {
      await viewer.calls.call('turn/replay', { turnId: await liveTurn(host, this.#text) });
      this.turns += 1;
      const again = await openWindow(this.#gateway, `again-${host.sessionId}`);
      await sessionMirror(again.calls, host.sessionId).connect();
      again.close();
    }
  }
}

async function sample(gateway: GatewayUnderTest, seconds: number): Promise<{ at: number; mib: number }[]> {
  const samples: { at: number; mib: number }[] = [];
  const begun = performance.now();
  for (let at = 0; at < seconds; at = (performance.now() - begun) / 1000) {
    samples.push({ at, mib: rssMib(gateway) });
    // What the probe counts is kept in the gateway's own memory.
    await gateway.reset();
    await sleep(SAMPLE_MS);
  }
  return samples;
}

/** By least squares, over all of the time. */
function growth(samples: readonly { readonly at: number; readonly mib: number }[]): number {
  const mean = (pick: (sample: (typeof samples)[number]) => number): number => samples.reduce((sum, one) => sum + pick(one), 0) / samples.length;
  const [at, mib] = [mean((one) => one.at), mean((one) => one.mib)];
  return (mean((one) => (one.at - at) * (one.mib - mib)) / mean((one) => (one.at - at) ** 2)) * SOAK_S;
}

/** What the gateway keeps in memory with a long history and much going on. */
export const row: BenchRow = {
  id: 'P13',
  about: `${SESSIONS} sessions known, ${LIVE} of them live, ${EVENTS} events; a soak of ${SOAK_S} s${LONG ? '' : ' (10 min with --long)'}`,
  run: async () => {
    const gateway = await GatewayUnderTest.start();
    try {
      await fill(gateway);
      const live = await LiveSessions.start(gateway);
      await sample(gateway, WARM_UP_S);
      const samples = await sample(gateway, SOAK_S);
      await live.end();
      const slope = growth(samples);
      const steady: Figure = {
        name: `growth of RSS over ${SOAK_S} s of ${live.turns} turns`, ours: slope, baseline: null, unit: 'MiB', against: 'limit', target: `0 +- ${SLOPE_MIB} MiB`, ok: Math.abs(slope) <= SLOPE_MIB,
      };
      return [atMost(RSS_MIB, { name: 'highest RSS', ours: Math.max(...samples.map(({ mib }) => mib)), unit: 'MiB' }), steady];
    } finally {
      await gateway.stop();
    }
  },
};
