import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';
import { CancellationTokenSource } from 'vscode-jsonrpc';
import type { AbortSignalLike } from '../../base/abort.ts';
import { Deferred } from '../../base/deferred.ts';
import type { GatewayConnection as Transport } from '../../connector/connect.ts';
import type { HelloResult } from '../../protocol/envelope.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { RedactingChannel } from '../log.ts';

/** Says nothing to the person by itself: the panel shows the state of the link. */
class QuietLanguageClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export interface LinkOptions {
  readonly channel: RedactingChannel;
  /** Connects to the running gateway, or starts one. */
  readonly open: (signal: AbortSignalLike) => Promise<Transport>;
}

/** One live link. It is never restarted: when it closes, the next one is a new object. */
export class GatewayLink {
  readonly #client: LanguageClient;
  readonly #closed = new Deferred<void>();
  readonly #giveUp = new AbortController();
  #transport: Transport | null = null;
  #isOpen = false;

  constructor({ channel, open }: LinkOptions) {
    const options: LanguageClientOptions = {
      outputChannel: channel,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.#end();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      initializationFailedHandler: () => false,
    };
    this.#client = new QuietLanguageClient('attache', 'Attaché gateway', async () => {
      this.#transport = await open(this.#giveUp.signal);
      return { reader: this.#transport.reader, writer: this.#transport.writer, detached: true };
    }, options);
  }

  get hello(): HelloResult | null {
    return this.#transport?.hello ?? null;
  }

  /** Settles when the link is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async open(): Promise<void> {
    await this.#client.start();
    this.#isOpen = true;
  }

  async request(method: string, params: unknown, signal?: AbortSignalLike): Promise<unknown> {
    if (!this.#isOpen) throw new AttacheError('connection_closed');
    const source = new CancellationTokenSource();
    const cancel = (): void => source.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    try {
      return await this.#client.sendRequest(method, params, source.token);
    } catch (error) {
      throw isLinkFailure(error) ? new AttacheError('connection_closed') : error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      source.dispose();
    }
  }

  /** Is lost without a word when the link is gone. */
  notify(method: string, params: unknown): void {
    if (this.#isOpen) this.#client.sendNotification(method, params).catch(() => undefined);
  }

  onNotification(method: string, listener: (params: unknown) => void): void {
    this.#client.onNotification(method, listener);
  }

  /** Says goodbye within `timeoutMs`; a link that does not answer is dropped. */
  async close(timeoutMs: number): Promise<void> {
    this.#giveUp.abort();
    // Rejects when it is not running any more, or when the other side does not answer in time.
    await this.#client.dispose(timeoutMs).catch(() => undefined);
    this.drop();
  }

  /** Ends it without a word. */
  drop(): void {
    this.#giveUp.abort();
    this.#transport?.dispose();
    this.#end();
  }

  #end(): void {
    this.#isOpen = false;
    this.#closed.resolve();
  }
}

// JSON-RPC's own codes for a connection that failed under a request, and the client's errors without a code.
const LINK_FAILURES: ReadonlySet<unknown> = new Set([-32_099, -32_098, -32_097, -32_096, -32_095, undefined]);

function isLinkFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof AttacheError) return false;
  const code: unknown = 'code' in error ? error.code : undefined;
  // ConnectionError: 1 closed, 2 disposed, 3 already listening.
  return LINK_FAILURES.has(code) || error.constructor.name === 'ConnectionError';
}
