import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder that the test file removes in `after` by `remove`. */
export interface ScratchFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export async function scratchFolder(root = tmpdir()): Promise<ScratchFolder> {
  const path = await realpath(await mkdtemp(join(root, 'att-')));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Where many small stores are made and thrown away: in memory where there is such a place, since each waits for the disk. */
export const scratchRoot = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
