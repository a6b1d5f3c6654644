import { systemClock } from '../connector/systemClock.ts';
import { runCli } from './runCli.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => {
  interrupted.abort();
  // A second one is for a command that cannot end.
  process.once('SIGINT', () => process.exit(130));
});
process.once('SIGTERM', () => interrupted.abort());

/** Should anything keep the process alive, it is not kept; what is still on its way to a pipe is. */
const LOOK_MS = 2_000;

void runCli({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  interrupt: interrupted.signal,
}).then((code) => {
  process.exitCode = code;
  process.stdin.destroy();
  setInterval(() => {
    if (process.stdout.writableLength === 0) process.exit();
  }, LOOK_MS).unref();
});
