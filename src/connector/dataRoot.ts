import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AttacheError } from '../protocol/errors.ts';

/** Names of everything the gateway keeps in its data root. */
export interface DataRootPaths {
  readonly root: string;
  readonly descriptor: string;
  readonly token: string;
  readonly lock: string;
  readonly floor: string;
  readonly log: string;
  readonly startLog: string;
}

export function defaultDataRoot(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['ATTACHE_DATA_ROOT'];
  return path.resolve(named !== undefined && named !== '' ? named : path.join(os.homedir(), '.attache'));
}

export function dataRootPaths(root: string): DataRootPaths {
  const at = (name: string) => path.join(root, name);
  return {
    root,
    descriptor: at('gateway.json'),
    token: at('token'),
    lock: at('lock.db'),
    floor: at('floor.json'),
    log: at('gateway.log'),
    startLog: at('start.log'),
  };
}

/** Makes a folder that only this user may enter, or proves that an existing one is ours and closes it to others. */
export function ensurePrivateFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  const found = fs.lstatSync(folder);
  const real = found.isSymbolicLink() ? fs.statSync(folder) : found;
  if (!real.isDirectory() || real.uid !== process.getuid?.()) {
    throw new AttacheError('gateway_unavailable', { message: `${folder} belongs to another user or is not a folder, so it cannot hold the gateway’s data.` });
  }
  if ((real.mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
}
