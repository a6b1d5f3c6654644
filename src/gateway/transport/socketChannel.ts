import type net from 'node:net';
import { AbstractMessageWriter, type Message, type MessageWriter } from 'vscode-jsonrpc/node';
import type { Clock } from '../../base/clock.ts';
import { encodeFrame, frameHeader, type FrameDecoder } from '../../connector/frames.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { jsonOf } from '../encodedResult.ts';
import { replyTooLarge } from './rpcErrors.ts';
import { SocketReader } from './socketReader.ts';

/** A client that reads nothing at all while it asks and asks is cut off here. */
const OUTBOUND_HARD_BYTES = 2 * LIMITS.frameBytes + LIMITS.outboundBytes;
/** Events wait in the log, not here: whatever else is said passes them. */
const BULK_BYTES = 256 * 1024;
const SHORT_FRAME_BYTES = 4096;
const LAST_WORD_MS = 2000;

export interface SocketChannelOptions {
  readonly socket: net.Socket;
  /** Holds what followed the hello. */
  readonly decoder: FrameDecoder;
  readonly clock: Clock;
}

/**
 * One authenticated socket as reader and writer of messages, with caps on both directions. While too much waits to go out
 * nothing more is read, so that a client which does not read can make the gateway hold only a bounded amount.
 */
export class SocketChannel {
  readonly reader: SocketReader;
  readonly writer: MessageWriter;
  readonly #socket: net.Socket;
  readonly #clock: Clock;
  readonly #afterReply = new WeakMap<object, () => void>();
  #onRoom: () => void = () => undefined;
  #progressAt = 0;

  constructor({ socket, decoder, clock }: SocketChannelOptions) {
    this.#socket = socket;
    this.#clock = clock;
    this.reader = new SocketReader(socket, decoder);
    this.writer = new SocketWriter((message) => this.#write(message), socket);
    socket.on('drain', () => this.#drained());
  }

  /** Bytes handed over that the kernel has not taken yet. */
  get outboundBytes(): number {
    return this.#socket.writableLength;
  }

  /** How long the peer has taken nothing although something waits. */
  get stalledMs(): number {
    return this.outboundBytes === 0 ? 0 : this.#clock.monotonic() - this.#progressAt;
  }

  get isSlow(): boolean {
    return this.outboundBytes > LIMITS.outboundBytes || this.stalledMs > LIMITS.outboundStallMs;
  }

  /** True while events may be written. */
  get hasRoom(): boolean {
    return this.outboundBytes < BULK_BYTES;
  }

  /** The monotonic clock. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** Runs `action` right after the answer with this very result has been written. */
  afterReply(result: object, action: () => void): void {
    this.#afterReply.set(result, action);
  }

  /** Calls `action` whenever bytes have gone out and there is room for events. */
  onRoom(action: () => void): void {
    this.#onRoom = action;
  }

  /** Writes one frame whose body is the given pieces; they may be shared with other connections. */
  send(pieces: readonly Buffer[]): void {
    const socket = this.#socket;
    if (!socket.writable) return;
    if (socket.writableLength === 0) this.#progressAt = this.#clock.monotonic();
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    // What is short is cheaper to copy than to hand to the system piece by piece.
    if (length <= SHORT_FRAME_BYTES) socket.write(Buffer.concat([frameHeader(length), ...pieces]), this.#progressed);
    else this.#sendPieces([Buffer.concat([frameHeader(length), ...pieces.slice(0, 1)]), ...pieces.slice(1)]);
    if (socket.writableLength > OUTBOUND_HARD_BYTES) socket.destroy();
    else if (socket.writableLength > LIMITS.outboundBytes) this.reader.hold();
  }

  #sendPieces(pieces: readonly Buffer[]): void {
    this.#socket.cork();
    // They go out together: one word that they have is enough.
    for (const [at, piece] of pieces.entries()) this.#socket.write(piece, at === pieces.length - 1 ? this.#progressed : undefined);
    this.#socket.uncork();
  }

  sendMessage(message: unknown): void {
    this.send([Buffer.from(JSON.stringify(message), 'utf8')]);
  }

  /** Says a last word, then closes, whether or not the peer hears it. */
  end(lastWord?: unknown): void {
    endSocket(this.#socket, this.#clock, lastWord);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #progressed = (): void => {
    this.#progressAt = this.#clock.monotonic();
    if (this.hasRoom) this.#onRoom();
  };

  #drained(): void {
    this.reader.letGo();
  }

  #write(message: Message): void {
    const body = bodyOf(message);
    const isTooLarge = body.reduce((sum, { length }) => sum + length, 0) > LIMITS.frameBytes;
    this.send(isTooLarge ? [Buffer.from(JSON.stringify(replyTooLarge(message)), 'utf8')] : body);
    const result = resultOf(message);
    if (result === null) return;
    this.#afterReply.get(result)?.();
    this.#afterReply.delete(result);
  }
}

const resultOf = (message: Message): object | null =>
  ('result' in message && typeof message.result === 'object' ? message.result : null);

/** An answer that is there as JSON already is sent as it is. */
function bodyOf(message: Message): Buffer[] {
  const result = resultOf(message);
  const json = result === null ? undefined : jsonOf(result);
  if (json === undefined || !('id' in message)) return [Buffer.from(JSON.stringify(message), 'utf8')];
  return [Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`, 'utf8'), ...json, Buffer.from('}', 'utf8')];
}

export function endSocket(socket: net.Socket, clock: Clock, lastWord?: unknown): void {
  const timer = clock.setTimeout(() => socket.destroy(), LAST_WORD_MS);
  socket.once('close', () => timer.dispose());
  const done = (): void => void socket.destroy();
  if (lastWord === undefined) socket.end(done);
  else socket.end(encodeFrame(lastWord), done);
}

/** The writer never fails: a link that is gone says so by closing, and what was not sent had an unknown outcome anyway. */
class SocketWriter extends AbstractMessageWriter {
  readonly #write: (message: Message) => void;
  readonly #socket: net.Socket;

  constructor(write: (message: Message) => void, socket: net.Socket) {
    super();
    this.#write = write;
    this.#socket = socket;
    socket.on('close', () => this.fireClose());
  }

  write(message: Message): Promise<void> {
    this.#write(message);
    return Promise.resolve();
  }

  end(): void {
    this.#socket.end();
  }
}
