import { createMessageConnection, NullLogger, type CancellationToken, type MessageConnection, type ResponseError } from 'vscode-jsonrpc/node';
import type { AbortSignalLike } from '../../base/abort.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import { FrameError } from '../../connector/frames.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { NotificationName, Notifications } from '../../protocol/subscription/commands.ts';
import type { Principal } from '../core.ts';
import type { SocketChannel } from '../transport/socketChannel.ts';
import { internalError, refusal, requestCancelled, streamFailure } from '../transport/rpcErrors.ts';
import { EventLane } from './eventLane.ts';

/** Waiting claims do not count as in flight; there is one per session, and no client has more sessions open than this. */
const WAITING_CLAIMS = LIMITS.subscriptions;

export type Serve = (connection: ClientConnection, method: string, params: unknown, signal: AbortSignalLike) => Promise<unknown>;

/** Takes in what a client says without waiting for an answer; false when it is none of that. */
export type Hear = (connection: ClientConnection, method: string, params: unknown) => boolean;

export interface ClientConnectionOptions {
  readonly channel: SocketChannel;
  readonly principal: Principal;
  /** The newest protocol version the client speaks. */
  readonly newestVersion: number;
  /** Set when no common version was found: almost nothing is allowed then. */
  readonly restricted: boolean;
  readonly serve: Serve;
  readonly hear: Hear;
  readonly logger: Logger;
}

/** One client that has said hello: counts its requests, answers each exactly once, and closes on anything unreadable. */
export class ClientConnection implements Disposable {
  readonly channel: SocketChannel;
  readonly lane: EventLane;
  readonly principal: Principal;
  readonly newestVersion: number;
  readonly restricted: boolean;
  /** False for a plain LSP client, which knows none of ours, until it uses a method of ours. */
  hearsNotifications: boolean;
  readonly #rpc: MessageConnection;
  readonly #serve: Serve;
  readonly #hear: Hear;
  readonly #logger: Logger;
  readonly #running = new Set<AbortController>();
  #closed = false;
  #inFlight = 0;
  #waiting = 0;

  constructor(options: ClientConnectionOptions) {
    this.channel = options.channel;
    this.lane = new EventLane(options.channel);
    this.principal = options.principal;
    this.newestVersion = options.newestVersion;
    this.restricted = options.restricted;
    this.hearsNotifications = options.principal.kind !== 'lsp';
    this.#serve = options.serve;
    this.#hear = options.hear;
    this.#logger = options.logger;
    this.#rpc = createMessageConnection(this.channel.reader, this.channel.writer, NullLogger, {
      messageStrategy: {
        handleMessage: (message, next) => {
          this.channel.reader.dealtWith(message);
          return next(message);
        },
      },
    });
  }

  get id(): string {
    return this.principal.connectionId;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  listen(onClosed: () => void): void {
    this.#rpc.onClose(() => {
      this.dispose();
      onClosed();
    });
    this.#rpc.onError(([error]) => this.#unreadable(error));
    this.#rpc.onRequest((method, params, token) => this.#request(method, params, token));
    this.#rpc.onNotification((method) => {
      if (method === 'exit') this.channel.end();
    });
    // They come with every batch, and nothing that waits here may hold up what they make room for.
    this.channel.reader.intercept = (message) => 'method' in message && !('id' in message) && this.#hear(this, message.method as string, 'params' in message ? message.params : undefined);
    this.#rpc.listen();
  }

  notify<N extends NotificationName>(method: N, params: Notifications[N]): void {
    if (this.hearsNotifications) this.send(method, params);
  }

  /** A notification beside the protocol: LSP's own. */
  send(method: string, params: unknown): void {
    this.channel.sendMessage({ jsonrpc: '2.0', method, params });
  }

  /** Asks the client for something that LSP lets a server ask for. Rejects when the link closes. */
  request(method: string): Promise<unknown> {
    return this.#closed ? Promise.reject(new AttacheError('connection_closed')) : this.#rpc.sendRequest(method);
  }

  logFailure(what: string, error: unknown): void {
    this.#logger.error(`${what} failed: ${error instanceof Error ? (error.stack ?? error.message) : 'no error object'}`);
  }

  dispose(): void {
    this.#closed = true;
    for (const running of this.#running) running.abort();
    this.#running.clear();
    this.lane.dispose();
    this.#rpc.dispose();
  }

  #unreadable(error: Error): void {
    this.#logger.warn(`connection ${this.id} closed: ${error instanceof FrameError ? error.message : 'unreadable message'}`);
    this.channel.end(streamFailure(error instanceof FrameError && error.reason === 'too_large'));
  }

  async #request(method: string, params: unknown, token: CancellationToken): Promise<unknown> {
    const waits = method === 'host/claim';
    if (waits ? this.#waiting >= WAITING_CLAIMS : this.#inFlight >= LIMITS.inFlightRequests) return refusal(new AttacheError('overloaded', { retryAfterMs: 250 }));
    const abort = new AbortController();
    const onCancel = token.onCancellationRequested(() => abort.abort());
    if (token.isCancellationRequested) abort.abort();
    this.#running.add(abort);
    this.#count(waits, 1);
    try {
      return await this.#serve(this, method, params, abort.signal);
    } catch (error) {
      return this.#failure(method, error, abort.signal.aborted);
    } finally {
      this.#count(waits, -1);
      this.#running.delete(abort);
      onCancel.dispose();
    }
  }

  #count(waits: boolean, by: number): void {
    if (waits) this.#waiting += by;
    else this.#inFlight += by;
  }

  #failure(method: string, error: unknown, cancelled: boolean): ResponseError<unknown> {
    if (error instanceof AttacheError) return refusal(error);
    if (isResponseError(error)) return error;
    if (cancelled) return requestCancelled();
    this.logFailure(method, error);
    return internalError();
  }
}

const isResponseError = (error: unknown): error is ResponseError<unknown> => error instanceof Error && 'toJson' in error;
