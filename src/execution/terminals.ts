import type { Readable } from 'node:stream';
import { Deferred } from '../base/deferred.ts';
import { OutputBuffer } from './outputBuffer.ts';
import type { CommandExit, CommandOutput, CommandSpec, RunningCommand } from './plane.ts';
import type { OwnedProcess, ProcessTools } from './processTools.ts';
import { TerminalText } from './terminalText.ts';

const quietMs = 50;
// More than the two pipes can have held when the command ended: the rest comes from the background.
const maxPipePieces = 64;
const maxOutputBytes = 16 * 1024 * 1024;
// A "line" longer than this is settled as it is, so that it need not be held back for ever.
const maxLineChars = 64 * 1024;

/**
 * Starts a command in its own process group. Its standard input is at its end (/dev/null, and no terminal): nobody could type into it, so that
 * what asks goes on, or fails, at once instead of waiting for ever. A pipe that stays open would make programs read it that else look into the folder.
 */
export async function runCommand(spec: CommandSpec, tools: ProcessTools): Promise<RunningCommand> {
  const { command, args } = commandLine(spec);
  const owned = await tools.start({ command, args, cwd: spec.cwd, env: spec.env, stdin: 'none' });
  return new ShellCommand(owned, spec, tools);
}

function commandLine(spec: CommandSpec): { command: string; args: readonly string[] } {
  if (spec.args !== null) return { command: spec.command, args: spec.args };
  if (process.platform === 'win32') return { command: process.env['ComSpec'] ?? 'cmd.exe', args: ['/d', '/s', '/c', spec.command] };
  return { command: '/bin/sh', args: ['-c', spec.command] };
}

class ShellCommand implements RunningCommand {
  readonly #owned: OwnedProcess;
  readonly #tools: ProcessTools;
  readonly #text = new TerminalText();
  readonly #kept: OutputBuffer;
  readonly #exited = new Deferred<CommandExit>();
  readonly #listeners: ((text: string) => void)[] = [];
  /** Settled before anybody listened. */
  #early = '';
  #exit: CommandExit | null = null;
  #open = 2;
  #received = 0;

  constructor(owned: OwnedProcess, spec: CommandSpec, tools: ProcessTools) {
    this.#owned = owned;
    this.#tools = tools;
    this.#kept = new OutputBuffer(Math.min(spec.outputBytes, maxOutputBytes));
    this.#read(owned.child.stdout);
    this.#read(owned.child.stderr);
    const { child } = owned;
    // It may have ended before anybody could listen.
    if (child.exitCode === null && child.signalCode === null) child.once('exit', (exitCode, signal) => void this.#finish({ exitCode, signal }));
    else void this.#finish({ exitCode: child.exitCode, signal: child.signalCode });
  }

  get exited(): Promise<CommandExit> {
    return this.#exited.promise;
  }

  output(): CommandOutput {
    const { text, truncated } = this.#kept.read();
    return { text: text + this.#text.unsettled, truncated, exit: this.#exit };
  }

  async kill(): Promise<void> {
    await this.#owned.kill();
    if (this.#exit === null) await this.#exited.promise;
  }

  onSettled(listener: (text: string) => void): void {
    this.#listeners.push(listener);
    if (this.#early === '') return;
    const early = this.#early;
    this.#early = '';
    listener(early);
  }

  unsettled(): string {
    return this.#text.unsettled;
  }

  get received(): number {
    return this.#received;
  }

  async waitsForInput(): Promise<boolean> {
    return this.#exit === null && (await this.#owned.waitsForInput());
  }

  async hasLeftovers(): Promise<boolean> {
    return this.#exit !== null && (await this.#owned.isTreeAlive());
  }

  #read(stream: Readable | null): void {
    const decoder = new TextDecoder();
    stream?.on('data', (bytes: Uint8Array) => {
      this.#received += 1;
      this.#take(decoder.decode(bytes, { stream: true }));
    });
    stream?.once('close', () => {
      this.#open -= 1;
      this.#take(decoder.decode());
    });
    stream?.on('error', () => undefined);
  }

  #take(text: string): void {
    // What background processes write after the end belongs to nobody; it is read so that they are not held up.
    if (this.#exit !== null || text === '') return;
    this.#settle(this.#text.push(text));
    if (this.#text.unsettled.length > maxLineChars) this.#settle(this.#text.end());
  }

  #settle(given: string): void {
    if (given === '') return;
    // A character that was overwritten in part is half a character.
    const text = given.toWellFormed();
    this.#kept.append(text);
    if (this.#listeners.length === 0) this.#early += text;
    for (const listener of this.#listeners) listener(text);
  }

  async #finish(exit: CommandExit): Promise<void> {
    await this.#drained();
    this.#settle(this.#text.end());
    this.#exit = exit;
    this.#exited.resolve(exit);
  }

  /** Until both pipes are closed, or are held open by a background process that writes nothing. */
  async #drained(): Promise<void> {
    const start = this.#received;
    for (let seen = -1; this.#open > 0 && seen !== this.#received && this.#received - start < maxPipePieces; ) {
      seen = this.#received;
      await new Promise<void>((resolve) => void this.#tools.clock.setTimeout(resolve, quietMs));
      // What is in the pipes already is delivered before the next look, however busy the machine is.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}
