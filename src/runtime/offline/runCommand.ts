import type { TerminalHandle } from '@agentclientprotocol/sdk';
import { askConsent } from './consent.ts';
import { fence, inlineCode, lastPart } from './markdown.ts';
import { messageOf, Problem } from './problem.ts';
import type { ToolCard } from './toolCard.ts';
import type { Turn } from './turn.ts';

const outputByteLimit = 1024 * 1024;
const shownCharacters = 4_000;

type Ended = { readonly exitCode: number | null; readonly signal: string | null; readonly output: string; readonly truncated: boolean };

export async function runCommand(turn: Turn, { command }: { readonly command: string }): Promise<void> {
  requireTerminals(turn);
  const card = await turn.startTool({
    kind: 'execute',
    title: command,
    status: 'pending',
    rawInput: { command, cwd: turn.cwd },
  });
  try {
    await askConsent(turn, card, 'Nothing was run. Send another command if you want a different one.');
  } catch (error) {
    if (error instanceof Problem) await card.fail(error.message);
    throw error;
  }
  const ended = await runInTerminal(turn, card, command);
  await report(turn, card, command, ended);
}

function requireTerminals(turn: Turn): void {
  if (turn.capabilities.terminal === true) return;
  throw new Problem(
    'This editor does not offer terminals to agents, and I never run anything by myself.',
    'Run the command in a terminal of your own.',
  );
}

async function runInTerminal(turn: Turn, card: ToolCard, command: string): Promise<Ended> {
  const terminal = await createTerminal(turn, card, command);
  try {
    await card.progress([{ type: 'terminal', terminalId: terminal.id }]);
    const exit = await turn.race(terminal.waitForExit());
    const { output, truncated } = await turn.race(terminal.currentOutput());
    return { exitCode: exit.exitCode ?? null, signal: exit.signal ?? null, output, truncated };
  } finally {
    // Not awaited: a turn that is being cancelled must not wait for a client that is busy killing.
    if (turn.signal.aborted) terminal.kill().catch(() => undefined);
    terminal.release().catch(() => undefined);
  }
}

async function createTerminal(turn: Turn, card: ToolCard, command: string): Promise<TerminalHandle> {
  const { sessionId, cwd } = turn;
  const creating = turn.client.createTerminal({ sessionId, command, cwd, outputByteLimit });
  try {
    return await turn.race(creating);
  } catch (error) {
    // The client may still answer after the cancel; that terminal has to end as well.
    creating.then((late) => Promise.all([late.kill(), late.release()])).catch(() => undefined);
    turn.throwIfCancelled();
    const problem = new Problem(`The editor did not start the command: ${messageOf(error)}`, 'Check the command, then send it again.');
    await card.fail(problem.message);
    throw problem;
  }
}

async function report(turn: Turn, card: ToolCard, command: string, ended: Ended): Promise<void> {
  const { exitCode, signal, output } = ended;
  const how = signal === null ? `ended with code ${String(exitCode ?? 'unknown')}` : `was ended by ${signal}`;
  const rawOutput = { exitCode, signal, output: lastPart(output, shownCharacters), truncated: ended.truncated };
  if (exitCode === 0) await card.complete({ rawOutput });
  else await card.fail(`The command ${how}.`, { rawOutput });
  const text = output.trimEnd() === '' ? ' It printed no output.' : `\n\n${shownOutput(ended)}`;
  await turn.say(`${inlineCode(command)} ${how}.`, text);
}

function shownOutput({ output, truncated }: Ended): string {
  const shown = lastPart(output.trimEnd(), shownCharacters);
  const cut = truncated || shown.length < output.trimEnd().length ? '\n\nOnly the last part of the output is shown.' : '';
  return `${fence(shown)}${cut}`;
}
