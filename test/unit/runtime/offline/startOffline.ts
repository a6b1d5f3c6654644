import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AcpClient, type AcpClientOptions } from '../../../agents/support/acpClient.ts';

const main = resolve(import.meta.dirname, '../../../../src/runtime/offline/main.ts');

export type Offline = {
  readonly client: AcpClient;
  readonly folder: string;
  readonly sessionId: string;
};

type StartOptions = Pick<AcpClientOptions, 'capabilities' | 'onPermission'> & { readonly data?: string };

/** The real agent process with one session; everything it leaves is removed by `stopAll`. */
const started: AcpClient[] = [];
const folders: string[] = [];

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'attache-offline-')));
  folders.push(folder);
  return folder;
}

export function startClient(folder: string, { data, ...options }: StartOptions = {}): AcpClient {
  const client = new AcpClient({
    command: process.execPath,
    args: [main],
    cwd: folder,
    env: { ATTACHE_OFFLINE_DATA: data ?? '', NODE_NO_WARNINGS: '1' },
    ...options,
  });
  started.push(client);
  return client;
}

export async function startOffline(options: StartOptions = {}): Promise<Offline> {
  const folder = await temporaryFolder();
  const client = startClient(folder, options);
  await client.initialize();
  return { client, folder, sessionId: await client.newSession() };
}

export async function stopAll(): Promise<void> {
  await Promise.all(started.splice(0).map((client) => client.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
}
