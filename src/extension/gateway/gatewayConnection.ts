import { Emitter } from '../../base/event.ts';
import type { AbortSignalLike } from '../../base/abort.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';
import { backoffMs } from '../../client/backoff.ts';
import { FINAL, HEARTBEAT_SLACK_MS, SOUND_AFTER_MS } from '../../client/linkPolicy.ts';
import type { RpcPeer } from '../../client/rpcPeer.ts';
import { AttacheError, asAttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ConnectionState } from '../../protocol/panel.ts';
import { describeError } from '../log.ts';
import { inUsePart } from '../parts/load.ts';
import type { GatewayLink, LinkOptions } from './gatewayLink.ts';

const GOODBYE_MS = 1_000;
const HEARTBEAT = 'gateway/heartbeat';

/**
 * The one link of this window to the gateway: connects, notices a loss, and tries again without end until it is stopped.
 * Listeners outlive the single link; a request without one is refused as connection_closed.
 */
export class GatewayConnection implements RpcPeer, Disposable {
  readonly #options: LinkOptions;
  readonly #stateChanged = new Emitter<ConnectionState>();
  readonly #opened = new Emitter<void>();
  readonly #listeners = new Map<string, Set<(params: unknown) => void>>();
  #state: ConnectionState = { state: 'connecting' };
  #link: GatewayLink | null = null;
  #running: { readonly abort: AbortController; readonly done: Promise<void> } | null = null;
  #wake: (() => void) | null = null;
  #opening: GatewayLink | null = null;
  #silence: NodeJS.Timeout | undefined;
  #attempt = 0;

  readonly onStateChanged = this.#stateChanged.event;
  /** Fires for each new link, before its first request: subscriptions are to be made again. */
  readonly onOpened = this.#opened.event;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#listeners.set(HEARTBEAT, new Set([() => this.#expectHeartbeat()]));
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Starts connecting; does nothing when it already does. */
  start(): void {
    if (this.#running !== null) return;
    const abort = new AbortController();
    this.#running = { abort, done: this.#run(abort.signal) };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    running.abort.abort();
    this.#wake?.();
    await this.#opening?.close(GOODBYE_MS);
    await running.done;
    this.#running = null;
  }

  /** Drops the link, if there is one, and connects anew at once. */
  async reconnect(): Promise<void> {
    this.#attempt = 0;
    this.start();
    if (this.#link === null) this.#wake?.();
    else await this.#link.close(GOODBYE_MS);
  }

  dispose(): void {
    void this.stop();
  }

  async request(method: string, params: unknown, signal?: AbortSignalLike): Promise<unknown> {
    if (this.#link === null) throw new AttacheError('connection_closed');
    return this.#link.request(method, params, signal);
  }

  notify(method: string, params: unknown): void {
    this.#link?.notify(method, params);
  }

  onNotification(method: string, listener: (params: unknown) => void): Disposable {
    const listeners = this.#listeners.get(method) ?? new Set();
    if (listeners.size === 0) {
      this.#listeners.set(method, listeners);
      this.#link?.onNotification(method, (params) => this.#notify(method, params));
    }
    listeners.add(listener);
    return toDisposable(() => listeners.delete(listener));
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const openedAt = Date.now();
      const failure = await this.#liveOnce(signal).then(() => null, (error: unknown) => error);
      if (signal.aborted) return;
      if (Date.now() - openedAt > SOUND_AFTER_MS) this.#attempt = 0;
      await this.#rest(failure);
    }
  }

  /** Opens one link and stays until it is gone. */
  async #liveOnce(signal: AbortSignal): Promise<void> {
    this.#setState({ state: 'connecting' });
    const link = new (inUsePart().GatewayLink)(this.#options);
    for (const method of this.#listeners.keys()) link.onNotification(method, (params) => this.#notify(method, params));
    this.#opening = link;
    try {
      await link.open();
      if (signal.aborted) return await link.close(GOODBYE_MS);
      this.#link = link;
      this.#expectHeartbeat();
      this.#setState({ state: 'connected' });
      this.#opened.fire();
      await link.closed;
    } finally {
      clearTimeout(this.#silence);
      this.#opening = null;
      this.#link = null;
      link.drop();
    }
  }

  async #rest(failure: unknown): Promise<void> {
    const known = asAttacheError(failure);
    const isFinal = known !== null && FINAL.has(known.kind);
    const ms = backoffMs(this.#attempt++);
    if (known !== null && isFinal) this.#setState({ state: 'failed', message: known.message, next: known.data.next });
    else {
      const message = failure === null ? 'The link to the gateway was cut.' : describeError(failure);
      this.#setState({ state: 'disconnected', message, retryAt: Date.now() + ms });
      this.#options.channel.info(`gateway: ${message} Next attempt in ${ms} ms.`);
    }
    await new Promise<void>((resolve) => {
      const timer = isFinal ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  /** Two missed heartbeats: the link is dead, whatever the system says about it. */
  #expectHeartbeat(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#link?.drop(), LIMITS.deadLinkMs + HEARTBEAT_SLACK_MS);
  }

  #notify(method: string, params: unknown): void {
    for (const listener of [...(this.#listeners.get(method) ?? [])]) {
      try {
        listener(params);
      } catch (error) {
        this.#options.channel.error(`a listener of ${method} failed: ${describeError(error)}`);
      }
    }
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#stateChanged.fire(state);
  }
}
