// VS Code loads this, bundled, in the extension host and calls run().
import { runMocha, writeCounts } from '../support/mochaRun.ts';

export async function run(): Promise<void> {
  const files = JSON.parse(process.env['TEST_FILES'] ?? '[]') as string[];
  const counts = await runMocha(files, { timeout: Number(process.env['TEST_TIMEOUT']), grep: process.env['MOCHA_GREP'], retries: Number(process.env['MOCHA_RETRIES'] ?? 0) });
  writeCounts(process.env['RESULTS'], counts);
  if (counts.failed > 0) { throw new Error(`${counts.failed} failed`); }
}
