import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFrame, FrameDecoder } from '../../src/connector/frames.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { delta, startMessage, submit, TestHost } from '../support/testHost.ts';
import { atMost, atMostTimes, percentile, type BenchRow, type Figure } from './support/benchRow.ts';
import { textSource } from './support/corpus.ts';
import { GatewayUnderTest } from './support/gatewayUnderTest.ts';

/** What a host sends of 1,000 deltas of 20 characters a second: one report every 8 ms, with what has come in between. */
const REPORTS = 500;
const WARM_UP = 100;
const REPORT_MS = 8;
const REPORT_CHARS = 160;

/** Sends at that pace, however late a timer comes, and gives back when each was sent. */
async function paced(send: (n: number) => void): Promise<number[]> {
  const sentAt: number[] = [];
  const begun = performance.now();
  while (sentAt.length < REPORTS) {
    const due = Math.min(REPORTS, Math.floor((performance.now() - begun) / REPORT_MS));
    while (sentAt.length < due) {
      sentAt.push(performance.now());
      send(sentAt.length - 1);
    }
    await sleep(1);
  }
  return sentAt;
}

const delays = (sent: readonly number[], received: readonly number[]): number[] => received.slice(WARM_UP).map((at, n) => at - (sent[n + WARM_UP] ?? at));

/** On their way to a client that follows the session. */
async function throughGateway(gateway: GatewayUnderTest): Promise<{ delays: number[]; appends: readonly number[] }> {
  const host = await TestHost.start(await gateway.client(), { workspace: gateway.folder });
  await submit(host.client, host.sessionId, 'work');
  await host.claim();
  await host.report(startMessage('m'));
  const viewer = await gateway.client();
  const received: number[] = [];
  const all = new Promise<void>((resolve) => {
    viewer.on('event/batch', ({ events }) => {
      for (const { type } of events) if (type === 'item.delta') received.push(performance.now());
      if (received.length >= REPORTS) resolve();
    });
  });
  await viewer.call('sub/subscribe', { scope: { session: host.sessionId } });
  await gateway.reset();
  const text = textSource();
  const sent = await paced((n) => {
    void host.client.raw('host/report', { ...host.target, claimId: host.claimId, reportSeq: n + 2, ops: [delta('m', text(REPORT_CHARS))] });
  });
  await all;
  return { delays: delays(sent, received), appends: (await gateway.counts()).appends };
}

/** The same frames through a process that only passes bytes on. */
async function throughRelay(folder: string): Promise<number[]> {
  const endpoint = path.join(folder, 'relay.sock');
  const relay = spawn(process.execPath, [path.join(import.meta.dirname, 'support/relay.cjs'), endpoint], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(relay, 'message');
  const sender = net.connect(endpoint);
  await once(sender, 'connect');
  const receiver = net.connect(endpoint);
  await once(receiver, 'connect');
  const decoder = new FrameDecoder(LIMITS.frameBytes);
  const received: number[] = [];
  const all = new Promise<void>((resolve) => {
    receiver.on('data', (chunk: Buffer) => {
      decoder.push(chunk);
      for (let body = decoder.next(); body !== null; body = decoder.next()) {
        JSON.parse(body.toString('utf8'));
        received.push(performance.now());
      }
      if (received.length >= REPORTS) resolve();
    });
  });
  const text = textSource();
  const sent = await paced((n) => void sender.write(encodeFrame({ jsonrpc: '2.0', id: n, method: 'host/report', params: { reportSeq: n, ops: [delta('m', text(REPORT_CHARS))] } })));
  await all;
  sender.destroy();
  receiver.destroy();
  relay.disconnect();
  return delays(sent, received);
}

/** What it costs to store before anything is shown. */
export const row: BenchRow = {
  id: 'P3',
  about: '1,000 deltas a second, each stored before it is forwarded',
  run: async () => {
    const gateway = await GatewayUnderTest.start();
    try {
      const ours = await throughGateway(gateway);
      const baseline = await throughRelay(gateway.folder);
      const [p50, base50] = [percentile(ours.delays, 0.5), percentile(baseline, 0.5)];
      const added: Figure = {
        name: 'delay p50', ours: p50, baseline: base50, unit: 'ms', against: 'bytes passed on', target: '<= +0.15 ms', ok: p50 - base50 <= 0.15,
      };
      return [
        added,
        atMostTimes(2, { name: 'delay p99', ours: percentile(ours.delays, 0.99), baseline: percentile(baseline, 0.99), unit: 'ms', against: 'bytes passed on' }),
        atMost(10, { name: 'longest append', ours: Math.max(...ours.appends), unit: 'ms' }),
      ];
    } finally {
      await gateway.stop();
    }
  },
};
