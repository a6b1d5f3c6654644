import fs from 'node:fs';
import path from 'node:path';

/** What an editor last started the gateway with, so that a client whose own Node cannot is able to. It may be gone since. */
export interface Launcher {
  readonly node: string;
  readonly script: string;
}

const fileOf = (dataRoot: string): string => path.join(dataRoot, 'launcher.json');

export function readLauncher(dataRoot: string): Launcher | null {
  try {
    const { node, script } = JSON.parse(fs.readFileSync(fileOf(dataRoot), 'utf8')) as Partial<Record<keyof Launcher, unknown>>;
    return typeof node === 'string' && typeof script === 'string' ? { node, script } : null;
  } catch {
    return null;
  }
}

/** Into a data root that is there. That it cannot be written hinders nobody. */
export function writeLauncher(dataRoot: string, { node, script }: Launcher): void {
  const known = readLauncher(dataRoot);
  if (known?.node === node && known.script === script) return;
  const file = fileOf(dataRoot);
  try {
    fs.writeFileSync(`${file}.${process.pid}`, JSON.stringify({ node, script }), { mode: 0o600 });
    fs.renameSync(`${file}.${process.pid}`, file);
  } catch {
    // A full or read-only disk is told of elsewhere.
  }
}
