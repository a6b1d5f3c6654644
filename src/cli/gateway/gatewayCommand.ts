import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { readLauncher } from '../../connector/launcher.ts';
import type { GatewayCommand } from '../../connector/spawnGateway.ts';
import { CliFailure } from '../failure.ts';

const PROBE_MS = 5_000;
const QUESTION = "require('node:module').isBuiltin('node:sqlite')";

/** The gateway's program: beside this one, bundled or not. */
function gatewayScript(): string | null {
  const here = import.meta.dirname;
  return ['gateway.cjs', '../../gateway/main.ts'].map((name) => path.join(here, name)).find((file) => fs.existsSync(file)) ?? null;
}

/** Asks a program whether it is a Node that has SQLite; an editor's answers as one. */
function hasSqlite(node: string): boolean {
  if (node === process.execPath) return isBuiltin('node:sqlite');
  const { status, stdout } = spawnSync(node, ['-p', QUESTION], { env: { ...process.env, NODE_OPTIONS: '', ELECTRON_RUN_AS_NODE: '1' }, timeout: PROBE_MS, encoding: 'utf8', windowsHide: true });
  return status === 0 && stdout.trim() === 'true';
}

/**
 * How to start a gateway: with the Node named in ATTACHE_NODE, else with this one, else with that of the editor that last used this
 * data. Never with one that lacks `node:sqlite`: that is refused as node_unsuitable.
 */
export function gatewayCommand(dataRoot: string, env: NodeJS.ProcessEnv): GatewayCommand {
  const launcher = readLauncher(dataRoot);
  const script = gatewayScript() ?? launcher?.script;
  if (script === undefined || !fs.existsSync(script)) {
    throw new CliFailure('node_unsuitable', { message: 'No gateway is running, and its program was not found beside this one.', next: 'Open the folder in VS Code, which starts it.' });
  }
  const named = env['ATTACHE_NODE'];
  const candidates = named !== undefined && named !== '' ? [named] : [process.execPath, ...(launcher === null ? [] : [launcher.node])];
  const node = candidates.find(hasSqlite);
  if (node !== undefined) return { command: node, args: [script], env };
  throw new CliFailure('node_unsuitable', { message: `No gateway is running, and none can be started: ${named !== undefined && named !== '' ? `${named} (ATTACHE_NODE)` : `this Node (${process.version})`} has no node:sqlite.` });
}
