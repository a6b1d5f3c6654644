import fs from 'node:fs';
import path from 'node:path';
import MochaModule from 'mocha';

// The Node of older editors hands a required ES module over as its namespace.
const Mocha = (MochaModule as typeof MochaModule & { readonly default?: typeof MochaModule }).default ?? MochaModule;

/** What one mocha run came to. A skipped test is counted apart, never as passed. */
export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
  /** Full titles of what failed or was skipped, with the reason. */
  problems: string[];
  /** What passed only when it was tried again, with the first reason: shown in the summary, to be mended. */
  retried: string[];
}

export interface MochaRunOptions {
  readonly timeout: number;
  readonly grep?: string | undefined;
  /** How often a test that fails is tried again: only where other processes are in play. */
  readonly retries?: number | undefined;
}

/** Runs the given test files with the spec reporter and counts what happened; never ends the process. */
export async function runMocha(files: readonly string[], options: MochaRunOptions): Promise<TestCounts> {
  const mocha = new Mocha({
    ui: 'bdd',
    reporter: 'spec',
    timeout: options.timeout,
    retries: options.retries ?? 0,
    forbidOnly: true,
    color: process.stdout.isTTY,
    ...(options.grep === undefined ? {} : { grep: options.grep }),
  });
  const failed = new Set<string>();
  const retried = new Map<string, string>();
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0, problems: [], retried: [] };
  for (const file of files) { await load(mocha, file, counts); }
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => { resolve(); });
    runner.on('pass', () => { counts.passed++; });
    runner.on('fail', (test, error: unknown) => {
      counts.failed++;
      failed.add(test.fullTitle());
      counts.problems.push(`${test.fullTitle()}: ${reasonOf(error)}`);
    });
    runner.on('retry', (test: { fullTitle(): string }, error: unknown) => { retried.set(test.fullTitle(), reasonOf(error)); });
    runner.on('pending', (test) => { counts.skipped++; counts.problems.push(`${test.fullTitle()} (skipped)`); });
  });
  counts.retried = [...retried].filter(([title]) => !failed.has(title)).map(([title, reason]) => `${title}: ${reason}`);
  return counts;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300);

/** One by one, so that a file that does not load fails alone. */
async function load(mocha: MochaModule, file: string, counts: TestCounts): Promise<void> {
  mocha.files = [file];
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    console.error(`${file} does not load:`, error);
    counts.failed++;
    counts.problems.push(`${file} does not load`);
  }
}

/** Leaves the counts where the process that started this run looks for them. */
export function writeCounts(file: string | undefined, counts: TestCounts): void {
  if (file === undefined) { return; }
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(counts));
}
