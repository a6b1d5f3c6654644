import { readFileSync, readlinkSync } from 'node:fs';

/** Numbers of the calls that read from a file, by processor. On others nothing is said. */
const READS: Readonly<Record<string, readonly string[]>> = { x64: ['0', '19'], arm64: ['63', '65'] };

/**
 * Whether a process stands still in reading from a terminal, which nobody can type into. Linux only: elsewhere, and where the
 * system does not tell, false. One that reads its terminal in another way (an event loop) is not seen.
 */
export function readsTerminal(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const [call = '', fd = ''] = readFileSync(`/proc/${String(pid)}/syscall`, 'latin1').split(' ');
    if (READS[process.arch]?.includes(call) !== true) return false;
    return /^\/dev\/(?:pts\/\d+|tty\w*|console)$/.test(readlinkSync(`/proc/${String(pid)}/fd/${String(Number(fd))}`));
  } catch {
    return false;
  }
}
