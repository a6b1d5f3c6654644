import { isHeld } from '../../protocol/session/held.ts';
import { randomUUID } from 'node:crypto';
import { AttacheError } from '../../protocol/errors.ts';
import { clientTurnId, type ClientTurnId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Session } from '../../protocol/session/state.ts';
import { hasEnded, type Turn } from '../../protocol/turn/state.ts';
import type { Command } from '../command.ts';
import { readAll } from '../confirm.ts';
import type { Context } from '../context.ts';
import { CliFailure, EXIT, type ExitCode } from '../failure.ts';
import { teller, waitForTurn } from '../follow/following.ts';
import type { Attached } from '../gateway/attached.ts';
import { shortId } from '../ids.ts';
import { accent, dim, good } from '../output/spans.ts';
import { findSession, newCommandId } from '../sessions.ts';

const WAIT = { wait: { type: 'boolean', short: 'w', about: 'Show the turn until it ends; exit 5 when it does not complete' } } as const;

export const send: Command = {
  name: 'send',
  usage: '<session> <text…>',
  summary: 'Send a message; the window that hosts the session runs it',
  about: ['“-” as the text reads it from stdin. The message waits in the queue while another turn runs, and while no window runs the session.'],
  options: {
    ...WAIT,
    key: { type: 'string', value: 'KEY', about: 'The message’s own key: sent again with the same key and text it is still one message' },
    'no-queue': { type: 'boolean', about: 'Refuse instead of waiting behind a running turn' },
  },
  examples: ['attache send 4k2m9x "/run npm test"', 'git diff | attache send 4k2m9x - --wait', 'attache send 4k2m9x "nightly check" --key nightly-2026-05-01 --json'],
  access: 'write',
  run: async (context, given) => {
    const key = keyOf(given.text('key'));
    const [typed = '', ...words] = given.positionals;
    const text = words.length === 1 && words[0] === '-' ? (await readAll(context.input)).replace(/\r?\n$/, '') : words.join(' ');
    if (text.trim() === '') throw new CliFailure('usage', { message: 'The message is empty.' });
    if (text.length > LIMITS.promptChars) throw new AttacheError('too_large', { message: `The message has more than ${LIMITS.promptChars} characters.` });
    const attached = await context.attach();
    const session = await findSession(attached, typed);
    const { created, turn } = await submitted(context, attached.calls.call('turn/submit', { sessionId: session.sessionId, clientTurnId: key, text, ...(given.flag('no-queue') ? { mode: 'reject' } : {}) }), key);
    if (created && isHeld(session)) context.output.note(`This session is held, since three turns in a row failed with what runs them: the message waits until somebody tries again, with “attache retry ${shortId(session.sessionId, [])}” or in a window.`);
    return given.flag('wait') ? showTurn(context, attached, session, turn) : answerSent(context, session, turn, created);
  },
};

function keyOf(typed: string | undefined): ClientTurnId {
  const parsed = clientTurnId.safeParse(typed ?? `cli-${randomUUID()}`);
  if (!parsed.success) throw new CliFailure('usage', { message: 'A key has up to 200 printable characters and no spaces.' });
  return parsed.data;
}

/** Given up before the answer came, it may have been sent or not: its key lets a person find out. */
async function submitted<T>({ output, interrupt }: Context, answer: Promise<T>, key: string): Promise<T> {
  const stop = (): void => output.note(`Whether it was sent is not known. The same command with --key ${key} sends it once.`);
  interrupt.addEventListener('abort', stop, { once: true });
  try {
    return await answer;
  } finally {
    interrupt.removeEventListener('abort', stop);
  }
}

async function answerSent({ output }: Context, session: Session, turn: Turn, created: boolean): Promise<ExitCode> {
  const name = shortId(session.sessionId, []);
  if (created && session.executor.state !== 'connected') output.note('No window runs this session now: the message waits until one does.');
  await output.answer({ created, turn }, () => [
    [created ? good('sent') : dim('already sent'), ` as turn ${turn.turnIdx} of “${session.title}”, ${turn.state}`],
    ...(hasEnded(turn.state) ? [] : [[dim('Follow it with: '), accent(`attache watch ${name}`)]]),
  ]);
  return EXIT.ok;
}

/** Shows a turn until it ends; the exit code says how it did. */
async function showTurn(context: Context, attached: Attached, session: Session, turn: Turn): Promise<ExitCode> {
  const { output } = context;
  const waited = await waitForTurn(context, attached, { sessionId: session.sessionId, turn }, teller(context));
  if (waited === null) {
    const name = shortId(session.sessionId, []);
    if (context.interrupt.aborted) output.note(`Stopped waiting; the turn goes on. Follow it with “attache watch ${name}”, end it with “attache stop ${name}”.`);
    output.sideJson({ type: 'abandoned', turnId: turn.turnId });
    return EXIT.interrupted;
  }
  if (output.isJson) await output.json({ type: 'end', turn: waited.turn, answer: waited.answer });
  return waited.turn.state === 'completed' ? EXIT.ok : EXIT.turnNotCompleted;
}

export const retry: Command = {
  name: 'retry',
  usage: '<session>',
  summary: 'Run the last turn again, if it did not complete',
  about: ['It goes on in the same conversation of the agent, as a new turn.'],
  options: WAIT,
  examples: ['attache retry 4k2m9x --wait'],
  access: 'write',
  run: async (context, given) => {
    const attached = await context.attach();
    const session = await findSession(attached, given.positionals[0] ?? '');
    const { snapshot } = await attached.calls.call('session/get', { sessionId: session.sessionId });
    const last = snapshot.turns.findLast(({ state }) => state !== 'queued');
    if (last === undefined || last.state === 'completed' || !hasEnded(last.state)) throw new CliFailure('nothing_to_retry');
    const { created, turn } = await attached.calls.call('turn/retry', { commandId: newCommandId(), turnId: last.turnId, clientTurnId: keyOf(undefined) });
    return given.flag('wait') ? showTurn(context, attached, session, turn) : answerSent(context, session, turn, created);
  },
};

export const stop: Command = {
  name: 'stop',
  usage: '<session>',
  summary: 'Stop the running turn and say what was stopped',
  about: ['Messages that wait stay in the queue, which is paused.'],
  options: { 'no-wait': { type: 'boolean', about: 'Do not wait until the host has confirmed it' } },
  examples: ['attache stop 4k2m9x'],
  access: 'write',
  run: async (context, given) => {
    const attached = await context.attach();
    const session = await findSession(attached, given.positionals[0] ?? '');
    if (session.activeTurnId === null) throw new CliFailure('nothing_running');
    const { turn } = await attached.calls.call('turn/cancel', { commandId: newCommandId(), turnId: session.activeTurnId });
    if (turn === null) throw new CliFailure('nothing_running');
    const isOver = hasEnded(turn.state) || given.flag('no-wait');
    if (!isOver) context.output.note('Stopping…');
    const waited = isOver ? { turn } : await waitForTurn(context, attached, { sessionId: session.sessionId, turn }, () => Promise.resolve());
    const last = waited?.turn ?? turn;
    await context.output.answer({ turn: last }, () => [
      [hasEnded(last.state) ? good(last.state) : dim(last.state), ` turn ${last.turnIdx} of “${session.title}”`],
      ...(last.detail === null ? [] : [[last.detail]]),
    ]);
    return waited === null ? EXIT.interrupted : EXIT.ok;
  },
};
