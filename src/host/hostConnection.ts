import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { Emitter } from '../base/event.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { isGatewayFault, isUnknownOutcome } from '../client/gatewayClient.ts';
import { AttacheError, asAttacheError } from '../protocol/errors.ts';
import type { MethodName, ParamsOf, ResultOf } from '../protocol/methods.ts';
import type { AttachedHostOptions } from './hostOptions.ts';

export type Registration = ResultOf<'host/register'>;

const defaultRetryMs = 1_000;
// A fault of the moment (a busy disk) has passed by then; a lasting one is told.
const maxFaults = 5;

/**
 * The registered way of one host to the gateway. It registers on every new link before anything else is sent, and sends a
 * call whose answer was lost again, unchanged, until an answer comes.
 */
export class HostConnection implements Disposable {
  readonly #options: AttachedHostOptions;
  readonly #clock: Clock;
  readonly #disposables = new DisposableStore();
  readonly #registered = new Emitter<Registration>();
  readonly #answered = new Emitter<void>();
  /** Calls that wait, to be told when this ends. A race against one long-lived promise would keep each of them for ever. */
  readonly #waiting = new Set<(reason: AttacheError) => void>();
  #endReason: AttacheError | null = null;
  #gate = new Deferred<Registration>();
  #round = 0;

  /** Fires for each registration, before the calls that wait for it go out. */
  readonly onRegistered = this.#registered.event;
  /** Fires for each answer of the gateway, refusals included: it is alive and has heard of us. */
  readonly onAnswered = this.#answered.event;

  constructor(options: AttachedHostOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#disposables.add(options.link.onOpened(() => this.#connect()));
    this.#gate.promise.catch(() => undefined);
  }

  start(): void {
    this.#connect();
  }

  /** Rejects when the host may not be registered any more. */
  registration(): Promise<Registration> {
    return this.#orEnd(this.#gate.promise);
  }

  /** Rejects only with what the gateway refused, or when this connection has ended. */
  async call<M extends MethodName>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    for (let faults = 0; ; faults += 1) {
      await this.registration();
      const round = this.#round;
      try {
        const result = await this.#orEnd(this.#options.link.calls.call(method, params));
        this.#answered.fire();
        return result;
      } catch (error) {
        if (!isGatewayFault(error)) faults -= 1;
        await this.#beforeRetry(error, round, faults);
      }
    }
  }

  /** Registers anew on the same link: the gateway has taken this host for lost. Calls wait until it has answered. */
  again(): void {
    this.#connect();
  }

  /** Every call rejects with the reason from now on. */
  end(reason: AttacheError): void {
    if (this.#endReason !== null) return;
    this.#endReason = reason;
    this.#disposables.dispose();
    for (const tell of this.#waiting) tell(reason);
  }

  dispose(): void {
    this.end(new AttacheError('connection_closed', { message: 'This session’s host was ended.' }));
  }

  /** Returns when the same call is to be sent again, else throws. */
  async #beforeRetry(error: unknown, round: number, faults: number): Promise<void> {
    if (this.#endReason !== null) throw error;
    if (isUnknownOutcome(error)) return this.#lost(round);
    this.#answered.fire();
    const wait = retryAfter(error, faults);
    if (wait === null) throw error;
    await this.#orEnd(this.#sleep(wait));
  }

  /** The link a call went out on is gone: what follows waits for the next registration. */
  #lost(round: number): void {
    if (round !== this.#round) return;
    this.#round += 1;
    const waitedFor = this.#gate;
    this.#gate = new Deferred();
    this.#gate.promise.catch(() => undefined);
    // Two losses in a row: who waits at the first gate waits at the second.
    waitedFor.resolve(this.#gate.promise);
  }

  #connect(): void {
    if (this.#endReason !== null) return;
    this.#lost(this.#round);
    void this.#register(this.#round);
  }

  async #register(round: number): Promise<void> {
    const { sessionId, hostRunId, hostSessionId, link } = this.#options;
    for (let faults = 0; round === this.#round && this.#endReason === null; faults += 1) {
      try {
        const registration = await link.calls.call('host/register', { sessionId, hostRunId, hostSessionId, hostSurface: 'vscode' });
        if (round !== this.#round) return;
        this.#answered.fire();
        this.#registered.fire(registration);
        this.#gate.resolve(registration);
        return;
      } catch (error) {
        // The next link registers anew.
        if (round !== this.#round || isUnknownOutcome(error)) return;
        if (!isGatewayFault(error)) faults -= 1;
        const wait = retryAfter(error, faults);
        if (wait === null) return this.end(asAttacheError(error) ?? new AttacheError('gateway_unavailable', { message: String(error) }));
        await this.#sleep(wait);
      }
    }
  }

  #orEnd<T>(answer: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#endReason !== null) reject(this.#endReason);
      this.#waiting.add(reject);
      answer.then(resolve, reject).finally(() => this.#waiting.delete(reject)).catch(() => undefined);
    });
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, ms));
  }
}

/** Refusals that pass by themselves; null for all others. */
function retryAfter(error: unknown, faults: number): number | null {
  if (isGatewayFault(error)) return faults < maxFaults ? defaultRetryMs : null;
  const known = asAttacheError(error);
  if (known === null || !['draining', 'overloaded', 'storage_full', 'registry_unavailable'].includes(known.kind)) return null;
  return known.data.retryAfterMs ?? defaultRetryMs;
}
