import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectOrStart } from '../../src/connector/connect.ts';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { readDescriptor } from '../../src/connector/descriptor.ts';
import { clientId } from '../../src/protocol/ids.ts';
import { eventually } from '../support/eventually.ts';
import { atMost, atMostTimes, percentile, type BenchRow } from './support/benchRow.ts';
import { BUNDLE } from './support/gatewayUnderTest.ts';
import { isAlive } from '../support/processes.ts';

const RUNS = 15;
/** By then what a start leaves to do has been done. */
const IDLE_MS = 5000;
const MIB = 1024 * 1024;

const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Resident memory of a live process, in MiB. Linux. */
function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1024) / MIB;
}

/** The whole life of the least that Node can do, in ms. */
async function bareStart(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

async function bareMemory(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  await sleep(IDLE_MS);
  const resident = residentMiB(child.pid!);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return resident;
}

/** Starts the gateway as an editor does: from nothing running to the answer to hello. Leaves it running. */
async function gatewayStart(dataRoot: string): Promise<{ readonly ms: number; readonly pid: number }> {
  const started = performance.now();
  const connection = await connectOrStart({
    dataRoot,
    spawn: { command: process.execPath, args: [BUNDLE] },
    hello: { clientId: clientId.parse('bench'), kind: 'editor', workspaces: [] },
  });
  const ms = performance.now() - started;
  connection.dispose();
  const pid = readDescriptor(dataRootPaths(dataRoot))?.pid;
  if (pid === undefined) throw new Error('the gateway has not described itself');
  return { ms, pid };
}

async function end(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  await eventually('the gateway has ended', () => !isAlive(pid));
}

/** Starts are taken in turns, so that both sides meet the same machine. The store is there already, as it is on all days but the first. */
export const row: BenchRow = {
  id: 'P7',
  about: `${RUNS} starts of the gateway, and what it takes when idle`,
  run: async () => {
    const dataRoot = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'attbench-')));
    try {
      await end((await gatewayStart(dataRoot)).pid);
      const [ours, bare]: [number[], number[]] = [[], []];
      for (let run = 0; run < RUNS; run++) {
        bare.push(await bareStart());
        const { ms, pid } = await gatewayStart(dataRoot);
        ours.push(ms);
        await end(pid);
      }
      const { pid } = await gatewayStart(dataRoot);
      await sleep(IDLE_MS);
      const resident = residentMiB(pid);
      await end(pid);
      return [
        atMostTimes(2, { name: 'start to first answer (median)', ours: median(ours), baseline: median(bare), unit: 'ms', against: 'node -e 0' }),
        { ...atMost(60, { name: 'idle memory', ours: resident, unit: 'MiB' }), baseline: await bareMemory(), against: 'idle bare Node' },
      ];
    } finally {
      fs.rmSync(dataRoot, { recursive: true, force: true });
    }
  },
};
