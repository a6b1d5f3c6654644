import { execFile } from 'node:child_process';
import type { Clock } from '../base/clock.ts';
import { listProcesses, processesWithEnvironment, type ProcessInfo } from './processList.ts';
import { readsTerminal } from './terminalReaders.ts';

const graceMs = 1_000;
const pollMs = 25;
const maxRounds = 400;

/**
 * Everything that came from one process of ours, wherever it hangs now. A number that was given to another process in the
 * meantime is never taken for one of ours.
 */
export class ProcessTree {
  readonly #pid: number;
  readonly #marker: string;
  readonly #clock: Clock;
  /** Seen alive in the tree: a child whose parent ended is found by nothing else. */
  readonly #known = new Map<string, ProcessInfo>();

  /** To be made while the process is known to live. `marker`: text in its environment that only this tree has. */
  constructor(pid: number, marker: string, clock: Clock) {
    this.#pid = pid;
    this.#marker = marker;
    this.#clock = clock;
  }

  /** To be called while the first process lives and again at the moment it ends: learns what belongs to it. */
  async learn(): Promise<void> {
    if (process.platform !== 'win32') await this.#members(true);
  }

  /** True while any process of the tree lives. */
  async isAlive(): Promise<boolean> {
    if (process.platform === 'win32') return isAlive(this.#pid);
    return (await this.#members(false)).length > 0;
  }

  /** True when one of its processes stands still in reading from a terminal. */
  async waitsForInput(): Promise<boolean> {
    return process.platform === 'linux' && (await this.#members(false)).some(({ pid }) => readsTerminal(pid));
  }

  /** SIGTERM to the whole tree now, SIGKILL to what is left after a second. Resolves when none of it is left. */
  async kill(): Promise<void> {
    if (process.platform === 'win32') return killWindowsTree(this.#pid);
    await this.#end(() => true);
  }

  /** The same for what was started since the mark. Resolves with how many there were. */
  async killSince(mark: number): Promise<number> {
    if (process.platform === 'win32') return 0;
    return this.#end(({ pid, startedAt }) => pid !== this.#pid && startedAt >= mark);
  }

  async #end(isMeant: (info: ProcessInfo) => boolean): Promise<number> {
    const seen = new Set<string>();
    const deadline = this.#clock.monotonic() + graceMs;
    let told = new Set<string>();
    for (let round = 0; round < maxRounds; round += 1) {
      const alive = (await this.#members(false)).filter(isMeant);
      if (alive.length === 0) break;
      const hard = this.#clock.monotonic() >= deadline;
      for (const member of alive) if (hard || !told.has(keyOf(member))) send(member.pid, hard ? 'SIGKILL' : 'SIGTERM');
      told = new Set(alive.map(keyOf));
      for (const key of told) seen.add(key);
      await new Promise<void>((resolve) => void this.#clock.setTimeout(resolve, pollMs));
    }
    return seen.size;
  }

  /** The live processes of the tree. `fresh`: the number of the first one cannot have been given away yet. */
  async #members(fresh: boolean): Promise<ProcessInfo[]> {
    const all = (await listProcesses()).filter(({ pid }) => pid !== process.pid);
    const marked = new Set(processesWithEnvironment(this.#marker));
    const sure = all.filter((info) => this.#known.has(keyOf(info)) || marked.has(info.pid) || (fresh && info.pid === this.#pid));
    const inTree = new Set(sure.map(({ pid }) => pid));
    const groups = new Set(fresh ? [this.#pid] : sure.filter(({ pid, pgid }) => pgid === this.#pid || pid === pgid).map(({ pgid }) => pgid));
    for (let grown = true; grown; ) {
      grown = false;
      for (const { pid, ppid, pgid } of all) {
        if (inTree.has(pid) || (!inTree.has(ppid) && !groups.has(pgid))) continue;
        inTree.add(pid);
        if (pid === pgid) groups.add(pgid);
        grown = true;
      }
    }
    const found = all.filter(({ pid }) => inTree.has(pid));
    for (const info of found) this.#known.set(keyOf(info), info);
    return found;
  }
}

const keyOf = (info: ProcessInfo): string => `${String(info.pid)} ${info.born}`;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime, or belongs to another user.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function killWindowsTree(pid: number): Promise<void> {
  await new Promise<void>((resolve) => execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve()));
}
