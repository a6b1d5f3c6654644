import type net from 'node:net';
import { AbstractMessageReader, AbstractMessageWriter, Disposable, type DataCallback, type Message } from 'vscode-jsonrpc/node';
import { LIMITS } from '../protocol/limits.ts';
import { encodeFrame, FrameDecoder } from './frames.ts';

/**
 * The messages that come over a paused socket. Does what vscode-jsonrpc's own reader does, without a queue of promises for each message: with one
 * message for many words that queue is most of what receiving costs. Stops for good at the first thing it cannot read.
 */
export class FrameReader extends AbstractMessageReader {
  readonly #socket: net.Socket;
  readonly #decoder = new FrameDecoder(LIMITS.frameBytes);

  constructor(socket: net.Socket) {
    super();
    this.#socket = socket;
  }

  listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer): void => {
      try {
        this.#decoder.push(chunk);
        for (let body = this.#decoder.next(); body !== null; body = this.#decoder.next()) callback(JSON.parse(body.toString('utf8')) as Message);
      } catch (error) {
        this.#socket.off('data', onData).resume();
        this.fireError(error instanceof Error ? error : new Error('unreadable'));
      }
    };
    this.#socket.on('data', onData).on('error', (error) => this.fireError(error)).on('close', () => this.fireClose()).resume();
    return Disposable.create(() => void this.#socket.off('data', onData));
  }
}

/** Writes each message as a frame of its own. A write that fails rejects: what was not sent had an unknown outcome. */
export class FrameWriter extends AbstractMessageWriter {
  readonly #socket: net.Socket;

  constructor(socket: net.Socket) {
    super();
    this.#socket = socket;
    socket.on('error', (error) => this.fireError(error)).on('close', () => this.fireClose());
  }

  write(message: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(encodeFrame(message), (error) => {
        if (error === undefined || error === null) resolve();
        else reject(error);
      });
    });
  }

  end(): void {
    this.#socket.end();
  }
}
