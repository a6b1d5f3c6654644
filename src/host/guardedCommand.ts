import type { CommandExit, CommandOutput, CommandSpec, GuardedTerminal, RunningCommand } from '../execution/plane.ts';
import type { ApprovalOption } from '../protocol/approval/state.ts';
import { AttacheError } from '../protocol/errors.ts';
import type { ItemKey } from '../protocol/ids.ts';
import type { ItemDataOf } from '../protocol/item/state.ts';
import { commandText } from '../runtime/commandText.ts';
import { toolCallKey } from '../runtime/toolCallKey.ts';
import { CommandReport } from './commandReport.ts';
import { allowed, endOfFailure, type GuardContext } from './guardContext.ts';
import { labelOf } from './shownChanges.ts';

const options: readonly ApprovalOption[] = [
  { optionId: 'allow', name: 'Run', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** A person stopped this one command; its turn goes on. */
const byHand = 'Stopped by hand.';
const toldAgent = '[The user stopped this command.]\n';

/** A command that was allowed and started. */
export class GuardedCommand implements GuardedTerminal {
  readonly itemKey: ItemKey;
  readonly text: string;
  readonly #running: RunningCommand;
  readonly #report: CommandReport;
  readonly #outputBytes: number;
  #stopped: string | null = null;
  #exit: CommandExit | null = null;
  readonly exited: Promise<CommandExit>;

  constructor(running: RunningCommand, report: CommandReport, names: { readonly itemKey: ItemKey; readonly text: string; readonly outputBytes: number }) {
    this.#running = running;
    this.#report = report;
    this.itemKey = names.itemKey;
    this.text = names.text;
    this.#outputBytes = names.outputBytes;
    this.exited = running.exited.then((exit) => this.#ended(exit));
  }

  get isRunning(): boolean {
    return this.#exit === null;
  }

  /** The agent is told when it was a person who ended it, as far as that fits into what it asked for. */
  output(): CommandOutput {
    const output = this.#running.output();
    if (this.#stopped !== byHand || output.exit === null) return output;
    const text = `${output.text}${output.text === '' || output.text.endsWith('\n') ? '' : '\n'}${toldAgent}`;
    return Buffer.byteLength(text) > this.#outputBytes ? output : { ...output, text };
  }

  async kill(): Promise<void> {
    await this.stop('Stopped by the agent.');
  }

  async release(): Promise<void> {
    if (this.isRunning) await this.stop('Ended when the agent let go of it.');
  }

  /** By the person, from its card alone. */
  stopByHand(): Promise<void> {
    return this.stop(byHand);
  }

  /** SIGTERM at once, SIGKILL after a second, to everything it started. */
  async stop(note: string): Promise<void> {
    if (this.isRunning) this.#stopped ??= note;
    await this.#running.kill();
    await this.exited;
  }

  hasLeftovers(): Promise<boolean> {
    return this.#running.hasLeftovers();
  }

  #ended(exit: CommandExit): CommandExit {
    this.#exit = exit;
    this.#report.end(exit, this.#stopped === null ? 'completed' : 'cancelled', this.#stopped);
    return exit;
  }
}

/** Runs a command once it was allowed. Rejects when it was not, or cannot be started. */
export async function runGuarded(context: GuardContext, spec: CommandSpec, toolCallId: string | null): Promise<GuardedCommand> {
  context.requireLive();
  requireInside(context.parts.folder, spec.cwd);
  const text = spec.args === null ? spec.command : commandText([spec.command, ...spec.args]);
  const names = Object.keys(spec.env);
  requireShowable(text, spec.cwd, names);
  const data: ItemDataOf<'command'> = { kind: 'command', command: text, cwd: spec.cwd, envNames: names, exitCode: null, signal: null, cut: 0 };
  const itemKey = context.newKey('command');
  context.parts.reporter.report([{ op: 'item.start', itemKey, data, ...(toolCallId === null ? {} : { parent: toolCallKey(toolCallId) }) }]);
  try {
    await allow(context, { itemKey, data, toolCallId });
    const running = await context.parts.plane.run(spec);
    const report = new CommandReport(running, { itemKey, data, showsWaiting: context.parts.takesMarks }, context.parts.reporter, context.parts.clock);
    return new GuardedCommand(running, report, { itemKey, text, outputBytes: spec.outputBytes });
  } catch (error) {
    endFailed(context, itemKey, data, error);
    throw error;
  }
}

/** Before anybody is asked; links are followed by the plane. */
function requireInside(folder: string, cwd: string): void {
  if (cwd !== folder && labelOf(folder, cwd) === cwd) throw new AttacheError('path_refused', { message: `${cwd} is outside of the session’s folder.` });
}

/** What cannot be shown whole cannot be allowed: its rest would run unseen. */
function requireShowable(command: string, cwd: string, names: readonly string[]): void {
  if (command.length <= 100_000 && cwd.length <= 4096 && names.length <= 500 && names.every((name) => name.length <= 500)) return;
  throw new AttacheError('too_large', { message: 'The command is too long to be shown, so it may not run.', next: 'Put it into a file and run that.' });
}

async function allow(context: GuardContext, asked: { readonly itemKey: ItemKey; readonly data: ItemDataOf<'command'>; readonly toolCallId: string | null }): Promise<void> {
  const { itemKey, data: { command, cwd, envNames: names }, toolCallId } = asked;
  await context.parts.reporter.settled();
  context.hasAsked(toolCallId, 'execute');
  const approval = context.ledger.useCommand({ command, cwd, envNames: names, toolCallId }) ?? (await context.ask({
    itemKey,
    title: `Run ${command}`,
    subject: { kind: 'command', command, cwd, envNames: [...names] },
    options,
    mustAsk: false,
  }, toolCallId));
  await context.beginEffect(itemKey, allowed(approval));
}

function endFailed(context: GuardContext, itemKey: ItemKey, data: ItemDataOf<'command'>, error: unknown): void {
  const { state, note } = endOfFailure(context, error);
  context.parts.reporter.report([...context.effectEnd(itemKey), { op: 'item.end', itemKey, state, data: { ...data, ...note } }]);
}
