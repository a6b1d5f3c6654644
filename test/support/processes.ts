import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Every process of this machine that is not a zombie. */
export function allProcesses(): ProcessInfo[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8', maxBuffer: 64e6 }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** Whether it runs: one that has ended and was not waited for yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

/** The processes below `root` in the tree, nearest first. */
export function descendants(root: number): ProcessInfo[] {
  const all = allProcesses();
  const below = (pid: number): ProcessInfo[] => {
    const children = all.filter(({ parent }) => parent === pid);
    return [...children, ...children.flatMap((child) => below(child.pid))];
  };
  return below(root);
}

/**
 * The processes that were started with `marker` somewhere in their environment, wherever they hang in the tree now: a
 * gateway is detached from the window that started it. A unique folder is a good marker.
 */
export function processesWith(marker: string): ProcessInfo[] {
  return allProcesses().filter(({ pid }) => pid !== process.pid && environment(pid).includes(marker));
}

/** Ends what still carries the marker. */
export function killProcessesWith(marker: string): void {
  for (const { pid } of processesWith(marker)) {
    try { process.kill(pid, 'SIGKILL'); } catch { /* it ended by itself */ }
  }
}

function environment(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
