import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { installFlags, npm } from './npm.ts';
import { placeRipgrep, placeStandIns } from './standIns.ts';

/** A real VS Code that runs without a desktop: code-server from the npm registry, with the Node it is built for. */
export interface VsCodeHost {
  readonly version: string;
  readonly root: string;
  readonly node: string;
  readonly entry: string;
  readonly vscode: string;
}

/** code-server 4.N.P is VS Code 1.N.P. */
export const defaultVersion = process.env['VSCODE_HOST_VERSION'] ?? '4.139.1';
export const cacheFolder = path.resolve(process.env['VSCODE_HOST_CACHE'] ?? path.join(os.homedir(), '.cache/vscode-host'));

const platform = `${process.platform}-${process.arch}`;

/** Installs the host into the cache once; later calls return at once. */
export async function ensureHost(version = defaultVersion): Promise<VsCodeHost> {
  const root = path.join(cacheFolder, `code-server-${version}-${platform}`);
  if (isComplete(root)) { return hostAt(root, version); }
  const started = Date.now();
  console.error(`[vscode-host] installing code-server ${version} into ${root} (about a minute)...`);
  const temporary = `${root}.tmp-${process.pid}`;
  await fs.rm(temporary, { recursive: true, force: true });
  await fs.mkdir(temporary, { recursive: true });
  try {
    await installInto(temporary, version);
    await moveIntoPlace(temporary, root);
  } finally {
    await fs.rm(temporary, { recursive: true, force: true });
  }
  console.error(`[vscode-host] installed in ${Math.round((Date.now() - started) / 1000)} s`);
  return hostAt(root, version);
}

function isComplete(root: string): boolean {
  return existsSync(path.join(root, '.complete'));
}

function hostAt(root: string, version: string): VsCodeHost {
  return {
    version,
    root,
    node: path.join(root, `node_modules/node-${platform}/bin/node`),
    entry: path.join(root, 'node_modules/code-server/out/node/entry.js'),
    vscode: path.join(root, 'node_modules/code-server/lib/vscode'),
  };
}

function nodeFor(version: string): string {
  return Number(version.split('.')[1]) >= 133 ? '24.22.3' : '22.23.3';
}

// No install scripts: nothing is compiled and nothing is fetched from outside the registry.
async function installInto(root: string, version: string): Promise<void> {
  const { vscode } = hostAt(root, version);
  await fs.writeFile(path.join(root, 'package.json'), JSON.stringify({
    private: true,
    dependencies: { 'code-server': version, [`node-${platform}`]: nodeFor(version), [`@vscode/ripgrep-${platform}`]: '1.18.0' },
    // Ships prebuilt binaries; the one that older lines ask for must be compiled, and code-server does not start without it.
    overrides: { argon2: '0.44.0' },
  }));
  await npm(installFlags, root);
  await npm(installFlags, vscode);
  await npm(installFlags, path.join(vscode, 'extensions'));
  await placeRipgrep(root, vscode, platform);
  await placeStandIns(root, vscode);
  await fs.writeFile(path.join(root, '.complete'), new Date().toISOString());
}

/** Another process may have been faster; its result is as good. */
async function moveIntoPlace(temporary: string, root: string): Promise<void> {
  if (isComplete(root)) { return; }
  await fs.rm(root, { recursive: true, force: true });
  await fs.rename(temporary, root);
}
