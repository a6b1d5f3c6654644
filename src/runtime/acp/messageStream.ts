import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { fields, type Fields } from './wire.ts';

export interface MessageStreamOptions {
  readonly stdout: Readable;
  readonly stdin: Writable;
  /** Called in order and before any later message is seen: the answer to a prompt never overtakes its updates. */
  readonly onUpdate: (sessionId: string, update: Fields) => void;
  readonly log: (message: string) => void;
  readonly maxLineBytes?: number;
}

const defaultMaxLine = 64 * 1024 * 1024;
const newline = 0x0a;

/**
 * The line-by-line JSON of an agent as the SDK's stream of messages. Lines that are no message are left out with a log
 * line, since agents print to stdout; `session/update` goes to `onUpdate`, since the SDK would refuse what it does not know.
 */
export function messageStream(options: MessageStreamOptions): Stream {
  let controller: ReadableStreamDefaultController<AnyMessage> | null = null;
  const lines = new Lines(options.maxLineBytes ?? defaultMaxLine, (line) => {
    const message = parse(line, options);
    if (message !== null) controller?.enqueue(message);
  }, options.log);
  const close = (): void => {
    try {
      lines.end();
      controller?.close();
    } catch {
      // The reader has gone before.
    }
    controller = null;
  };
  const readable = new ReadableStream<AnyMessage>({
    start(given) {
      controller = given;
      options.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
      options.stdout.once('end', close);
      options.stdout.once('close', close);
      options.stdout.once('error', close);
    },
    cancel() {
      controller = null;
    },
  });
  return { readable, writable: writableTo(options.stdin) };
}

function writableTo(stdin: Writable): WritableStream<AnyMessage> {
  return new WritableStream<AnyMessage>({
    write: (message) => new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    }),
  });
}

function parse(line: string, options: MessageStreamOptions): AnyMessage | null {
  if (line.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    options.log(`left out a line that is no message: ${line.slice(0, 200)}`);
    return null;
  }
  const message = fields(value);
  if (!('method' in message) && !('id' in message)) {
    options.log(`left out a line that is no message: ${line.slice(0, 200)}`);
    return null;
  }
  if (message['method'] === 'session/update' && !('id' in message)) {
    const params = fields(message['params']);
    try {
      options.onUpdate(String(params['sessionId'] ?? ''), fields(params['update']));
    } catch (error) {
      // One update that cannot be dealt with must not take the lines behind it along.
      options.log(`left out an update that could not be dealt with: ${String(error)}`);
    }
    return null;
  }
  // Some agents leave it out; the SDK insists on it.
  return { ...message, jsonrpc: '2.0' } as AnyMessage;
}

/** Splits bytes into lines. One that is too long is skipped up to its end. */
class Lines {
  readonly #max: number;
  readonly #take: (line: string) => void;
  readonly #log: (message: string) => void;
  #pieces: Buffer[] = [];
  #length = 0;
  #skipping = false;

  constructor(max: number, take: (line: string) => void, log: (message: string) => void) {
    this.#max = max;
    this.#take = take;
    this.#log = log;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, at));
      this.#finish();
      start = at + 1;
    }
    this.#add(chunk.subarray(start));
  }

  end(): void {
    this.#finish();
  }

  #add(piece: Buffer): void {
    if (this.#skipping || piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.#max) {
      this.#log(`left out a line of more than ${String(this.#max)} bytes`);
      this.#skipping = true;
      this.#pieces = [];
      return;
    }
    this.#pieces.push(piece);
  }

  #finish(): void {
    const line = this.#skipping ? '' : Buffer.concat(this.#pieces).toString();
    this.#pieces = [];
    this.#length = 0;
    this.#skipping = false;
    if (line !== '') this.#take(line);
  }
}
