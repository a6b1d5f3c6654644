import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Outside the repository, so that a fresh clone on a kept machine installs nothing again. */
export function agentCacheFolder(): string {
  return process.env['ATTACHE_AGENT_CACHE'] ?? join(homedir(), '.cache', 'attache-agents');
}

/**
 * Folder of one exact npm package version, installed on first use. The rename at the end makes it appear
 * whole or not at all; of two processes that install at once the second one throws its copy away.
 */
export async function ensurePackage(name: string, version: string): Promise<string> {
  const target = join(agentCacheFolder(), `${name.replace(/[@/]/g, '_')}-${version}`);
  const packageFolder = join(target, 'node_modules', name);
  if (await exists(packageFolder)) return packageFolder;
  await mkdir(agentCacheFolder(), { recursive: true, mode: 0o700 });
  const staging = await mkdtemp(join(agentCacheFolder(), 'staging-'));
  try {
    await install(staging, name, version);
    await rename(staging, target).catch(async (error: unknown) => {
      if (!(await exists(packageFolder))) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return packageFolder;
}

async function install(folder: string, name: string, version: string): Promise<void> {
  const manifest = { private: true, dependencies: { [name]: version } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const flags = ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-package-lock'];
  try {
    await run('npm', flags, { cwd: folder, timeout: 300_000, shell: process.platform === 'win32' });
  } catch (error) {
    throw new Error(`${name}@${version} is not in ${agentCacheFolder()} and could not be installed from the npm registry.`, { cause: error });
  }
  if (!(await exists(join(folder, 'node_modules', name)))) {
    throw new Error(`npm installed nothing for ${name}@${version}: is ${process.platform}-${process.arch} supported?`);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
