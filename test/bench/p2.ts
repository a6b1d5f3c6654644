import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encodeFrame, FrameDecoder } from '../../src/connector/frames.ts';
import { connectOnly, type GatewayConnection } from '../../src/connector/connect.ts';
import { clientId, type SessionId } from '../../src/protocol/ids.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import type { Notifications } from '../../src/protocol/subscription/commands.ts';
import { delta, startMessage, submit, TestHost } from '../support/testHost.ts';
import { atMostTimes, percentile, timesLess, type BenchRow } from './support/benchRow.ts';
import { textSource } from './support/corpus.ts';
import { GatewayUnderTest } from './support/gatewayUnderTest.ts';

const CLIENTS = 20;
const EVENTS = 10_000;
const ROUNDS = 7;
const BATCH = 500;

/** A turn of that many events, packed. */
async function longTurn(gateway: GatewayUnderTest): Promise<SessionId> {
  const client = await gateway.client();
  const host = await TestHost.start(client, { workspace: gateway.folder });
  await submit(client, host.sessionId, 'work');
  await host.claim();
  await host.report(startMessage('a'), startMessage('b'));
  const text = textSource();
  for (let n = 0; n < EVENTS; n += BATCH) await host.report(...Array.from({ length: BATCH }, (_, at) => delta(at % 2 === 0 ? 'a' : 'b', text(80))));
  await host.complete('done');
  await gateway.settled();
  client.close();
  return host.sessionId;
}

type Batch = Notifications['event/batch'];

const connect = (gateway: GatewayUnderTest): Promise<GatewayConnection> =>
  connectOnly({ dataRoot: gateway.dataRoot, hello: { clientId: clientId.parse('drain'), kind: 'editor', workspaces: [{ path: gateway.folder, trusted: true }] } });

/** Takes in a whole replay, acknowledging as a client must; gives back the frames' bodies when `keep` says so. */
async function drain({ socket, hello }: GatewayConnection, session: SessionId, keep: boolean): Promise<Buffer[]> {
  const decoder = new FrameDecoder(LIMITS.frameBytes);
  const bodies: Buffer[] = [];
  socket.write(encodeFrame({ jsonrpc: '2.0', id: 1, method: 'sub/subscribe', params: { scope: { session }, from: { epoch: hello.epoch, seq: 0 } } }));
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      decoder.push(chunk);
      for (let body = decoder.next(); body !== null; body = decoder.next()) {
        const start = body.toString('latin1', 0, 300);
        const found = /"subscriptionId":"(\w+)".*"deliverySeq":(\d+),"head":(\d+)/.exec(start);
        if (found === null) continue;
        if (keep) bodies.push(Buffer.from(body));
        socket.write(encodeFrame({ jsonrpc: '2.0', method: 'event/ack', params: { subscriptionId: found[1], deliverySeq: Number(found[2]) } }));
        if (body.includes(`"seq":${found[3]},`)) resolve();
      }
    }).resume();
  });
  socket.destroy();
  return bodies;
}

/** A baseline server that gives the same to as many clients, in a process of its own. */
class Baseline {
  readonly #child: ChildProcess;
  readonly #endpoint: string;

  static async start(kind: 'buffers' | 'rows', folder: string, file: string): Promise<Baseline> {
    const endpoint = path.join(folder, `${kind}.sock`);
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'support/servers.cjs'), kind, endpoint, file], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
    return new Baseline(child, endpoint);
  }

  constructor(child: ChildProcess, endpoint: string) {
    this.#child = child;
    this.#endpoint = endpoint;
  }

  /** CPU of one replay to all, in us. */
  async replay(): Promise<number> {
    const before = await this.#ask('cpu');
    await Promise.all(Array.from({ length: CLIENTS }, async () => once(net.connect(this.#endpoint).resume(), 'close')));
    return (await this.#ask('cpu')) - before;
  }

  async end(): Promise<void> {
    await Promise.all([once(this.#child, 'exit'), this.#ask('stop')]);
  }

  async #ask(message: string): Promise<number> {
    const answer = once(this.#child, 'message');
    this.#child.send(message);
    return ((await answer) as [number])[0];
  }
}

/** CPU of the gateway for one replay to all, in us. Who reads is connected before. */
async function ownReplay(gateway: GatewayUnderTest, session: SessionId): Promise<number> {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect(gateway)));
  const { cpuUs } = await gateway.counts();
  await Promise.all(clients.map((client) => drain(client, session, false)));
  return (await gateway.counts()).cpuUs - cpuUs;
}

function writeRows(file: string, bodies: readonly Buffer[]): void {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE events (eventNo INTEGER PRIMARY KEY, event TEXT NOT NULL) STRICT; BEGIN');
  const insert = database.prepare('INSERT INTO events (event) VALUES (?)');
  for (const body of bodies) for (const event of (JSON.parse(body.toString()) as { params: Batch }).params.events) insert.run(JSON.stringify(event));
  database.exec('COMMIT');
  database.close();
}

/** Medians in ms, taken in turn, after a round that makes the code of all as warm as it is in a process that has been running. */
async function rounds(gateway: GatewayUnderTest, [session, another]: readonly [SessionId, SessionId], baselines: readonly [Baseline, Baseline]): Promise<[number, number, number]> {
  const took: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n <= ROUNDS; n++) {
    // Both together are more than is kept at hand: the session that is measured comes from the store each time.
    await ownReplay(gateway, another);
    const round = [await ownReplay(gateway, session), await baselines[0].replay(), await baselines[1].replay()] as const;
    if (n > 0) for (const [at, us] of round.entries()) took[at]?.push(us);
  }
  return took.map((us) => percentile(us, 0.5) / 1000) as [number, number, number];
}

/** What is beyond the replay cache comes from packed segments, unpacked once for all who read it. */
export const row: BenchRow = {
  id: 'P2',
  about: `a replay of ${EVENTS} events to ${CLIENTS} clients, median of ${ROUNDS}`,
  run: async () => {
    const gateway = await GatewayUnderTest.start();
    try {
      const [session, another] = [await longTurn(gateway), await longTurn(gateway)];
      const bodies = await drain(await connect(gateway), session, true);
      const [buffers, rows] = [path.join(gateway.folder, 'batches'), path.join(gateway.folder, 'rows.db')];
      fs.writeFileSync(buffers, bodies.map((body) => body.toString('latin1')).join('\0'), 'latin1');
      writeRows(rows, bodies);
      await gateway.settled();
      const baselines = [await Baseline.start('buffers', gateway.folder, buffers), await Baseline.start('rows', gateway.folder, rows)] as const;
      const [ours, written, reread] = await rounds(gateway, [session, another], baselines);
      for (const baseline of baselines) await baseline.end();
      return [
        atMostTimes(2, { name: 'CPU of the gateway', ours, baseline: written, unit: 'ms', against: 'the same bytes from a Buffer' }),
        timesLess(20, { name: 'CPU of the gateway', ours, baseline: reread, unit: 'ms', against: `re-reading rows; the bytes alone: ${(reread / written).toFixed(1)}x less` }),
      ];
    } finally {
      await gateway.stop();
    }
  },
};
