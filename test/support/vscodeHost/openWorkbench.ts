import { type Page } from 'playwright-core';
import { type VsCodeServer } from './server.ts';

export interface OpenOptions {
  readonly folder?: string | undefined;
  readonly workspace?: string | undefined;
  /** Extensions loaded from their source folder, and a module with run() that VS Code then executes in the extension host. */
  readonly development?: { readonly extensions: readonly string[]; readonly tests?: string } | undefined;
}

interface RemoteUri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/** The address at which a server shows a folder, a .code-workspace file or an empty window. */
export function workbenchUrl(server: Pick<VsCodeServer, 'authority'>, { folder, workspace }: OpenOptions): string {
  const url = new URL(`http://${server.authority}/`);
  if (folder !== undefined) {
    url.searchParams.set('folder', folder);
  } else if (workspace !== undefined) {
    url.searchParams.set('workspace', workspace);
  } else {
    url.searchParams.set('ew', 'true');
  }
  return url.href;
}

/** Loads the workbench in the page. */
export async function openWorkbench(page: Page, server: VsCodeServer, options: OpenOptions): Promise<void> {
  if (options.development !== undefined) { await addDevelopmentOptions(page, server, options.development); }
  // As the locators: a machine with more to do than this takes its time.
  await page.goto(workbenchUrl(server, options), { timeout: 180_000 });
  await page.waitForSelector('.monaco-workbench', { timeout: 180_000 });
}

/**
 * Adds to the configuration that the page hands to the workbench. VS Code's own `?payload=` does nothing in a built
 * product any more, and a rewritten document (route and fulfill) may not connect to 127.0.0.1.
 */
async function addDevelopmentOptions(page: Page, server: VsCodeServer, { extensions, tests }: NonNullable<OpenOptions['development']>): Promise<void> {
  const uri = (file: string): RemoteUri => ({ scheme: 'vscode-remote', authority: server.authority, path: file });
  const options = { extensions: extensions.map(uri), ...(tests === undefined ? {} : { extensionTestsPath: uri(tests) }) };
  await page.addInitScript((added) => {
    const original = Element.prototype.getAttribute;
    Element.prototype.getAttribute = function (name) {
      const value = original.call(this, name);
      if (name !== 'data-settings' || this.id !== 'vscode-workbench-web-configuration' || value === null) { return value; }
      const config = JSON.parse(value) as { developmentOptions?: object };
      return JSON.stringify({ ...config, developmentOptions: { ...config.developmentOptions, ...added } });
    };
  }, options);
}
