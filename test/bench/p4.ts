import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { delta, startMessage, submit, TestHost } from '../support/testHost.ts';
import { atMost, timesLess, type BenchRow } from './support/benchRow.ts';
import { textSource } from './support/corpus.ts';
import { GatewayUnderTest } from './support/gatewayUnderTest.ts';

const VIEWERS = 20;
const DELTA_CHARS = 20;
const MERGED = 64;
const REPORTS = 400;
const DELTAS = REPORTS * MERGED;

interface Cost {
  readonly cpuUs: number;
  readonly bytes: number;
  readonly head: number;
}

const support = (file: string): string => path.join(import.meta.dirname, 'support', file);

async function ask(viewer: ChildProcess): Promise<Cost> {
  const answer = once(viewer, 'message');
  viewer.send('cost');
  return ((await answer) as [Cost])[0];
}

/** Streams, and gives back what the gateway has used and what the first of the viewers has. */
async function stream(gateway: GatewayUnderTest, viewers: readonly ChildProcess[], host: TestHost): Promise<{ cpuUs: number; viewer: Cost | null }> {
  const text = textSource();
  const [first] = viewers;
  const before = first === undefined ? null : await ask(first);
  const { cpuUs } = await gateway.counts();
  for (let n = 0; n < REPORTS; n++) await host.report(delta('m', text(DELTA_CHARS * MERGED)));
  const { head } = (await host.client.call('session/get', { sessionId: host.sessionId })).snapshot;
  for (const viewer of viewers) await eventually('it has everything', async () => (await ask(viewer)).head >= head, 60_000);
  const used = (await gateway.counts()).cpuUs - cpuUs;
  if (first === undefined || before === null) return { cpuUs: used, viewer: null };
  const after = await ask(first);
  return { cpuUs: used, viewer: { cpuUs: after.cpuUs - before.cpuUs, bytes: after.bytes - before.bytes, head } };
}

/** A process with so many clients. */
async function startViewers(gateway: GatewayUnderTest, session: string, count: number): Promise<ChildProcess> {
  const viewer = spawn(process.execPath, [support('viewer.ts'), gateway.dataRoot, gateway.folder, session, String(count)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(viewer, 'message');
  return viewer;
}

/** What a delta costs on its way from the gateway to clients. */
export const row: BenchRow = {
  id: 'P4',
  about: `${DELTAS} deltas of ${DELTA_CHARS} characters, ${MERGED} merged, to ${VIEWERS} clients`,
  run: async () => {
    const gateway = await GatewayUnderTest.start();
    const viewers: ChildProcess[] = [];
    try {
      const host = await TestHost.start(await gateway.client(), { workspace: gateway.folder });
      await submit(host.client, host.sessionId, 'work');
      await host.claim();
      await host.report(startMessage('m'));
      await stream(gateway, [], host);
      const alone = await stream(gateway, [], host);
      viewers.push(await startViewers(gateway, host.sessionId, 1));
      await stream(gateway, viewers, host);
      const { viewer } = await stream(gateway, viewers, host);
      viewers.push(await startViewers(gateway, host.sessionId, VIEWERS - 1));
      const all = await stream(gateway, viewers, host);
      const perDelivery = Math.max(0, all.cpuUs - alone.cpuUs) / (DELTAS * VIEWERS);
      const received = (viewer?.cpuUs ?? Number.NaN) / DELTAS;
      const baseline = Number(execFileSync(process.execPath, [support('notifyPerDelta.ts')]).toString());
      return [
        timesLess(25, { name: 'CPU per delta, sending and receiving', ours: perDelivery + received, baseline, unit: 'us', against: 'a notification per delta' }),
        atMost(40, { name: 'bytes on the wire per delta', ours: (viewer?.bytes ?? Number.NaN) / DELTAS, unit: 'bytes' }),
        atMost(1, { name: 'fan-out per delivery of a delta', ours: perDelivery, unit: 'us' }),
      ];
    } finally {
      for (const viewer of viewers) viewer.disconnect();
      await gateway.stop();
    }
  },
};
