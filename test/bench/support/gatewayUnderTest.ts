import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataRootPaths } from '../../../src/connector/dataRoot.ts';
import { readDescriptor } from '../../../src/connector/descriptor.ts';
import { LEAN } from '../../../src/connector/spawnGateway.ts';
import { eventually } from '../../support/eventually.ts';
import { repository } from '../../support/repository.ts';
import { TestClient } from '../../support/testClient.ts';

/** Where `npm run bench` puts the production build. */
export const BUNDLE = path.join(repository, 'dist-test/bench/gateway.cjs');
/** Longer than the gateway waits before it does anything by itself. */
const SETTLE_MS = 1500;
const PROBE = path.join(import.meta.dirname, 'probe.cjs');

/** What the probe has counted in the gateway's own process. */
export interface ProbeCounts {
  readonly reads: number;
  readonly parses: number;
  readonly stringifies: number;
  /** Of each transaction, from its begin to the end of its commit, in ms. */
  readonly appends: readonly number[];
  readonly cpuUs: number;
}

/** The built gateway in a process and on a data root of its own, with a probe inside. */
export class GatewayUnderTest {
  readonly folder: string;
  readonly dataRoot: string;
  readonly #home: string;
  #child: ChildProcess | null = null;

  static async start(): Promise<GatewayUnderTest> {
    const gateway = new GatewayUnderTest();
    await gateway.restart();
    return gateway;
  }

  constructor() {
    this.#home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'attbench-')));
    this.dataRoot = path.join(this.#home, 'data');
    this.folder = path.join(this.#home, 'demo');
    fs.mkdirSync(this.folder);
  }

  get pid(): number {
    const pid = this.#child?.pid;
    assert.ok(pid !== undefined);
    return pid;
  }

  get storeFile(): string {
    return path.join(this.dataRoot, 'store.db');
  }

  /** Ends it politely when it runs, and starts it anew: nothing of its memory is left. */
  async restart(): Promise<void> {
    await this.end();
    const child = spawn(process.execPath, [...LEAN.args, '--require', PROBE, BUNDLE, '--data-root', this.dataRoot], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, ...LEAN.env },
    });
    this.#child = child;
    await eventually('the gateway is ready', () => readDescriptor(dataRootPaths(this.dataRoot))?.pid === child.pid);
  }

  client(clientId?: string): Promise<TestClient> {
    return TestClient.connect(this.dataRoot, { folders: [this.folder], ...(clientId === undefined ? {} : { clientId }) });
  }

  reset(): Promise<ProbeCounts> {
    return this.#ask('reset');
  }

  counts(): Promise<ProbeCounts> {
    return this.#ask('counts');
  }

  /** Resolves when it has done what it does after work: packed events, moved the log into the file. */
  async settled(): Promise<void> {
    let before = -1;
    await eventually('it rests', async () => {
      await sleep(SETTLE_MS);
      const { appends } = await this.counts();
      const rests = appends.length === before;
      before = appends.length;
      return rests;
    });
  }

  /** Bytes that the process has written so far, to files and sockets alike. */
  writtenBytes(): number {
    return Number(/^wchar: (\d+)$/m.exec(fs.readFileSync(`/proc/${this.pid}/io`, 'utf8'))?.[1]);
  }

  async stop(): Promise<void> {
    await this.end();
    fs.rmSync(this.#home, { recursive: true, force: true });
  }

  /** Ends it politely; its files stay. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  async #ask(message: 'reset' | 'counts'): Promise<ProbeCounts> {
    const answer = once(this.#child!, 'message');
    this.#child!.send(message);
    const [counts] = (await answer) as [ProbeCounts];
    return counts;
  }
}
