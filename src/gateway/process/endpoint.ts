import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ensurePrivateFolder } from '../../connector/dataRoot.ts';

/** Unix socket paths are cut off at 104 (macOS) or 108 (Linux) bytes, the closing zero included. */
const PATH_BYTES = 100;

/** Where this data root's gateway listens: a socket that only this user can reach, or a pipe of a name nobody can guess beforehand. */
export function chooseEndpoint(dataRoot: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\attache-${randomBytes(16).toString('hex')}`;
  const near = path.join(dataRoot, 'gateway.sock');
  if (Buffer.byteLength(near) <= PATH_BYTES) return near;
  const name = `${createHash('sha256').update(dataRoot).digest('hex').slice(0, 24)}.sock`;
  const user = `attache-${process.getuid?.() ?? 'user'}`;
  const folders = [process.env['XDG_RUNTIME_DIR'] ?? '', os.tmpdir(), '/tmp'].filter((folder) => folder !== '').map((folder) => path.join(folder, user));
  const folder = folders.find((each) => Buffer.byteLength(path.join(each, name)) <= PATH_BYTES) ?? path.join('/tmp', user);
  return path.join(ownFolder(folder), name);
}

/** In a folder that all users share somebody else may have taken the name, or put a link there that leads elsewhere tomorrow: then another one is made. */
function ownFolder(folder: string): string {
  try {
    ensurePrivateFolder(folder);
    if (!fs.lstatSync(folder).isSymbolicLink()) return folder;
  } catch {
    // Not ours.
  }
  return fs.mkdtempSync('/tmp/attache-');
}

/** Listens on the endpoint. A socket file found there is a dead gateway's: the caller holds the instance lock. */
export async function listen(endpoint: string, onSocket: (socket: net.Socket) => void): Promise<net.Server> {
  if (process.platform !== 'win32') fs.rmSync(endpoint, { force: true });
  const server = net.createServer(onSocket);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(endpoint, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (process.platform !== 'win32') fs.chmodSync(endpoint, 0o600);
  return server;
}
