import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import { defaultDataRoot } from '../connector/dataRoot.ts';
import { PRODUCT_VERSION } from '../protocol/version.ts';
import type { Command, Given } from './command.ts';
import { commands } from './commands/all.ts';
import type { Context, InputStream } from './context.ts';
import { CliFailure, EXIT, tell, type ExitCode } from './failure.ts';
import { attach, type Attached } from './gateway/attached.ts';
import { commandHelp, generalHelp } from './help.ts';
import { Output, type OutputStream } from './output/output.ts';
import { checkPositionals, parseCommandLine, type Parsed } from './parse.ts';

/** The process as the command line sees it. */
export interface CliProcess {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Aborts at Ctrl+C. */
  readonly interrupt: AbortSignal;
}

/** Runs one command. Resolves with the exit code, whatever happens. */
export async function runCli(cli: CliProcess): Promise<ExitCode> {
  const closed = new AbortController();
  const output = outputOf(cli, () => closed.abort());
  let attached: Promise<Attached> | null = null;
  try {
    const parsed = parseCommandLine(cli.argv, commands);
    const early = await answerEarly(parsed, output);
    if (early !== null || parsed.command === null) return early ?? EXIT.usage;
    const { command, given } = parsed;
    checkPositionals(command, given.positionals);
    const interrupt = AbortSignal.any([cli.interrupt, closed.signal]);
    const dataRoot = path.resolve(cli.cwd, given.text('data-root') ?? defaultDataRoot(cli.env));
    const context: Context = {
      output, dataRoot, interrupt, input: cli.stdin, env: cli.env, cwd: cli.cwd, clock: cli.clock,
      attach: () => untilInterrupted((attached ??= attach(attachOptions(cli, command, given, dataRoot))), interrupt),
    };
    const code = await untilInterrupted(command.run(context, given), interrupt);
    return closed.signal.aborted ? EXIT.ok : code;
  } catch (error) {
    // Nobody reads any more: that is how a reader ends what it has seen enough of.
    if (closed.signal.aborted) return EXIT.ok;
    output.failure(error);
    return tell(error).exit;
  } finally {
    // Also what is still being connected to when it was given up.
    void (attached as Promise<Attached> | null)?.then((found) => found.dispose(), () => undefined);
  }
}

function attachOptions({ env, cwd, clock }: CliProcess, command: Command, given: Given, dataRoot: string): Parameters<typeof attach>[0] {
  const workspace = given.text('workspace');
  const readOnly = given.flag('read-only') || (env['ATTACHE_READ_ONLY'] ?? '') !== '';
  return {
    dataRoot, cwd, env, clock,
    ...(workspace === undefined ? {} : { workspace }),
    // Who types a command that changes something says by it that the folder may be worked in; reading never needs trust.
    trusted: command.access === 'write' && !readOnly,
    start: !given.flag('no-start') && command.neverStarts !== true,
  };
}

/** Decided before anything is parsed, so that a wrong argument is told in the right form, too. */
function outputOf({ argv, env, stdout, stderr }: CliProcess, onClosed: () => void): Output {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const json = own.includes('--json') ? { json: true } : own.includes('--text') ? { json: false } : {};
  return new Output({ stdout, stderr, env, noColour: own.includes('--no-color'), onClosed, ...json });
}

/** Help and version are text, wherever they go. */
async function answerEarly({ command, given }: Parsed, output: Output): Promise<ExitCode | null> {
  if (given.flag('version')) {
    await output.line(PRODUCT_VERSION);
    return EXIT.ok;
  }
  if (given.flag('help')) {
    await output.lines(command === null ? generalHelp(commands, output.width) : commandHelp(command, output.width));
    return EXIT.ok;
  }
  if (command !== null) return null;
  await output.lines(generalHelp(commands, output.width));
  return EXIT.usage;
}

/** Ctrl+C ends the wait, whatever is waited for. Commands that have more to say about it have said it before. */
function untilInterrupted<T>(work: Promise<T>, interrupt: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => void setImmediate(() => reject(new CliFailure('interrupted')));
    if (interrupt.aborted) stop();
    interrupt.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => interrupt.removeEventListener('abort', stop)).catch(() => undefined);
  });
}
