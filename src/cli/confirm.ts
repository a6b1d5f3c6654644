import readline from 'node:readline';
import type { Context } from './context.ts';
import { CliFailure } from './failure.ts';
import { bold, dim, type Line } from './output/spans.ts';

/** Asks on the terminal; anything but a yes is a no. Where there is no terminal only --yes counts. */
export async function confirm({ output, input, interrupt }: Pick<Context, 'output' | 'input' | 'interrupt'>, isAgreed: boolean, question: Line): Promise<void> {
  if (isAgreed) return;
  if (input.isTTY !== true) throw new CliFailure('confirmation_needed');
  await forgetTyped(input);
  output.prompt(...question.map((piece) => (typeof piece === 'string' ? bold(piece) : piece)), dim(' [y/N] '));
  const answer = await readLine(input, interrupt);
  if (!/^(?:y|yes)$/i.test(answer.trim())) throw new CliFailure('not_confirmed');
}

const TYPED_MS = 100;

/** What was typed before the question was seen is no answer to it. */
async function forgetTyped(input: Context['input']): Promise<void> {
  const forget = (): void => undefined;
  input.on('data', forget);
  await new Promise((resolve) => setTimeout(resolve, TYPED_MS));
  input.off('data', forget);
  input.pause();
}

function readLine(input: Context['input'], interrupt: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // Not in terminal mode: the line discipline echoes, and Ctrl+C stays a signal.
    const lines = readline.createInterface({ input, terminal: false });
    const stop = (): void => {
      lines.close();
      reject(new CliFailure('interrupted', { message: 'Nothing was answered.', next: 'Run the command again.' }));
    };
    if (interrupt.aborted) return stop();
    interrupt.addEventListener('abort', stop, { once: true });
    lines.once('line', (line) => {
      interrupt.removeEventListener('abort', stop);
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(''));
  });
}

/** Everything on stdin, as text. */
export async function readAll(input: Context['input']): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of input) pieces.push(Buffer.from(piece as Buffer | string));
  return new TextDecoder().decode(Buffer.concat(pieces));
}
