// Builds, checks and runs every distance, also after one has failed, and sums up.
//   node scripts/test.ts [step or distance]... [file.test.ts]... [--grep text]
import fs from 'node:fs';
import path from 'node:path';
import { type TestCounts } from '../test/support/mochaRun.ts';
import { type Distance, distances } from './distances.ts';
import { run, stopChildrenOnSignal } from './run.ts';

const root = path.resolve(import.meta.dirname, '..');
const node = process.execPath;

interface Outcome {
  readonly name: string;
  readonly counts: TestCounts;
  readonly seconds: number;
}

interface Step {
  readonly name: string;
  readonly args: readonly string[];
}

const steps: readonly Step[] = [
  { name: 'build', args: ['scripts/build.ts'] },
  { name: 'typecheck', args: ['node_modules/typescript/bin/tsc', '-b'] },
  { name: 'lint', args: ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0'] },
];

interface Request {
  readonly names: readonly string[];
  readonly files: readonly string[];
  readonly grep: string | undefined;
}

function parse(args: readonly string[]): Request {
  const at = args.indexOf('--grep');
  const grep = at < 0 ? undefined : args[at + 1];
  const rest = at < 0 ? args : args.filter((_, index) => index !== at && index !== at + 1);
  const names = rest.filter((arg) => !arg.endsWith('.ts'));
  const known = [...steps, ...distances].map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) { throw new Error(`no such step or distance: ${unknown.join(', ')} (there are: ${known.join(', ')})`); }
  return { names, files: rest.filter((arg) => arg.endsWith('.ts')), grep };
}

/** A step that passes adds no test; one that fails counts as one. */
async function runStep({ name, args }: Step): Promise<Outcome> {
  const started = Date.now();
  heading(name);
  const problem = await run(node, args, { cwd: root, limitMs: 600_000 });
  const counts = { passed: 0, failed: problem === undefined ? 0 : 1, skipped: 0, problems: problem === undefined ? [] : [`${name}: ${problem}`], retried: [] };
  return { name, counts, seconds: (Date.now() - started) / 1000 };
}

async function runDistance(distance: Distance, request: Request): Promise<Outcome> {
  const started = Date.now();
  heading(`${distance.name}: ${distance.about}`);
  const all = distance.files.flatMap((pattern) => fs.globSync(pattern, { cwd: root })).sort();
  const files = request.files.length === 0 ? all : all.filter((file) => request.files.includes(file));
  const counts = files.length === 0 ? failure('no tests found') : await runFiles(distance, files, request.grep);
  return { name: distance.name, counts, seconds: (Date.now() - started) / 1000 };
}

async function runFiles(distance: Distance, files: readonly string[], grep: string | undefined): Promise<TestCounts> {
  const results = path.join(root, 'dist-test/results', `${distance.name.replace(':', '-')}.json`);
  fs.rmSync(results, { force: true });
  const env: NodeJS.ProcessEnv = { ...process.env, RESULTS: results };
  if (grep !== undefined) { env['MOCHA_GREP'] = grep; }
  env['MOCHA_RETRIES'] = String(distance.retries ?? 0);
  const script = distance.inside === 'node' ? 'scripts/mocha.ts' : 'scripts/mochaInVsCode.ts';
  const problem = await run(node, [script, String(distance.timeoutMs), ...files], { cwd: root, env, limitMs: distance.limitMs });
  if (!fs.existsSync(results)) { return failure(`the run ended without a result: ${problem ?? 'exit 0'}`); }
  const counts = JSON.parse(fs.readFileSync(results, 'utf8')) as TestCounts;
  if (counts.passed + counts.failed + counts.skipped === 0) { return failure('no test ran'); }
  if (problem !== undefined && counts.failed === 0) { return { ...counts, failed: 1, problems: [...counts.problems, problem] }; }
  return counts;
}

function failure(problem: string): TestCounts {
  return { passed: 0, failed: 1, skipped: 0, problems: [problem], retried: [] };
}

function heading(text: string): void {
  console.log(`\n=== ${text} ===`);
}

function table(outcomes: readonly Outcome[]): void {
  heading('summary');
  console.log(`${''.padEnd(12)}${['passed', 'failed', 'skipped', 'time'].map((head) => head.padStart(9)).join('')}`);
  for (const { name, counts, seconds } of outcomes) {
    const cells = [counts.passed, counts.failed, counts.skipped, `${seconds.toFixed(0)} s`];
    console.log(`${name.padEnd(12)}${cells.map((cell) => String(cell).padStart(9)).join('')}`);
    for (const problem of counts.problems) { console.log(`  - ${problem}`); }
    for (const retried of counts.retried) { console.log(`  - passed only when tried again: ${retried}`); }
  }
}

async function main(): Promise<void> {
  const request = parse(process.argv.slice(2));
  const { names } = request;
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const needed = step.name === 'build' || names.length === 0;
    if (needed || names.includes(step.name)) { outcomes.push(await runStep(step)); }
  }
  for (const distance of distances) {
    const wanted = names.length === 0 ? distance.onRequest !== true : names.includes(distance.name);
    if (wanted) { outcomes.push(await runDistance(distance, request)); }
  }
  table(outcomes);
  // A skipped test proves nothing, so it is not allowed to look like success.
  const sum = (pick: (counts: TestCounts) => number): number => outcomes.reduce((total, { counts }) => total + pick(counts), 0);
  const failed = sum((counts) => counts.failed + counts.skipped);
  process.exitCode = failed === 0 ? 0 : 1;
  console.log(`${sum((counts) => counts.passed)} passed, ${failed} failed`);
}

stopChildrenOnSignal();
await main();
