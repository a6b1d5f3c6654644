import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { delta, startMessage, submit, TestHost } from '../support/testHost.ts';
import { atMostTimes, percentile, type BenchRow, type Figure } from './support/benchRow.ts';
import { textSource } from './support/corpus.ts';
import { GatewayUnderTest } from './support/gatewayUnderTest.ts';
import { forgetCached, makeLarge } from './support/largeStore.ts';

const SMALL = process.argv.includes('--small');
/** About a kilobyte each. */
const EVENTS = SMALL ? 250_000 : 1_000_000;
const SESSIONS = 1000;
const OPENS = 5;
const REPORTS = 300;
/** As many wait in a session as may. */
const QUEUE = 20;
const SUBMIT_SESSIONS = 50;
const SUBMITS = QUEUE * SUBMIT_SESSIONS;
const WAKES = 200;
const ECHO_BYTES = 900;

const support = (file: string): string => path.join(import.meta.dirname, 'support', file);
const median = (values: readonly number[]): number => percentile(values, 0.5);

/** `ours` must be so many times the baseline. */
const atLeastTimes = (times: number, compared: Omit<Figure, 'target' | 'ok' | 'baseline'> & { readonly baseline: number }): Figure =>
  ({ ...compared, target: `>= ${times}x`, ok: compared.ours >= times * compared.baseline });

/** A session that has worked, and then many more beside it, by SQL. */
async function large(gateway: GatewayUnderTest): Promise<string> {
  const { bavail, bsize } = fs.statfsSync(gateway.folder);
  assert.ok(bavail * bsize > EVENTS * 3000, 'there is no room for a store of that size');
  const host = await TestHost.start(await gateway.client(), { workspace: gateway.folder });
  await submit(host.client, host.sessionId, 'work');
  await host.claim();
  await host.report(startMessage('m'));
  const text = textSource();
  for (let n = 0; n < REPORTS; n++) await host.report(delta('m', text(200)));
  await host.complete('done');
  await gateway.settled();
  await gateway.end();
  return makeLarge(gateway.storeFile, { sessions: SESSIONS, events: EVENTS });
}

async function coldOpen(gateway: GatewayUnderTest): Promise<Figure> {
  const session = await large(gateway);
  const took: Record<'bare' | 'ours', number[]> = { bare: [], ours: [] };
  for (let n = 0; n < OPENS; n++) {
    for (const kind of ['bare', 'ours'] as const) {
      forgetCached(gateway.storeFile);
      took[kind].push(Number(execFileSync(process.execPath, [support('coldOpen.ts'), kind, gateway.storeFile, gateway.folder, session])));
    }
  }
  const mib = Math.round(fs.statSync(gateway.storeFile).size / 1024 / 1024);
  return atMostTimes(1.5, { name: `cold open of ${mib} MiB, 1,000 sessions, 200 events and a page`, ours: median(took.ours), baseline: median(took.bare), unit: 'ms', against: 'bare SQL' });
}

/** Messages a second, all on the disk before they are answered, sent without waiting for each other. */
async function submitsPerSecond(gateway: GatewayUnderTest): Promise<number> {
  const client = await gateway.client();
  const hosts: TestHost[] = [];
  for (let n = 0; n < SUBMIT_SESSIONS; n++) hosts.push(await TestHost.start(client, { workspace: gateway.folder }));
  const begun = performance.now();
  await Promise.all(Array.from({ length: SUBMITS }, (_, n) => submit(client, hosts[n % SUBMIT_SESSIONS]!.sessionId, 'work')));
  const seconds = (performance.now() - begun) / 1000;
  client.close();
  return SUBMITS / seconds;
}

function commitsPerSecond(folder: string): number {
  const database = new DatabaseSync(path.join(folder, 'raw.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO rows (text) VALUES (?)');
  const begun = performance.now();
  for (let n = 0; n < SUBMITS; n++) insert.run('x'.repeat(ECHO_BYTES));
  const seconds = (performance.now() - begun) / 1000;
  database.close();
  return SUBMITS / seconds;
}

/** From the moment a message is sent until the host that waits for one has it, in ms. */
async function wakes(gateway: GatewayUnderTest): Promise<number[]> {
  const host = await TestHost.start(await gateway.client(), { workspace: gateway.folder });
  const client = await gateway.client();
  const took: number[] = [];
  for (let n = 0; n < WAKES; n++) {
    const claimed = host.claim(30);
    await host.renew();
    const begun = performance.now();
    const submitted = submit(client, host.sessionId, 'work');
    assert.ok((await claimed) !== null);
    took.push(performance.now() - begun);
    await submitted;
    await host.complete('done');
  }
  return took;
}

async function echoes(folder: string): Promise<number[]> {
  const endpoint = path.join(folder, 'echo.sock');
  const relay = spawn(process.execPath, [support('relay.cjs'), endpoint], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(relay, 'message');
  const [sender, receiver] = [net.connect(endpoint), net.connect(endpoint)];
  await Promise.all([once(sender, 'connect'), once(receiver, 'connect')]);
  const took: number[] = [];
  for (let n = 0; n < WAKES; n++) {
    const begun = performance.now();
    sender.write(Buffer.alloc(ECHO_BYTES));
    await once(receiver, 'data');
    took.push(performance.now() - begun);
  }
  sender.destroy();
  receiver.destroy();
  relay.disconnect();
  return took;
}

async function withGateway<T>(work: (gateway: GatewayUnderTest) => Promise<T>): Promise<T> {
  const gateway = await GatewayUnderTest.start();
  try {
    return await work(gateway);
  } finally {
    await gateway.stop();
  }
}

/** What a large store and durability cost. `--small`: a quarter of the events. */
export const row: BenchRow = {
  id: 'P6',
  about: `a store of ${EVENTS} events opened cold; durable messages; waking a host`,
  run: async () => [
    await withGateway(coldOpen),
    ...(await withGateway(async (gateway) => [
      atLeastTimes(0.7, { name: 'durable messages a second', ours: await submitsPerSecond(gateway), baseline: commitsPerSecond(gateway.folder), unit: '/s', against: 'raw commits with FULL' }),
      atMostTimes(5, { name: 'wake of a waiting claim p50', ours: median(await wakes(gateway)), baseline: median(await echoes(gateway.folder)), unit: 'ms', against: 'bytes passed on' }),
    ])),
  ],
};
