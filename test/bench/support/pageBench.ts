import { build } from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { bundles } from '../../support/bundles.ts';
import type { PanelState } from '../../../src/protocol/panel.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';
import { type PanelServer, startPanelServer } from '../../support/panelHarness/server.ts';
import { repository } from '../../support/repository.ts';
import { launchBrowser } from '../../support/vscodeHost/browser.ts';

const FOLDER = 'dist-test/bench/page';

/** The files of the chat page as they ship, apart from dist/. */
async function buildPage(): Promise<void> {
  for (const { name, entry, options } of bundles.filter(({ options }) => options.platform === 'browser')) {
    await build({ absWorkingDir: repository, entryPoints: { [name]: entry }, outdir: FOLDER, bundle: true, minify: true, legalComments: 'none', logLevel: 'warning', ...options });
  }
  for (const file of ['codicon.css', 'codicon.ttf']) fs.copyFileSync(path.join(repository, 'node_modules/@vscode/codicons/dist', file), path.join(repository, FOLDER, file));
}

async function bundled(file: string): Promise<string> {
  const { outputFiles } = await build({ absWorkingDir: repository, entryPoints: [`test/bench/page/${file}`], bundle: true, minify: true, write: false, format: 'iife', platform: 'browser', target: 'chrome130', logLevel: 'warning' });
  return outputFiles[0]?.text ?? '';
}

export interface Cost {
  /** CPU of the page's main thread, in ms: whatever else the machine does is not in it. */
  readonly all: number;
  readonly script: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of the thread's own time, in microseconds. */
  readonly tdur?: number;
}

const threadOf = ({ pid, tid }: Pick<TraceEvent, 'pid' | 'tid'>): string => `${pid}/${tid}`;

/** The thread that most of them are of. */
function busiest(events: readonly TraceEvent[]): string {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(threadOf(event), (counts.get(threadOf(event)) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

/** A page and what its main thread takes. */
export class BenchPage {
  readonly page: Page;
  readonly #session: CDPSession;

  constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  async cost(act: () => Promise<unknown>): Promise<Cost> {
    const before = await this.#metrics();
    await act();
    const after = await this.#metrics();
    const taken = (name: string): number => ((after[name] ?? 0) - (before[name] ?? 0)) * 1000;
    return { all: taken('TaskDuration'), script: taken('ScriptDuration') };
  }

  /** What each task of the main thread took of its time, in ms. */
  async tasks(act: () => Promise<unknown>): Promise<number[]> {
    const events: TraceEvent[] = [];
    const browser = await this.page.context().browser()?.newBrowserCDPSession();
    if (browser === undefined) throw new Error('the browser is gone');
    browser.on('Tracing.dataCollected', ({ value }) => { events.push(...value as unknown as TraceEvent[]); });
    const ended = new Promise((resolve) => { browser.once('Tracing.tracingComplete', resolve); });
    await browser.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'devtools.timeline'] } });
    await act();
    await browser.send('Tracing.end');
    await ended;
    await browser.detach();
    const thread = busiest(events.filter(({ name }) => name === 'FireAnimationFrame'));
    return events.filter(({ name, ...event }) => name.endsWith('RunTask') && threadOf(event) === thread).map(({ tdur = 0 }) => tdur / 1000);
  }

  /** What is left on the heap, in bytes. */
  async heap(): Promise<number> {
    for (let n = 0; n < 3; n += 1) await this.#session.send('HeapProfiler.collectGarbage');
    return (await this.#session.send('Runtime.getHeapUsage')).usedSize;
  }

  async #metrics(): Promise<Record<string, number>> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  }
}

/** The product's page and those it is compared with, in one browser. */
export class PageBench {
  readonly #browser: Browser;
  readonly #server: PanelServer;

  static async start(): Promise<PageBench> {
    await buildPage();
    return new PageBench(await launchBrowser(), await startPanelServer(path.join(repository, FOLDER)));
  }

  private constructor(browser: Browser, server: PanelServer) {
    this.#browser = browser;
    this.#server = server;
  }

  /** The page as it ships, driven by `drive`. */
  async ours(first: PanelState): Promise<BenchPage> {
    const page = await this.#browser.newPage({ viewport: { width: 420, height: 800 }, reducedMotion: 'reduce' });
    await page.exposeBinding('panelPost', () => undefined);
    await page.goto(`${this.#server.origin}/?theme=dark`);
    await page.evaluate((state) => { window.postMessage({ type: 'state', state }, '*'); }, first);
    await page.locator('.panel').waitFor();
    await page.evaluate(await bundled('drive.ts'));
    return this.#measured(page);
  }

  /** The same document and looks with `baselines` in place of the page's script. */
  async baseline(): Promise<BenchPage> {
    const page = await this.#browser.newPage({ viewport: { width: 420, height: 800 }, reducedMotion: 'reduce', bypassCSP: true });
    const script = await bundled('baselines.ts');
    await page.route('**/chat.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
    await page.exposeBinding('panelPost', () => undefined);
    await page.goto(`${this.#server.origin}/?theme=dark`);
    return this.#measured(page);
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }

  async #measured(page: Page): Promise<BenchPage> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new BenchPage(page, session);
  }
}

/** A session with one question and its answer, or an answer that is still open. */
export function smallState(open = false): PanelState {
  const script = new SessionScript();
  const turn = script.start('question');
  if (open) script.item(turn, { kind: 'agent_message' });
  else {
    script.done(turn, { kind: 'agent_message' }, 'answer');
    script.endTurn(turn);
  }
  script.take();
  return script.state();
}
