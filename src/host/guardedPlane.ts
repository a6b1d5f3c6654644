import type { CommandSpec, GuardedPlane, GuardedTerminal, PermissionAnswer, PermissionRequest } from '../execution/plane.ts';
import { AttacheError } from '../protocol/errors.ts';
import type { ReportOp } from '../protocol/host/commands.ts';
import type { ItemKey } from '../protocol/ids.ts';
import { GuardContext, type GuardParts } from './guardContext.ts';
import { runGuarded, type GuardedCommand } from './guardedCommand.ts';
import { writeGuarded } from './guardedEdit.ts';
import { GuardedPermissions } from './guardedPermission.ts';
import { UnaskedActs } from './unaskedActs.ts';

/** What became of the commands of a turn that was stopped. */
export interface StopReport {
  readonly stopped: readonly string[];
  /** Commands that had ended and left something running in the background. */
  readonly leftRunning: readonly string[];
}

/** The guard of one turn: reads are free inside the folder, everything else needs a recorded approval first. */
export class TurnGuard implements GuardedPlane {
  readonly #context: GuardContext;
  readonly #permissions: GuardedPermissions;
  readonly #unasked: UnaskedActs;
  readonly #commands = new Set<GuardedCommand>();
  readonly #pending = new Set<Promise<unknown>>();

  constructor(parts: GuardParts) {
    this.#context = new GuardContext(parts);
    this.#permissions = new GuardedPermissions(this.#context);
    this.#unasked = new UnaskedActs({ calls: this.#context.calls, marks: parts.takesMarks, isAskedAbout: parts.isAskedAbout, standing: parts.standing, newKey: () => this.#context.newKey('hostnotice') });
  }

  /** Every command this turn started, in order. */
  get commands(): readonly GuardedCommand[] {
    return [...this.#commands];
  }

  async readText(path: string, range: { readonly line: number | null; readonly limit: number | null }): Promise<string> {
    this.#context.requireLive();
    const { plane, seen } = this.#context.parts;
    const { text } = await plane.read(path);
    seen.read(path, text);
    if (text === null) throw new AttacheError('not_found', { message: `There is no file ${path}.` });
    return excerpt(text, range);
  }

  writeText(path: string, text: string, toolCallId: string | null): Promise<void> {
    return this.#track(writeGuarded(this.#context, path, text, toolCallId));
  }

  async createTerminal(spec: CommandSpec, toolCallId: string | null): Promise<GuardedTerminal> {
    return this.#track(runGuarded(this.#context, spec, toolCallId).then((command) => {
      this.#commands.add(command);
      // The stop may have come while it was being started.
      if (this.#context.parts.signal.aborted) void command.stop('Stopped.');
      return command;
    }));
  }

  requestPermission(request: PermissionRequest, withdrawn?: AbortSignal): Promise<PermissionAnswer> {
    return this.#track(this.#permissions.request(request, withdrawn ?? null));
  }

  /** The reports of the agent's own doing, with the result records of what it was allowed and a flag on what it was not. */
  withResults(ops: readonly ReportOp[]): ReportOp[] {
    return ops.flatMap((op): ReportOp[] => {
      this.#context.calls.take(op);
      if (op.op !== 'item.end') return [op];
      const known = op.state === 'completed' || op.state === 'failed' || op.state === 'declined';
      const results = this.#permissions.ended(op.itemKey) && known ? this.#context.effectEnd(op.itemKey) : [];
      return [...results, ...this.#unasked.flagged(op)];
    });
  }

  kill(itemKey: ItemKey): Promise<void> {
    const command = this.commands.find((candidate) => candidate.itemKey === itemKey);
    if (command === undefined) throw new AttacheError('not_found', { message: 'This command is not running any more.' });
    return command.stopByHand();
  }

  /** Ends everything that runs, at once. */
  async stop(): Promise<StopReport> {
    const running = this.commands.filter(({ isRunning }) => isRunning);
    await Promise.all(running.map((command) => command.stop('Stopped.')));
    const left = await Promise.all(this.commands.map((command) => command.hasLeftovers()));
    return { stopped: running.map(({ text }) => text), leftRunning: this.commands.filter((_command, index) => left[index] === true).map(({ text }) => text) };
  }

  /** After it nothing of the turn acts any more and every item of it has ended. */
  async finish(): Promise<void> {
    await Promise.all(this.commands.filter(({ isRunning }) => isRunning).map((command) => command.stop('Ended with the turn.')));
    await Promise.allSettled(this.#pending);
    await this.#permissions.settled();
    this.#context.finish();
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work.then(() => undefined, () => undefined).finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
    return work;
  }
}

/** Lines counted from 1; what lies beyond the end is empty. */
export function excerpt(text: string, { line, limit }: { readonly line: number | null; readonly limit: number | null }): string {
  if (line === null && limit === null) return text;
  const lines = text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  const start = Math.max(0, (line ?? 1) - 1);
  return lines.slice(start, limit === null ? undefined : start + limit).join('');
}
