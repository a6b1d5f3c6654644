import type net from 'node:net';
import { AbstractMessageReader, Disposable, type DataCallback, type Message } from 'vscode-jsonrpc/node';
import { FrameError, type FrameDecoder } from '../../connector/frames.ts';

/** So many messages may have been read and not yet been looked at; a client that floods waits in its own buffers. */
const BACKLOG = 128;

/** Turns a socket into messages, not faster than they are dealt with. Stops for good at the first thing it cannot read. */
export class SocketReader extends AbstractMessageReader {
  readonly #socket: net.Socket;
  readonly #decoder: FrameDecoder;
  /** Takes in a message at once, before those that wait for their turn; true when it has. */
  intercept: (message: Message) => boolean = () => false;
  #callback: DataCallback | null = null;
  #backlog = 0;
  #held = false;

  constructor(socket: net.Socket, decoder: FrameDecoder) {
    super();
    this.#socket = socket;
    this.#decoder = decoder;
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    this.#socket.on('data', this.#onData).on('close', () => this.fireClose());
    // What came together with the hello is dealt with first.
    this.#pump();
    return Disposable.create(() => this.#stop());
  }

  /** To be called for each message when it is dealt with. */
  dealtWith(message: Message): void {
    if (isCancel(message)) return;
    this.#backlog -= 1;
    if (this.#backlog < BACKLOG) this.#pump();
  }

  /** Reads nothing more until `letGo`. */
  hold(): void {
    this.#held = true;
    this.#socket.pause();
  }

  letGo(): void {
    this.#held = false;
    this.#pump();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#decoder.push(chunk);
    this.#pump();
  };

  #pump(): void {
    try {
      while (this.#callback !== null && !this.#held && this.#backlog < BACKLOG) {
        const body = this.#decoder.next();
        if (body === null) {
          this.#socket.resume();
          return;
        }
        this.#deliver(this.#callback, parseMessage(body));
      }
      if (this.#callback !== null) this.#socket.pause();
    } catch (error) {
      this.#stop();
      this.fireError(error instanceof Error ? error : new Error('unreadable'));
    }
  }

  #deliver(callback: DataCallback, message: Message): void {
    if (this.intercept(message)) return;
    // A cancel may be taken in without ever being dealt with, so it is not counted.
    if (!isCancel(message)) this.#backlog += 1;
    callback(message);
  }

  /** Bytes still flow and are thrown away, so that the end of the stream is noticed. */
  #stop(): void {
    this.#callback = null;
    this.#socket.off('data', this.#onData).resume();
  }
}

const isCancel = (message: Message): boolean => 'method' in message && message.method === '$/cancelRequest';

function parseMessage(body: Buffer): Message {
  let message: unknown;
  try {
    message = JSON.parse(body.toString('utf8'));
  } catch {
    throw new FrameError('malformed', 'a frame holds no JSON');
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) throw new FrameError('malformed', 'a frame holds no JSON-RPC message');
  return message as Message;
}
