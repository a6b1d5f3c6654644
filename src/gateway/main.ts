import { GATEWAY_EXIT } from '../connector/exitCodes.ts';
import { systemClock } from '../connector/systemClock.ts';
import { AttacheError } from '../protocol/errors.ts';
import { createCore } from './createCore.ts';
import { parseArguments } from './process/arguments.ts';
import { runGateway } from './process/runGateway.ts';
import { pumpStdio } from './process/stdioPump.ts';

async function main(): Promise<number> {
  const options = parseArguments(process.argv.slice(2));
  if (!options.stdio) return runGateway({ dataRoot: options.dataRoot, clock: systemClock, openCore: createCore });
  return pumpStdio(options, { command: process.execPath, args: [...process.execArgv, import.meta.filename] });
}

/** Last words are still being written to clients; a client that does not take them is not waited for. */
const LAST_WORDS_MS = 3000;

function exitSoon(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
}

main().then(exitSoon, (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  exitSoon(error instanceof AttacheError ? GATEWAY_EXIT.failed : GATEWAY_EXIT.usage);
});
