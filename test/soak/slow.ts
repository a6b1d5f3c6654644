import assert from 'node:assert/strict';
import { LIMITS } from '../../src/protocol/limits.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { greeted, type RawClient } from '../support/rawClient.ts';
import type { SoakFigures, SoakOptions } from '../support/soak.ts';
import type { TestClient } from '../support/testClient.ts';
import { delta, startMessage, submit, TestHost } from '../support/testHost.ts';

export const about = 'a client that never reads while so many MB are produced: what waits for it, where it is cut off, and what the others feel of it';
export const defaultRuns = 100;

const REPORT_CHARS = 64 * 1024;
const REPORTS_PER_MB = 16;
const MB = 1024 * 1024;
/** What the kernel takes for a peer that reads nothing is not what waits in the gateway. */
const MEMORY_BYTES = 64 * MB;

const percentile = (values: readonly number[], share: number): number => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** Produces, with somebody who follows it; gives back how long each piece took to come to them. */
async function produce(host: TestHost, viewer: TestClient, mb: number): Promise<number[]> {
  const delays: number[] = [];
  let arrived: (() => void) | null = null;
  viewer.on('event/batch', ({ events }) => {
    if (events.some(({ type }) => type === 'item.delta')) arrived?.();
  });
  const piece = 'x'.repeat(REPORT_CHARS);
  for (let n = 0; n < mb * REPORTS_PER_MB; n++) {
    const begun = performance.now();
    const seen = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await host.report(delta('m', piece));
    await seen;
    delays.push(performance.now() - begun);
    viewer.batches.length = 0;
  }
  return delays;
}

async function running(gateway: GatewayHarness, goal: string): Promise<{ host: TestHost; viewer: TestClient }> {
  const host = await TestHost.start(await gateway.client(), { workspace: gateway.folder(), goal });
  await submit(host.client, host.sessionId, 'work');
  await host.claim();
  await host.report(startMessage('m'));
  const viewer = await gateway.client({ kind: 'cli' });
  await viewer.call('sub/subscribe', { scope: { session: host.sessionId } });
  return { host, viewer };
}

async function neverReading(gateway: GatewayHarness, host: TestHost): Promise<RawClient> {
  const lazy = await greeted(gateway, { clientId: 'lazy', workspaces: [{ path: gateway.folder(), trusted: true }] });
  await lazy.request(1, 'sub/subscribe', { scope: { session: host.sessionId } });
  lazy.socket.pause();
  return lazy;
}

/** What it got and where it was told to go on. */
async function cutOff(lazy: RawClient): Promise<{ bytes: number; resumeFrom: number }> {
  lazy.socket.resume();
  const closed = await eventually('it is told that it was cut off', () => lazy.received.find(({ method }) => method === 'sub/closed'));
  const events = lazy.received.filter(({ method }) => method === 'event/batch').flatMap(({ params }) => params?.['events'] as SessionEvent[]);
  assert.equal(closed.params?.['reason'], 'slow_consumer');
  assert.equal(closed.params?.['resumeFrom'], events.at(-1)?.seq, 'it goes on right after what it got');
  return { bytes: lazy.socket.bytesRead, resumeFrom: Number(closed.params?.['resumeFrom']) };
}

/** `runs` are MB; the same amount is produced with and without the one that does not read, a quarter at a time in turn. */
export async function run({ runs, report }: SoakOptions): Promise<SoakFigures> {
  const gateway = new GatewayHarness({ main: await bundleGateway('src/gateway/main.ts'), clock: 'none' });
  try {
    await gateway.restart();
    const [alone, along] = [await running(gateway, 'alone'), await running(gateway, 'along')];
    const [without, beside]: number[][] = [[], []];
    const part = Math.max(1, Math.ceil(runs / 4));
    await produce(alone.host, alone.viewer, 1);
    await produce(along.host, along.viewer, 1);
    const { rssBytes } = await along.viewer.call('gateway/status', {});
    const lazy = await neverReading(gateway, along.host);
    for (let mb = 0; mb < runs; mb += part) {
      without?.push(...(await produce(alone.host, alone.viewer, part)));
      beside?.push(...(await produce(along.host, along.viewer, part)));
      report(`${mb + part} MB beside it`);
    }
    const grown = (await along.viewer.call('gateway/status', {})).rssBytes - rssBytes;
    const { bytes } = await cutOff(lazy);
    lazy.socket.destroy();
    assert.ok(bytes <= LIMITS.outboundBytes + MB, `${bytes} bytes waited for it`);
    assert.ok(grown < MEMORY_BYTES, `${Math.round(grown / MB)} MB more are held`);
    const [p99, p99Alone] = [percentile(beside ?? [], 0.99), percentile(without ?? [], 0.99)];
    report(`p99 ${p99.toFixed(2)} ms beside it, ${p99Alone.toFixed(2)} ms without: ${(p99 / p99Alone).toFixed(2)}x (<= 1.2x)`);
    return { MB: runs, 'bytes waited for it': bytes, 'MB more held': Math.round(grown / MB), 'percent of the p99 without it': Math.round((100 * p99) / p99Alone) };
  } finally {
    await gateway.stop();
  }
}
