import type { Writable } from 'node:stream';
import { visibleJson, visibleText } from '../../client/visibleText.ts';
import { tell } from '../failure.ts';
import { asSpan, bad, dim, painted, type Line, type Span } from './spans.ts';

/** A stream of the process, or a test's. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: NodeJS.ProcessEnv;
  /** Absent: JSON unless stdout is a terminal. */
  readonly json?: boolean;
  readonly noColour: boolean;
  /** Told once, when nobody reads any more. */
  readonly onClosed: () => void;
}

const WIDTH = 100;

/** Where everything that the command line says goes out: as text for people, or as JSON. */
export class Output {
  readonly isJson: boolean;
  readonly isTerminal: boolean;
  readonly #options: OutputOptions;
  #isClosed = false;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.isTerminal = options.stdout.isTTY === true;
    this.isJson = options.json ?? !this.isTerminal;
    options.stdout.on('error', (error: NodeJS.ErrnoException) => this.#failed(error));
    options.stderr.on('error', () => undefined);
  }

  get width(): number {
    const { columns } = this.#options.stdout;
    return columns !== undefined && columns >= 20 ? columns : WIDTH;
  }

  /** Lines for people. */
  async lines(lines: readonly Line[]): Promise<void> {
    await this.#write(lines.map((line) => `${this.#paint(line, this.#options.stdout)}\n`).join(''));
  }

  async line(...line: Line): Promise<void> {
    await this.lines([line]);
  }

  /** A piece of a line. */
  async piece(span: Span | string): Promise<void> {
    await this.#write(this.#paint([span], this.#options.stdout));
  }

  /** One JSON value on a line of its own. */
  async json(value: unknown): Promise<void> {
    await this.#write(`${visibleJson(value, undefined)}\n`);
  }

  /** The one answer of a command: a document for programs, lines for people. */
  async answer(value: unknown, lines: () => readonly Line[]): Promise<void> {
    if (this.isJson) await this.#write(`${visibleJson(value, 2)}\n`);
    else await this.lines(lines());
  }

  /** A file's text: exact, unless a terminal would act on it. */
  async document(text: string): Promise<void> {
    await this.#write(this.isTerminal ? visibleText(text) : text);
  }

  /** What is said beside the answer; programs do not get it. */
  note(...line: Line): void {
    if (!this.isJson) this.#options.stderr.write(`${this.#paint(line.map((piece) => (typeof piece === 'string' ? dim(piece) : piece)), this.#options.stderr)}\n`);
  }

  /** What is said beside the answer to programs that asked for a stream. */
  sideJson(value: unknown): void {
    if (this.isJson) this.#options.stderr.write(`${visibleJson(value)}\n`);
  }

  /** Asks for one line on the terminal. */
  prompt(...line: Line): void {
    this.#options.stderr.write(this.#paint(line, this.#options.stderr));
  }

  failure(error: unknown): void {
    const told = tell(error);
    const { stderr } = this.#options;
    if (this.isJson) stderr.write(`${visibleJson({ error: told })}\n`);
    else stderr.write(`${this.#paint([bad('error'), ` ${told.message} ${told.next} `, dim(`[${told.kind}]`)], stderr)}\n`);
  }

  #paint(line: Line, stream: OutputStream): string {
    const isColoured = hasColour(this.#options, stream);
    return line.map((piece) => painted(asSpan(piece), isColoured)).join('');
  }

  async #write(text: string): Promise<void> {
    if (this.#isClosed || text === '') return;
    const { stdout } = this.#options;
    if (stdout.write(text)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stdout.off('drain', done).off('close', done).off('error', done);
        resolve();
      };
      stdout.on('drain', done).on('close', done).on('error', done);
    });
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.#options.stderr.write(`error The output could not be written: ${visibleText(error.message)}\n`);
    this.#options.onClosed();
  }
}

/** NO_COLOR and --no-color win; FORCE_COLOR makes colours where there is no terminal. */
export function hasColour({ env, noColour }: Pick<OutputOptions, 'env' | 'noColour'>, stream: { readonly isTTY?: boolean }): boolean {
  if (noColour || (env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
