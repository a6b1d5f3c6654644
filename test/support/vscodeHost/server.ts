import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type VsCodeHost } from './install.ts';
import { quietSettings } from './settings.ts';

export interface ServerOptions {
  /** Both folders are temporary, and removed by `stop`, unless given. */
  readonly userDataDir?: string | undefined;
  readonly extensionsDir?: string | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly args?: readonly string[] | undefined;
  /** Whether Workspace Trust is on. */
  readonly trust?: boolean | undefined;
  readonly port?: number | undefined;
}

/** A running code-server with everything it has started; ends with this process at the latest. */
export interface VsCodeServer {
  readonly pid: number;
  readonly authority: string;
  readonly userDataDir: string;
  readonly extensionsDir: string;
  readonly exited: Promise<number | NodeJS.Signals>;
  log(): string;
  stop(): Promise<void>;
}

const listenTimeoutMs = 60_000;
const stopGraceMs = 5000;

/** Starts code-server on a free port of 127.0.0.1. */
export async function startServer(host: VsCodeHost, options: ServerOptions = {}): Promise<VsCodeServer> {
  const folders = await prepareFolders(options);
  const config = await writeConfig(folders.userDataDir);
  const args = [host.entry, '--config', config, '--auth', 'none', '--bind-addr', `127.0.0.1:${options.port ?? 0}`,
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override',
    ...(options.trust === true ? [] : ['--disable-workspace-trust']),
    '--user-data-dir', folders.userDataDir, '--extensions-dir', folders.extensionsDir, ...(options.args ?? [])];
  const env = inheritedEnv({ NODE_COMPILE_CACHE: path.join(host.root, 'compile-cache'), ...options.env });
  // Its own process group: an extension host that has had no init data yet outlives the server for hours.
  const child = spawn(host.node, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => { resolve(code ?? signal ?? 1); });
  });
  const onProcessExit = (): void => { killGroup(child, 'SIGKILL'); removeSync(folders.temporary); };
  process.once('exit', onProcessExit);
  const log = collectLog(child);
  const port = await listeningPort(child, exited, log);
  return {
    pid: child.pid ?? 0,
    authority: `127.0.0.1:${port}`,
    ...folders,
    exited,
    log: () => log.text,
    async stop() {
      await end(child, exited);
      process.off('exit', onProcessExit);
      if (folders.temporary !== undefined) { await fs.rm(folders.temporary, { recursive: true, force: true, maxRetries: 5 }); }
    },
  };
}

/** Installs a .vsix with code-server's own command line; needs no network and no running server. */
export async function installExtension(host: VsCodeHost, vsix: string, folders: { userDataDir: string; extensionsDir: string }): Promise<void> {
  const config = await writeConfig(folders.userDataDir);
  const { stdout, stderr } = await promisify(execFile)(host.node, [host.entry, '--config', config,
    '--user-data-dir', folders.userDataDir, '--extensions-dir', folders.extensionsDir, '--install-extension', vsix, '--force'], { env: inheritedEnv({}) });
  if (!stdout.includes('was successfully installed')) { throw new Error(`install of ${vsix} failed\n${stdout}\n${stderr}`); }
}

interface Folders {
  readonly userDataDir: string;
  readonly extensionsDir: string;
  readonly temporary: string | undefined;
}

async function prepareFolders({ userDataDir, extensionsDir, settings }: ServerOptions): Promise<Folders> {
  const both = userDataDir !== undefined && extensionsDir !== undefined;
  // Short: the IPC socket below it must stay under 107 characters.
  const temporary = both ? undefined : await fs.mkdtemp(path.join(os.tmpdir(), 'vsc-'));
  const data = userDataDir ?? path.join(temporary ?? '', 'data');
  const extensions = extensionsDir ?? path.join(temporary ?? '', 'extensions');
  await fs.mkdir(path.join(data, 'User'), { recursive: true });
  await fs.mkdir(extensions, { recursive: true });
  const file = path.join(data, 'User/settings.json');
  if (settings !== undefined || !existsSync(file)) { await fs.writeFile(file, JSON.stringify({ ...quietSettings, ...settings }, null, 2)); }
  return { userDataDir: data, extensionsDir: extensions, temporary };
}

async function writeConfig(userDataDir: string): Promise<string> {
  await fs.mkdir(userDataDir, { recursive: true });
  const config = path.join(userDataDir, 'code-server.yaml');
  await fs.writeFile(config, 'auth: none\n');
  return config;
}

/** This process may itself run inside VS Code, whose variables would confuse another one. */
function inheritedEnv(extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_(IPC|CWD|NLS|PID|HANDLES|ESM|CRASH|AMD|CODE_CACHE)|CODE_SERVER_|ELECTRON_)/;
  return Object.fromEntries(Object.entries({ ...process.env, ...extra }).filter(([name]) => !foreign.test(name)));
}

function collectLog(child: ChildProcess): { text: string } {
  const log = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => { log.text += data.toString(); });
  }
  return log;
}

async function listeningPort(child: ChildProcess, exited: VsCodeServer['exited'], log: { text: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => { reject(new Error(`code-server did not listen within ${listenTimeoutMs} ms\n${log.text}`)); }, listenTimeoutMs);
    child.stdout?.on('data', () => {
      const port = /HTTP server listening on https?:\/\/127\.0\.0\.1:(\d+)/.exec(log.text)?.[1];
      if (port !== undefined) { clearTimeout(timer); resolve(Number(port)); }
    });
    child.once('error', reject);
    void exited.then((code) => { clearTimeout(timer); reject(new Error(`code-server exited (${code}) before it listened\n${log.text}`)); });
  });
}

async function end(child: ChildProcess, exited: VsCodeServer['exited']): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    killGroup(child, 'SIGTERM');
    const timer = setTimeout(() => { killGroup(child, 'SIGKILL'); }, stopGraceMs);
    await exited;
    clearTimeout(timer);
  }
  killGroup(child, 'SIGKILL');
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) { return; }
  try { process.kill(-child.pid, signal); } catch { /* the whole group is gone */ }
}

function removeSync(folder: string | undefined): void {
  if (folder === undefined) { return; }
  try { rmSync(folder, { recursive: true, force: true, maxRetries: 3 }); } catch { /* best effort while exiting */ }
}
