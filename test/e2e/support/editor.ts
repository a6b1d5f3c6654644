import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type BrowserContext, type FrameLocator, type Page } from 'playwright-core';
import { type DemoWorkspace, createDemoWorkspace } from '../../support/demoWorkspace.ts';
import { type ProcessInfo, descendants, killProcessesWith, processesWith } from '../../support/processes.ts';
import { repository } from '../../support/repository.ts';
import { launchBrowser } from '../../support/vscodeHost/browser.ts';
import { ensureHost, type VsCodeHost } from '../../support/vscodeHost/install.ts';
import { openWorkbench } from '../../support/vscodeHost/openWorkbench.ts';
import { startServer, type VsCodeServer } from '../../support/vscodeHost/server.ts';
import { settingsRemote, settingsRequests, Workbench } from '../../support/vscodeHost/workbench.ts';

export interface EditorOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: NodeJS.ProcessEnv;
  /** What the first window opens: one folder, or a workspace file with two. */
  readonly open?: 'folder' | 'workspace';
  /** Whether Workspace Trust is on. */
  readonly trust?: boolean;
  /** Runs before the server starts, for example to install a VSIX; the extension is then not loaded from its source. */
  readonly prepare?: (host: VsCodeHost, folders: { userDataDir: string; extensionsDir: string }) => Promise<void>;
}

/** One window: a page of its own browser profile. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly workbench: Workbench;
}

/** A running VS Code with the extension, a throw-away workspace and a gateway of its own. */
export interface Editor extends Window {
  readonly server: VsCodeServer;
  readonly workspace: DemoWorkspace;
  /** The gateway's data root; every process of this editor has it in its environment. */
  readonly dataRoot: string;
  /** Opens the Attaché view of the first window. */
  openChat(): Promise<FrameLocator>;
  /** `language`: the display language of this window; English when absent. */
  openWindow(language?: string): Promise<Window>;
  /** One more tab of the first window's browser profile: everything that VS Code remembers there is shared. */
  openTwin(): Promise<Window>;
  /** Everything this editor has started, the detached gateway too. */
  processes(): ProcessInfo[];
  extensionHosts(): ProcessInfo[];
  stop(): Promise<void>;
}

/** Starts an editor; one for each file of tests, not for each test, since it takes some ten seconds. */
export async function startEditor(options: EditorOptions = {}): Promise<Editor> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'att-'));
  const dataRoot = path.join(scratch, 'home');
  const temporary = path.join(scratch, 'tmp');
  fs.mkdirSync(temporary);
  const folders = { userDataDir: path.join(scratch, 'data'), extensionsDir: path.join(scratch, 'ext') };
  const workspace = createDemoWorkspace();
  const host = await ensureHost();
  await options.prepare?.(host, folders);
  const browser = await launchBrowser();
  const server = await startServer(host, {
    ...folders,
    settings: options.settings ?? {},
    trust: options.trust,
    // VS Code leaves its sockets in the folder for temporary files.
    env: { TMPDIR: temporary, ...options.env, ATTACHE_DATA_ROOT: dataRoot, SETTINGS_REMOTE: settingsRequests(folders.userDataDir) },
  });
  const openWindow = async (profile?: BrowserContext, language?: string): Promise<Window> => {
    const context = profile ?? await browser.newContext({ viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    // What VS Code's own texts in that language set; without them it speaks English, and its extensions the language.
    if (language !== undefined) { await page.addInitScript((name) => { Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: name }); }, language); }
    const workbench = new Workbench(page, server);
    await openWorkbench(page, server, {
      ...(options.open === 'workspace' ? { workspace: workspace.workspaceFile } : { folder: workspace.folder }),
      development: { extensions: options.prepare === undefined ? [repository, settingsRemote] : [settingsRemote] },
    });
    await workbench.ready();
    return { page, context, workbench };
  };
  const clean = (): void => {
    killProcessesWith(dataRoot);
    workspace.remove();
    fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', clean);
  const stop = async (): Promise<void> => {
    await browser.close();
    await server.stop();
    clean();
    process.off('exit', clean);
  };
  try {
    const first = await openWindow();
    return {
      ...first,
      server,
      workspace,
      dataRoot,
      openWindow: async (language) => openWindow(undefined, language),
      openTwin: async () => openWindow(first.context),
      openChat: async () => first.workbench.openChat(),
      processes: () => processesWith(dataRoot),
      extensionHosts: () => descendants(server.pid).filter(({ command }) => command.includes('--type=extensionHost')),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** For afterEach: leaves a picture of a test that failed. */
export async function pictureOfFailure(test: Mocha.Test | undefined, window: Window | undefined): Promise<void> {
  if (test?.state !== 'failed' || window === undefined) { return; }
  const file = await window.workbench.screenshot(`failed ${test.fullTitle()}`);
  console.error(`      picture: ${file}`);
}
