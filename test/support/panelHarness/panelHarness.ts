import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { FromPanel, PanelState, ToPanel } from '../../../src/protocol/panel.ts';
import { asFromPanel, fromPanel } from '../../../src/protocol/panelSchema.ts';
import { repository } from '../repository.ts';
import { launchBrowser } from '../vscodeHost/browser.ts';
import { said, scenes } from './scenes.ts';
import type { SessionScript } from './script.ts';
import { type PanelServer, startPanelServer } from './server.ts';
import { pictureAddress, testPicture } from './testPicture.ts';

export type HarnessTheme = 'dark' | 'light' | 'hc' | 'hc-light';

export interface OpenOptions {
  readonly theme?: HarnessTheme;
  readonly width?: number;
  readonly height?: number;
  /** The display language; English when absent. */
  readonly language?: 'zh-cn';
  /** The reader has not asked for less motion. */
  readonly motion?: boolean;
}

const UNTITLED = 'New session';

/** What stands for the English texts in a language. */
export const dictionary = (language: 'zh-cn'): Readonly<Record<string, string>> =>
  JSON.parse(fs.readFileSync(path.join(repository, `l10n/bundle.l10n.${language}.json`), 'utf8')) as Record<string, string>;

type MessageOf<T extends FromPanel['type']> = Extract<FromPanel, { type: T }>;

/** The built chat page alone in a real browser; the test plays the extension. Every message the page sends is checked against the contract. */
export class PanelHarness {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #posted: FromPanel[] = [];
  readonly #problems: string[] = [];
  readonly #untitled: string;
  #generation = 1;
  /** What the page is given when it says that it is ready; null leaves it waiting. */
  answer: PanelState | null = null;
  /** What the page is given for a picture's digest; null: it is not kept any more. */
  picture: (digest: string) => string | null = (digest) => pictureAddress(testPicture(Number.parseInt(digest.slice(-4), 16)));

  constructor(context: BrowserContext, page: Page, language?: 'zh-cn') {
    this.#context = context;
    this.#untitled = language === undefined ? UNTITLED : dictionary(language)[UNTITLED] ?? UNTITLED;
    this.page = page;
    page.on('pageerror', (error) => { this.#problems.push(`page error: ${error.message}`); });
    page.on('console', (message) => { if (message.type() === 'error') { this.#problems.push(`console: ${message.text()}`); } });
  }

  /** Called for each message of the page, in order. */
  receive(raw: unknown): void {
    const checked = fromPanel.safeParse(raw);
    if (!checked.success) {
      this.#problems.push(`not in the contract: ${JSON.stringify(raw)}`);
      return;
    }
    const message = asFromPanel(checked.data);
    this.#posted.push(message);
    if (message.type === 'loadPicture') { void this.send({ type: 'picture', digest: message.digest, address: this.picture(message.digest) }); }
    if (message.type === 'ready' && this.answer !== null) { void this.send({ type: 'state', state: this.answer }); }
  }

  async send(message: ToPanel): Promise<void> {
    await this.page.evaluate((data) => { window.postMessage(data, '*'); }, message);
  }

  /** Shows the script's session from scratch. */
  async show(script: SessionScript, change: Partial<PanelState> = {}): Promise<void> {
    script.take();
    await this.send({ type: 'state', state: script.state(change) });
    await this.drawn();
  }

  /** For a state that follows those shown before. */
  nextGeneration(): number {
    this.#generation += 1;
    return this.#generation;
  }

  /** Shows a scene in place of what is there, as if another conversation were chosen. */
  async showScene(name: string): Promise<void> {
    const state = sceneOf(name);
    await this.send({ type: 'state', state: { ...state, generation: this.nextGeneration(), conversation: name } });
    await this.page.getByRole('heading', { level: 1, name: state.view?.session.title ?? this.#untitled, exact: true }).waitFor();
    const more = said[name]?.();
    if (more !== undefined) {
      await this.send(more);
      await this.region('toast').waitFor();
    }
    await this.drawn();
  }

  /** Sends what happened in the script since the last time. */
  async play(script: SessionScript, generation = 1): Promise<void> {
    await this.send({ type: 'events', generation, events: script.take() });
  }

  /** Two frames later everything sent before is on the screen. */
  async drawn(): Promise<void> {
    await this.page.evaluate(() => new Promise<void>((resolve) => { requestAnimationFrame(() => requestAnimationFrame(() => { resolve(); })); }));
  }

  posted<T extends FromPanel['type']>(type: T): MessageOf<T>[] {
    return this.#posted.filter((message): message is MessageOf<T> => message.type === type);
  }

  /** Waits for the given number of messages of a type. */
  async waitPosted<T extends FromPanel['type']>(type: T, count = 1): Promise<MessageOf<T>[]> {
    await until(() => this.posted(type).length >= count, () => `${count} × ${type}, got ${JSON.stringify(this.#posted.map((message) => message.type))}`);
    return this.posted(type);
  }

  get input(): Locator {
    return this.page.getByRole('textbox', { name: 'Message', exact: true });
  }

  region(name: string): Locator {
    return this.page.locator(`[data-region="${name}"]`);
  }

  chip(name: 'goal' | 'folder' | 'mode' | 'agent' | 'state'): Locator {
    return this.page.locator(`[data-chip="${name}"]`);
  }

  approval(approvalId: string): Locator {
    return this.page.locator(`[data-approval-id="${approvalId}"]`);
  }

  /** Fails the test when anything went wrong on the page since it was opened. */
  async assertClean(): Promise<void> {
    const violations = await this.page.evaluate(() => (globalThis as unknown as { panelErrors: string[] }).panelErrors);
    assert.deepEqual([...this.#problems, ...violations], []);
    assert.deepEqual(this.posted('pageError'), []);
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

function sceneOf(name: string): PanelState {
  const state = scenes[name]?.() ?? null;
  assert.ok(state !== null, `there is no scene ${name} to be shown`);
  return state;
}

/** Polls a condition; the message says what was waited for. */
export async function until(condition: () => boolean | Promise<boolean>, what: () => string, timeoutMs = 15_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) { throw new Error(`waited in vain for ${what()}`); }
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

/** One browser and one server for a file of tests. */
export class PanelStage {
  #server: PanelServer | undefined;
  #browser: Browser | undefined;

  async start(): Promise<void> {
    this.#server = await startPanelServer();
    this.#browser = await launchBrowser();
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.close();
  }

  /** A page of its own, waiting for its first state unless one is given. */
  async open(answer: PanelState | null, { theme = 'dark', width = 420, height = 600, language, motion = false }: OpenOptions = {}): Promise<PanelHarness> {
    assert.ok(this.#browser !== undefined && this.#server !== undefined, 'the stage is not set');
    const context = await this.#browser.newContext({ viewport: { width, height }, locale: 'en-GB', reducedMotion: motion ? 'no-preference' : 'reduce' });
    const page = await context.newPage();
    const panel = new PanelHarness(context, page, language);
    panel.answer = answer;
    await page.exposeBinding('panelPost', (_source, message: unknown) => { panel.receive(message); });
    await page.goto(`${this.#server.origin}/?theme=${theme}${language === undefined ? '' : `&language=${language}`}`);
    if (answer !== null) { await page.locator('.panel').waitFor(); }
    await panel.drawn();
    return panel;
  }
}
