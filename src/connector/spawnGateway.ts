import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { DataRootPaths } from './dataRoot.ts';

/** How to start the gateway: this Node, its entry and what it needs. `--data-root` is added. */
export interface GatewayCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** A gateway process that was just started. It lives on by itself. */
export interface StartedGateway {
  /** Null while it runs. */
  exit(): { readonly code: number | null; readonly detail: string } | null;
  onExit(listener: () => void): void;
}

/**
 * What keeps the process small. It makes little garbage, slowly: a large young generation would only be filled once and stay, and an old one that may
 * become three times what lives in it would. The C library keeps what
 * it has given out and got back (for whole replays, now and then) unless it is told to ask the system for large pieces, and to return them; but one
 * that is smaller than what is packed and unpacked all the time would be fetched page by page each time, which takes five times as long as the packing.
 */
export const LEAN: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } = {
  args: ['--max-semi-space-size=4', '--initial-old-space-size=16', '--heap-growing-percent=50', '--expose-gc'],
  env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '524288', MALLOC_TRIM_THRESHOLD_: '1048576' },
};

/** Starts the gateway in a session of its own, so that no window and no process group takes it along. */
export function spawnGateway(paths: DataRootPaths, { command, args, env }: GatewayCommand): StartedGateway {
  const stderr = fs.openSync(paths.startLog, 'w', 0o600);
  const listeners: (() => void)[] = [];
  let exit: ReturnType<StartedGateway['exit']> = null;
  const ended = (code: number | null, detail: string): void => {
    exit ??= { code, detail };
    for (const listener of listeners.splice(0)) listener();
  };
  try {
    const child = spawn(command, [...LEAN.args, ...args, '--data-root', paths.root], {
      cwd: paths.root,
      env: gatewayEnvironment(paths, env ?? process.env),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'ignore', stderr],
    });
    child.on('error', (error) => ended(null, error.message));
    child.on('exit', (code) => ended(code, lastWords(paths.startLog)));
    child.unref();
  } finally {
    fs.closeSync(stderr);
  }
  return {
    exit: () => exit,
    onExit: (listener) => {
      if (exit === null) listeners.push(listener);
      else listener();
    },
  };
}

/**
 * A debugger or loader of the window that starts it must not stay in a process that many windows share. Node keeps the compiled program
 * beside the data, where nobody else can put one, which saves a part of each start; one that cannot does without.
 */
function gatewayEnvironment(paths: DataRootPaths, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, VSCODE_INSPECTOR_OPTIONS: _inspector, NODE_CHANNEL_FD: _channel, ...rest } = env;
  return { ...rest, ...LEAN.env, ELECTRON_RUN_AS_NODE: '1', NODE_COMPILE_CACHE: path.join(paths.root, 'code') };
}

function lastWords(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim().slice(-500);
  } catch {
    return '';
  }
}
