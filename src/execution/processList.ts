import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** A live process; one that has ended and only waits to be collected is never listed. */
export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** Differs when a number has been given to another process. */
  readonly born: string;
  /** Of its start, on the scale of `processMark`. */
  readonly startedAt: number;
}

// A process's start is told in hundredths of a second since the machine's start.
const tickMs = 10;

/** This moment, for comparing with `startedAt`; never later than a process that is started after it. */
export function processMark(): number {
  if (process.platform !== 'linux') return Math.floor(Date.now() / 1_000) * 1_000;
  const uptime = Number.parseFloat(readFileSync('/proc/uptime', 'latin1'));
  return Math.floor((uptime * 1_000) / tickMs) * tickMs;
}

/** All processes of this machine that can be seen. POSIX only. */
export async function listProcesses(): Promise<ProcessInfo[]> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Numbers of the processes that were started with this text in their environment. Linux only; empty elsewhere. */
export function processesWithEnvironment(text: string): number[] {
  if (process.platform !== 'linux') return [];
  return procNumbers().filter((pid) => readProc(pid, 'environ')?.includes(text) === true);
}

function fromProc(): ProcessInfo[] {
  return procNumbers().flatMap((pid) => {
    const stat = readProc(pid, 'stat');
    // The name in parentheses may hold anything, so the fields are counted from its end.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    const [state, ppid, pgid] = fields;
    if (ppid === undefined || pgid === undefined || state === 'Z' || state === 'X') return [];
    return [{ pid, ppid: Number(ppid), pgid: Number(pgid), born: fields[19] ?? '', startedAt: Number(fields[19]) * tickMs }];
  });
}

const procNumbers = (): number[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'latin1');
  } catch {
    return null;
  }
}

async function fromPs(): Promise<ProcessInfo[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [pid, ppid, pgid, stat, ...born] = line.trim().split(/\s+/);
    if (pid === undefined || ppid === undefined || pgid === undefined || stat?.startsWith('Z') !== false) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), born: born.join(' '), startedAt: Date.parse(born.join(' ')) }];
  });
}
