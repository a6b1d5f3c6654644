import type { AbortSignalLike } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/event.ts';
import { AttacheError, asAttacheError } from '../protocol/errors.ts';
import { LIMITS } from '../protocol/limits.ts';
import { AbortSource } from './abortSource.ts';
import { backoffMs } from './backoff.ts';
import { FINAL, HEARTBEAT_SLACK_MS, SOUND_AFTER_MS } from './linkPolicy.ts';
import type { RpcPeer } from './rpcPeer.ts';

/** One live connection to the gateway. It is never restarted: when it closes, the next one is a new object. */
export interface Link extends RpcPeer {
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>;
  close(): void;
}

export interface ResilientLinkOptions {
  /** Opens one connection, ready for requests. */
  readonly open: (signal: AbortSignalLike) => Promise<Link>;
  readonly clock: Clock;
  readonly random?: () => number;
}

export type LinkState =
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  /** The next attempt is at `retryAt` (wall time). `failure` null: the connection was cut. */
  | { readonly state: 'waiting'; readonly failure: unknown; readonly retryAt: number }
  /** No attempt can help, or it was ended. */
  | { readonly state: 'failed'; readonly failure: unknown };


/**
 * A client's one link to the gateway: connects, notices a loss (also a silent one, by missed heartbeats), and tries again without
 * end, each time a little later, until it is disposed of. Listeners outlive the single connection; a request without one rejects
 * as connection_closed.
 */
export class ResilientLink implements RpcPeer, Disposable {
  readonly #options: ResilientLinkOptions;
  readonly #stateChanged = new Emitter<LinkState>();
  readonly #opened = new Emitter<void>();
  readonly #listeners = new Map<string, Set<(params: unknown) => void>>();
  readonly #giveUp = new AbortSource();
  #state: LinkState = { state: 'connecting' };
  #link: Link | null = null;
  #isStarted = false;
  #attempt = 0;
  #silence: Disposable | null = null;
  #wake: (() => void) | null = null;

  readonly onStateChanged = this.#stateChanged.event;
  /** Fires for each new connection, before its first request: subscriptions are to be made again. */
  readonly onOpened = this.#opened.event;

  constructor(options: ResilientLinkOptions) {
    this.#options = options;
    this.onNotification('gateway/heartbeat', () => this.#expectHeartbeat());
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Starts connecting; does nothing when it already does. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#run();
  }

  dispose(): void {
    if (this.#giveUp.aborted) return;
    this.#giveUp.abort();
    this.#link?.close();
    this.#wake?.();
    this.#setState({ state: 'failed', failure: new AttacheError('connection_closed') });
  }

  async request(method: string, params: unknown, signal?: AbortSignalLike): Promise<unknown> {
    if (this.#link === null) throw new AttacheError('connection_closed');
    return this.#link.request(method, params, signal);
  }

  notify(method: string, params: unknown): void {
    this.#link?.notify(method, params);
  }

  onNotification(method: string, listener: (params: unknown) => void): Disposable {
    const own = (params: unknown): void => listener(params);
    const known = this.#listeners.get(method);
    if (known === undefined && this.#link !== null) this.#listenOn(this.#link, method);
    this.#listeners.set(method, (known ?? new Set()).add(own));
    return toDisposable(() => this.#listeners.get(method)?.delete(own));
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#giveUp.aborted) {
      const begun = clock.monotonic();
      const failure = await this.#liveOnce().then(() => null, (error: unknown) => error);
      if (this.#giveUp.aborted) return;
      if (clock.monotonic() - begun > SOUND_AFTER_MS) this.#attempt = 0;
      if (isFinal(failure)) return this.#setState({ state: 'failed', failure });
      await this.#rest(failure);
    }
  }

  /** Opens one connection and stays until it is gone. */
  async #liveOnce(): Promise<void> {
    this.#setState({ state: 'connecting' });
    const link = await this.#options.open(this.#giveUp);
    try {
      if (this.#giveUp.aborted) return;
      this.#link = link;
      for (const method of this.#listeners.keys()) this.#listenOn(link, method);
      this.#expectHeartbeat();
      this.#setState({ state: 'connected' });
      this.#opened.fire();
      await link.closed;
    } finally {
      this.#silence?.dispose();
      this.#link = null;
      link.close();
    }
  }

  async #rest(failure: unknown): Promise<void> {
    const { clock, random } = this.#options;
    const ms = backoffMs(this.#attempt++, random);
    this.#setState({ state: 'waiting', failure, retryAt: clock.now() + ms });
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      this.#wake = () => {
        timer.dispose();
        resolve();
      };
    });
    this.#wake = null;
  }

  /** Two missed heartbeats: the connection is dead, whatever the system says about it. */
  #expectHeartbeat(): void {
    this.#silence?.dispose();
    this.#silence = this.#options.clock.setTimeout(() => this.#link?.close(), LIMITS.deadLinkMs + HEARTBEAT_SLACK_MS);
  }

  /** What a lost connection still has in its queue is not heard any more: the next one begins anew. */
  #listenOn(link: Link, method: string): void {
    link.onNotification(method, (params) => {
      if (this.#link !== link) return;
      for (const listener of [...(this.#listeners.get(method) ?? [])]) listener(params);
    });
  }

  #setState(state: LinkState): void {
    if (this.#state.state === 'failed') return;
    this.#state = state;
    this.#stateChanged.fire(state);
  }
}

function isFinal(failure: unknown): boolean {
  const known = asAttacheError(failure);
  return known !== null && FINAL.has(known.kind);
}
