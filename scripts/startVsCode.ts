import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type DemoWorkspace, createDemoWorkspace } from '../test/support/demoWorkspace.ts';
import { killProcessesWith } from '../test/support/processes.ts';
import { ensureHost } from '../test/support/vscodeHost/install.ts';
import { workbenchUrl } from '../test/support/vscodeHost/openWorkbench.ts';
import { installExtension, startServer } from '../test/support/vscodeHost/server.ts';
import { quietSettings, type ThemeName, themes } from '../test/support/vscodeHost/settings.ts';
import { desktopVsCode } from './desktopVsCode.ts';

const root = path.resolve(import.meta.dirname, '..');
const hint = 'Click the Attaché icon in the activity bar, type /help and press Enter.';

/** Everything of one `npm start` that must be gone when it ends. */
interface Session {
  readonly scratch: string;
  readonly dataRoot: string;
  readonly workspace: DemoWorkspace;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Opens VS Code for a person and returns when they close it or press Ctrl-C. */
export async function startVsCode(theme: ThemeName): Promise<void> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'att-'));
  const session = { scratch, dataRoot: path.join(scratch, 'home'), workspace: createDemoWorkspace(), settings: { 'workbench.colorTheme': themes[theme] } };
  try {
    const desktop = await findDesktop();
    await (desktop === undefined ? inBrowser(session) : onDesktop(desktop, session));
  } finally {
    killProcessesWith(session.dataRoot);
    session.workspace.remove();
    fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function findDesktop(): Promise<string | undefined> {
  const host = process.env['VSCODE_HOST'] ?? 'auto';
  if (host === 'code-server') { return undefined; }
  const onPath = spawnSync('code', ['--version'], { shell: process.platform === 'win32' }).status === 0;
  return onPath && process.env['SSH_CONNECTION'] === undefined ? 'code' : desktopVsCode(host);
}

async function onDesktop(command: string, { scratch, dataRoot, workspace, settings }: Session): Promise<void> {
  const data = path.join(scratch, 'data');
  fs.mkdirSync(path.join(data, 'User'), { recursive: true });
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify({ ...quietSettings, ...settings }, null, 2));
  const args = ['--new-window', '--wait', '--disable-workspace-trust', `--user-data-dir=${data}`, `--extensions-dir=${path.join(scratch, 'ext')}`,
    `--extensionDevelopmentPath=${root}`, workspace.workspaceFile];
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ATTACHE_DATA_ROOT: dataRoot }, shell: process.platform === 'win32' });
  console.log(`[start] VS Code opens with a demo workspace in ${workspace.root}. ${hint}`);
  await Promise.race([once(child, 'exit'), interrupted()]);
  child.kill();
}

async function inBrowser({ scratch, dataRoot, workspace, settings }: Session): Promise<void> {
  const host = await ensureHost();
  const folders = { userDataDir: path.join(scratch, 'data'), extensionsDir: path.join(scratch, 'ext') };
  const vsix = path.join(scratch, 'attache.vsix');
  const temporary = path.join(scratch, 'tmp');
  fs.mkdirSync(temporary);
  console.log('[start] no desktop VS Code here: packing the extension for VS Code in the browser...');
  execFileSync(process.execPath, [path.join(root, 'scripts/package.ts'), vsix], { stdio: ['ignore', 'ignore', 'inherit'] });
  await installExtension(host, vsix, folders);
  const server = await startServer(host, { ...folders, settings, env: { TMPDIR: temporary, ATTACHE_DATA_ROOT: dataRoot } });
  console.log(`\n  ${workbenchUrl(server, { workspace: workspace.workspaceFile })}\n`);
  console.log(`Open this address in a browser on this machine. ${hint}`);
  console.log('Ctrl-C stops everything.');
  await Promise.race([server.exited, interrupted()]);
  console.log('[start] stopping...');
  await server.stop();
}

async function interrupted(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) { process.once(signal, () => { resolve(); }); }
  });
}
