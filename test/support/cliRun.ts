import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { runCli } from '../../src/cli/runCli.ts';
import type { ExitCode } from '../../src/cli/failure.ts';
import { systemClock } from '../../src/connector/systemClock.ts';
import { eventually } from './eventually.ts';

export interface CliRunOptions {
  readonly dataRoot: string;
  readonly cwd: string;
  /** Whether stdin and stdout are a terminal. */
  readonly terminal?: boolean;
  readonly columns?: number;
  /** What is on stdin; absent: nothing, and it stays open. */
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
}

class Collected extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number;

  constructor(isTTY: boolean, columns: number) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** One run of the command line in this process, from its arguments to its exit code. */
export class CliRun {
  readonly done: Promise<ExitCode>;
  readonly #stdin: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly #stdout: Collected;
  readonly #stderr: Collected;
  readonly #interrupt = new AbortController();

  /** It starts no gateway unless it is told to. */
  constructor(args: readonly string[], { dataRoot, cwd, terminal = false, columns = 100, stdin, env = {} }: CliRunOptions) {
    this.#stdout = new Collected(terminal, columns);
    this.#stderr = new Collected(terminal, columns);
    this.#stdin.isTTY = terminal;
    if (stdin !== undefined) this.#stdin.end(stdin);
    this.done = runCli({
      argv: [...args, '--no-start', '--data-root', dataRoot],
      env: { NO_COLOR: '1', ...env },
      cwd,
      stdin: this.#stdin,
      stdout: this.#stdout,
      stderr: this.#stderr,
      clock: systemClock,
      interrupt: this.#interrupt.signal,
    });
  }

  get stdout(): string {
    return this.#stdout.text;
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  /** What a person types. */
  type(text: string): void {
    this.#stdin.write(text);
  }

  interrupt(): void {
    this.#interrupt.abort();
  }

  async shows(what: RegExp): Promise<void> {
    await eventually(`the command line shows ${String(what)}`, () => what.test(this.stdout + this.stderr)).catch((error: unknown) => {
      throw new Error(`${String(error)}, not only ${JSON.stringify(this.stdout + this.stderr)}`);
    });
  }

  /** The lines of a stream of JSON so far. */
  lines<T>(): T[] {
    return this.stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as T);
  }

  /** The one JSON document it answered with. */
  async json<T>(): Promise<T> {
    assert.equal(await this.done, 0, this.stderr);
    return JSON.parse(this.stdout) as T;
  }

  /** It fails with this exit code and this kind. */
  async fails(code: ExitCode, kind: string): Promise<{ kind: string; message: string; next: string; entity?: unknown }> {
    assert.deepEqual([await this.done, this.stdout], [code, ''], this.stdout + this.stderr);
    const { error } = JSON.parse(this.stderr.trim().split('\n').at(-1) ?? '') as { error: { kind: string; message: string; next: string; entity?: unknown } };
    assert.equal(error.kind, kind, this.stderr);
    assert.ok(error.message !== '' && error.next !== '');
    return error;
  }
}
