import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connectOrStart } from '../../src/connector/connect.ts';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { readDescriptor } from '../../src/connector/descriptor.ts';
import type { GatewayCommand } from '../../src/connector/spawnGateway.ts';
import { clientId, commandId } from '../../src/protocol/ids.ts';
import type { GatewayDescriptor } from '../../src/protocol/gateway/descriptor.ts';
import { eventually } from './eventually.ts';
import { allProcesses, isAlive, type ProcessInfo } from './processes.ts';
import { TestClient, type TestClientOptions } from './testClient.ts';

const MAIN = path.join(import.meta.dirname, 'gatewayMain.ts');

export interface HarnessOptions {
  /** driven: time stands still until `advance`. none: the entry is the product's own, which takes no clock. */
  readonly clock?: 'driven' | 'system' | 'none';
  /** Of the data root's folder. */
  readonly name?: string;
  /** The entry of the gateway, where it is not the one in the sources. */
  readonly main?: string;
}

/** A real gateway process on a data root of its own, started the way an editor starts it. */
export class GatewayHarness {
  readonly dataRoot: string;
  readonly command: GatewayCommand;
  readonly #home: string;
  readonly #clients: TestClient[] = [];
  readonly #pids = new Set<number>();
  #stopped = false;

  static async start(options: HarnessOptions = {}): Promise<GatewayHarness> {
    const harness = new GatewayHarness(options);
    await harness.restart();
    return harness;
  }

  /** Prepares the folders and starts nothing. */
  constructor({ clock = 'driven', name = 'data', main = MAIN }: HarnessOptions = {}) {
    // Canonical, so that a folder's name here is its name in the gateway; short, as socket paths are.
    this.#home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'attgw-')));
    this.dataRoot = path.join(this.#home, name);
    this.command = { command: process.execPath, args: clock === 'none' ? [main] : [main, '--clock', clock] };
  }

  get descriptor(): GatewayDescriptor {
    const found = readDescriptor(dataRootPaths(this.dataRoot));
    if (found === null) throw new Error('no gateway has described itself');
    return found;
  }

  get pid(): number {
    return this.descriptor.pid;
  }

  /** Starts the gateway unless it runs; with arguments of its own, if there are any. */
  async restart(...more: string[]): Promise<void> {
    // A test that timed out may still be running.
    if (this.#stopped) throw new Error('this harness has been stopped');
    const connection = await connectOrStart({
      dataRoot: this.dataRoot,
      spawn: { ...this.command, args: [...this.command.args, ...more] },
      hello: { clientId: clientId.parse('harness'), kind: 'cli', workspaces: [] },
    });
    connection.dispose();
    this.#pids.add(this.pid);
  }

  folder(name = 'demo'): string {
    const folder = path.join(this.#home, name);
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }

  async client(options: TestClientOptions = {}): Promise<TestClient> {
    const client = await TestClient.connect(this.dataRoot, { folders: [this.folder()], ...options });
    this.#clients.push(client);
    return client;
  }

  /** Moves the gateway's clock; whatever became due has run when it returns. */
  async advance(ms: number): Promise<void> {
    const client = await TestClient.connect(this.dataRoot, { kind: 'cli', clientId: 'clock' });
    await client.raw('test/clock.advance', { ms });
    client.close();
  }

  /** Moves the clock once nobody is connected. */
  async advanceAlone(ms: number): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close();
    const client = await TestClient.connect(this.dataRoot, { kind: 'cli', clientId: 'clock' });
    const marker = path.join(this.dataRoot, `advanced-${randomUUID()}`);
    await client.raw('test/clock.advance', { ms, whenAlone: marker });
    client.close();
    await eventually('time has moved', () => fs.existsSync(marker));
  }

  /** Closes a client and waits until the gateway knows that it is gone. */
  async left(client: TestClient): Promise<void> {
    const watcher = await TestClient.connect(this.dataRoot, { kind: 'cli', clientId: 'watcher' });
    const { connections } = await watcher.call('gateway/status', {});
    client.close();
    await eventually('the gateway has noticed', async () => (await watcher.call('gateway/status', {})).connections < connections);
    watcher.close();
  }

  async kill9(): Promise<void> {
    const { pid } = this;
    process.kill(pid, 'SIGKILL');
    await eventually('the gateway is dead', () => !isAlive(pid));
  }

  /** Every row of every table, for comparing before and after. */
  dump(): Record<string, unknown[]> {
    const file = fs.readdirSync(this.dataRoot).find((name) => name.endsWith('.db') && name !== 'lock.db');
    if (file === undefined) throw new Error('there is no store');
    const database = new DatabaseSync(path.join(this.dataRoot, file), { readOnly: true });
    try {
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all() as { name: string }[];
      return Object.fromEntries(tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]));
    } finally {
      database.close();
    }
  }

  /** The gateway's own log so far. */
  log(): string {
    return fs.readFileSync(dataRootPaths(this.dataRoot).log, 'utf8');
  }

  /** Ends every process it started and removes its folders. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const client of this.#clients) client.close();
    await this.#shutdown();
    const faults = this.#internalErrors();
    for (const pid of this.#pids) await eventually(`gateway ${pid} has ended`, () => !isAlive(pid));
    // Losers of a start race may come up only now, and would find the place free.
    for (const { pid } of this.#starters()) process.kill(pid, 'SIGKILL');
    await eventually('no process is left', () => this.#starters().length === 0);
    fs.rmSync(this.#home, { recursive: true, force: true });
    assert.deepEqual(faults, [], 'the gateway met nothing it did not expect');
  }

  #internalErrors(): string[] {
    const file = dataRootPaths(this.dataRoot).log;
    if (!fs.existsSync(file)) return [];
    return fs.readFileSync(file, 'utf8').split('\n').filter((line) => / error /.test(line) && !/a planned fault|newer version of the gateway/.test(line));
  }

  /** Every process on this data root, whoever started it: a pump starts gateways, too. */
  #starters(): ProcessInfo[] {
    return allProcesses().filter(({ pid, command }) => pid !== process.pid && command.includes(`--data-root ${this.dataRoot}`));
  }

  /** Asks whatever gateway answers on this data root to end. */
  async #shutdown(): Promise<void> {
    try {
      const client = await TestClient.connect(this.dataRoot, { kind: 'cli' });
      this.#pids.add((await client.call('gateway/status', {})).pid);
      await client.call('gateway/shutdown', { commandId: commandId.parse('stop'), ifIdle: false });
      await client.peer.closed;
    } catch {
      // None runs.
    }
  }

  /** Takes over the duty to end a gateway that something else started on this data root. */
  adopt(pid: number): void {
    this.#pids.add(pid);
  }
}
