// Runs test files in this process and leaves their counts in RESULTS.
//   node scripts/mocha.ts <timeout ms> <file>...
import { runMocha, writeCounts } from '../test/support/mochaRun.ts';

const graceMs = 10_000;
const [timeout, ...files] = process.argv.slice(2);
const results = process.env['RESULTS'];

// What tests have started ends in exit handlers, which a signal alone would not run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) { process.once(signal, () => { process.exit(130); }); }

const counts = await runMocha(files, { timeout: Number(timeout), grep: process.env['MOCHA_GREP'], retries: Number(process.env['MOCHA_RETRIES'] ?? 0) });
writeCounts(results, counts);
process.exitCode = counts.failed === 0 ? 0 : 1;

// Unreferenced, so it only ever fires when a test left something open.
setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ');
  console.error(`The tests ended ${graceMs / 1000} s ago, yet something keeps the process alive: ${open}`);
  counts.failed++;
  counts.problems.push(`the run did not end by itself (${open})`);
  writeCounts(results, counts);
  process.exit(1);
}, graceMs).unref();
