import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type FrameLocator, type Locator, type Page } from 'playwright-core';
import { type VsCodeServer } from './server.ts';
import { type ThemeName, themes } from './settings.ts';
import { isAlive } from '../processes.ts';

const extensionId = 'attache.attache';
const shots = path.resolve(import.meta.dirname, '../../../dist-test/shots');

/** Loaded beside the product; see its own comment. */
export const settingsRemote = path.join(import.meta.dirname, 'settingsRemote');

/** Where the settings remote of a server looks for requests: its SETTINGS_REMOTE. */
export function settingsRequests(userDataDir: string): string {
  return path.join(userDataDir, 'settings-remote');
}

/** The extension hosts that look for requests. */
async function windowsOf(folder: string): Promise<number[]> {
  return (await fs.readdir(folder)).flatMap((name) => (name.startsWith('window-') ? [Number(name.slice('window-'.length))] : [])).filter(isAlive);
}

/** Waits for a first window: a request that is older than a window is not meant for it. */
async function someWindow(folder: string, timeoutMs: number): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await setTimeout(50)) {
    if ((await windowsOf(folder)).length > 0) { return; }
  }
  throw new Error(`no window looked for requests within ${timeoutMs} ms`);
}

/** Waits until each living window has answered a request, and gives what went wrong. */
async function answers(folder: string, request: string, timeoutMs: number): Promise<string> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await setTimeout(50)) {
    const files = (await windowsOf(folder)).map((pid) => `${request}.done-${pid}`);
    if (files.length > 0 && files.every((file) => existsSync(file))) {
      return (await Promise.all(files.map((file) => fs.readFile(file, 'utf8')))).join('');
    }
  }
  throw new Error(`not every window answered ${request} within ${timeoutMs} ms`);
}

/** The workbench as a person sees it: finds things by what they are called on the screen. */
export class Workbench {
  readonly page: Page;
  private readonly server: VsCodeServer;

  constructor(page: Page, server: VsCodeServer) {
    this.page = page;
    this.server = server;
  }

  /** Waits until the window can be used. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 120_000 });
    await this.page.locator('.monaco-workbench .activitybar .action-item').first().waitFor({ timeout: 120_000 });
  }

  /** Answers the Workspace Trust question, which comes seconds after the workbench and covers it. */
  async trust(): Promise<void> {
    await this.page.getByRole('button', { name: /Yes, I trust the authors/ }).click({ timeout: 120_000 });
  }

  /** Reloads the page as the browser does, which gives VS Code no time to write anything down. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Reloads the window in VS Code's own way: it writes down first which editors are open. */
  async reloadWindow(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.command('Developer: Reload Window');
    await loaded;
    await this.ready();
  }

  /** Opens a view container by its title in the activity bar. */
  async openView(name: string): Promise<void> {
    const entry = this.page.locator(`.activitybar a.action-label[aria-label^="${name}"]`);
    await entry.waitFor({ timeout: 120_000 });
    // A second click closes it again, and after a reload the window opens it by itself, a little late. The click is
    // forced since a badge may lie over the icon, where a click counts as well.
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      await setTimeout(500);
      if (!await this.isOpen(name)) { await entry.click({ force: true }); continue; }
      // Away from the icon, or its tooltip covers the view.
      await this.page.mouse.move(640, 400);
      return;
    }
    throw new Error(`the view ${name} does not open`);
  }

  private async isOpen(name: string): Promise<boolean> {
    const chosen = this.page.locator(`.activitybar .action-item.checked a.action-label[aria-label^="${name}"]`);
    return await chosen.count() > 0 && this.page.locator('.part.sidebar').isVisible();
  }

  /** Drags the side bar's edge. */
  async resizeSideBar(width: number): Promise<void> {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    if (box === null) { throw new Error('the side bar is hidden'); }
    const middle = box.y + box.height / 2;
    await this.page.mouse.move(box.x + box.width + 1, middle);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + width, middle, { steps: 4 });
    await this.page.mouse.up();
    await this.page.mouse.move(box.x + width + 100, middle);
  }

  /** Opens the Attaché view and gives its document. */
  async openChat(): Promise<FrameLocator> {
    await this.openView('Attaché');
    const chat = this.chat();
    await chat.getByRole('textbox', { name: 'Message' }).waitFor({ timeout: 120_000 });
    return chat;
  }

  /** The document that the extension's visible webview shows; `index` counts them when the chat is open twice. */
  chat(index = 0): FrameLocator {
    return this.page.frameLocator(`iframe.webview.ready[src*="extensionId=${extensionId}"] >> nth=${index}`).frameLocator('iframe#active-frame');
  }

  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  /** Runs a command by its title in the palette, such as "Attaché: New Session". */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.quickInput.locator('input.input');
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.quickInput.locator('.monaco-list-row', { hasText: title }).first().click();
  }

  /** Chooses a row of the open quick pick. */
  async pick(label: string | RegExp): Promise<void> {
    await this.quickInput.locator('.monaco-list-row', { hasText: label }).first().click();
  }

  /** Answers the open input box. */
  async answer(text: string): Promise<void> {
    const input = this.quickInput.locator('input.input');
    await input.waitFor();
    await input.fill(text);
    await input.press('Enter');
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast', { hasText: text });
  }

  statusItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item', { hasText: text });
  }

  /** An action in the title of the active editor, such as the diff editor's. */
  editorAction(name: string | RegExp): Locator {
    return this.page.locator('.editor-group-container.active .editor-actions').getByRole('button', { name });
  }

  editorTab(name: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab', { hasText: name });
  }

  /** Opens a file of the workspace by its name. */
  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    const input = this.quickInput.locator('input.input');
    await input.waitFor();
    await input.fill(name);
    await this.quickInput.locator('.monaco-list-row', { hasText: name }).first().click();
    await this.editorTab(name).waitFor();
    // It takes the keyboard a moment later.
    await this.page.locator('.editor-instance .monaco-editor.focused').first().waitFor();
  }

  async setTheme(theme: ThemeName): Promise<void> {
    await this.setSetting('workbench.colorTheme', themes[theme]);
    const kind = { dark: 'vs-dark', light: 'vs', hc: 'hc-black', 'hc-light': 'hc-light' }[theme];
    await this.page.locator(`.monaco-workbench.${kind}`).waitFor({ timeout: 30_000 });
  }

  /** Changes a user setting of the running windows, or takes it back with undefined. */
  async setSetting(setting: string, value: unknown): Promise<void> {
    const folder = settingsRequests(this.server.userDataDir);
    const request = path.join(folder, `${randomUUID()}.json`);
    await fs.mkdir(folder, { recursive: true });
    await someWindow(folder, 60_000);
    await fs.writeFile(`${request}.new`, JSON.stringify({ setting, value: value ?? null }));
    await fs.rename(`${request}.new`, request);
    const problem = await answers(folder, request, 60_000).finally(() => fs.rm(request, { force: true }));
    if (problem !== '') { throw new Error(problem); }
  }

  /** Saves what the window shows and gives the file's path. */
  async screenshot(name: string): Promise<string> {
    await fs.mkdir(shots, { recursive: true });
    const file = path.join(shots, `${name.replaceAll(/[^\w-]+/g, '-')}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }
}
