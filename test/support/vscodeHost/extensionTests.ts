import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type VsCodeHost } from './install.ts';
import { openWorkbench } from './openWorkbench.ts';
import { type ServerOptions, type VsCodeServer, startServer } from './server.ts';

export interface ExtensionTestsOptions extends ServerOptions {
  readonly extensions: readonly string[];
  /** A CommonJS module with run(), which rejects when a test fails. */
  readonly tests: string;
  readonly folder?: string | undefined;
  readonly workspace?: string | undefined;
  readonly timeoutMs: number;
}

const runner = path.join(import.meta.dirname, 'extensionHostRunner.cjs');

/** Runs a tests module in the real extension host and resolves to its exit code. */
export async function runExtensionTests(host: VsCodeHost, options: ExtensionTestsOptions): Promise<number> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'vsc-run-'));
  const output = new OutputFile(path.join(scratch, 'out.txt'));
  const onProcessExit = (): void => { output.stop(); fs.rmSync(scratch, { recursive: true, force: true }); };
  process.once('exit', onProcessExit);
  let server: VsCodeServer | undefined;
  let browser: Browser | undefined;
  try {
    browser = await launchBrowser();
    server = await startServer(host, { ...options, env: { ...options.env, VSCODE_HOST_OUT: output.file, VSCODE_HOST_TESTS: options.tests } });
    const code = await exitCode(browser, server, options);
    const verdict = output.verdict();
    if (verdict === undefined) { throw new Error(`the extension host ended (${code}) before the tests did${logTail(server)}`); }
    return verdict === '0' ? code : code || 1;
  } finally {
    await browser?.close();
    await server?.stop();
    process.off('exit', onProcessExit);
    onProcessExit();
  }
}

async function exitCode(browser: Browser, server: VsCodeServer, options: ExtensionTestsOptions): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const fail = (why: string): void => { reject(new Error(`${why}${logTail(server)}`)); };
  const timer = setTimeout(() => { fail(`the extension tests did not end within ${options.timeoutMs} ms`); }, options.timeoutMs);
  page.once('crash', () => { fail('the browser page crashed'); });
  browser.once('disconnected', () => { fail('the browser went away'); });
  void server.exited.then((code) => { fail(`code-server exited (${code})`); });
  try {
    await page.exposeFunction('codeAutomationExit', resolve);
    await openWorkbench(page, server, { folder: options.folder, workspace: options.workspace, development: { extensions: options.extensions, tests: runner } });
    return Number(await promise);
  } finally {
    clearTimeout(timer);
    promise.catch(() => { /* what fails from here on is the end of the run */ });
  }
}

function logTail(server: VsCodeServer): string {
  return `\n--- end of the server's log ---\n${server.log().slice(-4000)}`;
}

/** What the runner inside the extension host writes, passed on to this process's own output. */
class OutputFile {
  readonly file: string;
  private offset = 0;
  private readonly ticker: NodeJS.Timeout;

  constructor(file: string) {
    this.file = file;
    fs.writeFileSync(file, '');
    this.ticker = setInterval(() => { this.pump(); }, 200);
  }

  verdict(): string | undefined {
    const file = `${this.file}.verdict`;
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
  }

  stop(): void {
    clearInterval(this.ticker);
    if (fs.existsSync(this.file)) { this.pump(); }
  }

  private pump(): void {
    const descriptor = fs.openSync(this.file, 'r');
    const chunk = Buffer.alloc(fs.fstatSync(descriptor).size - this.offset);
    this.offset += fs.readSync(descriptor, chunk, 0, chunk.length, this.offset);
    fs.closeSync(descriptor);
    process.stdout.write(chunk);
  }
}
