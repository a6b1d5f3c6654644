import { spawnSync } from 'node:child_process';

let listsAreFresh = false;

/** Installs a Debian package where that needs no password; says whether it worked. */
export function installSystemPackage(name: string): boolean {
  const prefix = rootPrefix();
  if (prefix === undefined || spawnSync('apt-get', ['--version']).status !== 0) { return false; }
  console.error(`[setup] installing ${name} with apt-get...`);
  if (!listsAreFresh) { listsAreFresh = aptGet(prefix, ['update', '-qq']); }
  return aptGet(prefix, ['install', '-y', '-qq', '--no-install-recommends', name]);
}

/** The words before a command that make it run as root, or undefined where that would ask for a password. */
function rootPrefix(): readonly string[] | undefined {
  if (process.getuid?.() === 0) { return []; }
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined;
}

function aptGet(prefix: readonly string[], args: readonly string[]): boolean {
  const [command = '', ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
  // Its progress is not part of any test's output.
  return spawnSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}
