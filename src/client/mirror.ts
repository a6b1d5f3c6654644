import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/event.ts';
import { AttacheError } from '../protocol/errors.ts';
import type { SubscriptionId } from '../protocol/ids.ts';
import { LIMITS } from '../protocol/limits.ts';
import type { SubscribeResult } from '../protocol/subscription/commands.ts';
import type { ApplyResult } from '../protocol/subscription/reducer.ts';
import type { Scope } from '../protocol/subscription/state.ts';
import { isUnknownOutcome, type GatewayCalls } from './gatewayClient.ts';

/** What a mirror needs to know about its kind of scope. */
export interface MirrorKind<View, Event> {
  readonly scope: Scope;
  readonly viewOf: (snapshot: NonNullable<SubscribeResult['snapshot']>) => View | null;
  readonly apply: (view: View, event: Event) => ApplyResult;
}

type Batch = { readonly subscriptionId: string; readonly deliverySeq: number; readonly events: readonly unknown[] };

/** Acknowledged at once, so that it costs next to nothing and delivery still never pauses. */
const ACK_EVENTS = LIMITS.unackedEvents / 4;

/**
 * A client's copy of one scope: a snapshot, then every event once and in order. A loss is noticed and mended by itself; a
 * snapshot replaces everything. `connect` is to be called for each new link.
 */
export class Mirror<View extends { head: number }, Event> implements Disposable {
  readonly #calls: GatewayCalls;
  readonly #kind: MirrorKind<View, Event>;
  readonly #disposables = new DisposableStore();
  readonly #replaced = new Emitter<View>();
  readonly #events = new Emitter<readonly Event[]>();
  readonly #failed = new Emitter<unknown>();
  #view: View | null = null;
  #epoch = 0;
  #subscription: string | null = null;
  /** Counts subscriptions, so that an answer that was overtaken does nothing. */
  #round = 0;
  #early: Batch[] | null = null;
  #gaps = 0;
  /** Events of this subscription that were taken in and not acknowledged. */
  #unacked = 0;
  /** It was refused for now: the next heartbeat is the time to ask again. */
  #isPutOff = false;

  /** The whole view is a new one. */
  readonly onReplaced = this.#replaced.event;
  /** These were applied to the view, in place. */
  readonly onEvents = this.#events.event;
  /** It cannot be had, e.g. not_found or gone. A cut link is no failure. What may pass is tried again by itself. */
  readonly onFailed = this.#failed.event;

  constructor(calls: GatewayCalls, kind: MirrorKind<View, Event>) {
    this.#calls = calls;
    this.#kind = kind;
    this.#disposables.add(calls.on('event/batch', (batch) => this.#receive(batch)));
    this.#disposables.add(calls.on('sub/closed', ({ subscriptionId, reason }) => this.#closed(subscriptionId, reason)));
    this.#disposables.add(calls.on('gateway/heartbeat', ({ heads }) => this.#compare(heads)));
  }

  get view(): View | null {
    return this.#view;
  }

  /** Subscribes, from where it is when it holds something. Resolves when the answer has been taken in. */
  async connect(): Promise<void> {
    this.#gaps = 0;
    // It ended with its link.
    this.#subscription = null;
    await this.#subscribe(this.#view !== null);
  }

  dispose(): void {
    this.#round += 1;
    this.#disposables.dispose();
    this.#leave();
  }

  #leave(): void {
    const subscriptionId = this.#subscription;
    this.#subscription = null;
    // The link may be gone, and with it the subscription.
    if (subscriptionId !== null) this.#calls.call('sub/unsubscribe', { subscriptionId: subscriptionId as SubscriptionId }).catch(() => undefined);
  }

  async #subscribe(goOn: boolean): Promise<void> {
    const round = ++this.#round;
    this.#leave();
    this.#early = [];
    this.#isPutOff = false;
    const from = goOn && this.#view !== null ? { from: { epoch: this.#epoch, seq: this.#view.head } } : {};
    try {
      const result = await this.#calls.call('sub/subscribe', { scope: this.#kind.scope, ...from });
      if (round === this.#round) this.#begin(result);
      else this.#calls.call('sub/unsubscribe', { subscriptionId: result.subscriptionId }).catch(() => undefined);
    } catch (error) {
      if (round !== this.#round || isUnknownOutcome(error)) return;
      this.#isPutOff = mayPass(error);
      this.#failed.fire(error);
    }
  }

  #begin({ subscriptionId, epoch, snapshot }: SubscribeResult): void {
    this.#subscription = subscriptionId;
    this.#unacked = 0;
    this.#epoch = epoch;
    const view = snapshot === null ? null : this.#kind.viewOf(snapshot);
    if (view !== null) {
      this.#view = view;
      this.#replaced.fire(view);
    }
    // Batches can overtake the answer that names their subscription.
    for (const batch of this.#early?.splice(0) ?? []) this.#receive(batch);
    this.#early = null;
  }

  #receive(batch: Batch): void {
    if (batch.subscriptionId !== this.#subscription) {
      this.#early?.push(batch);
      return;
    }
    this.#apply(batch.events as readonly Event[]);
    this.#acknowledge(batch);
  }

  #acknowledge({ subscriptionId, deliverySeq, events }: Batch): void {
    this.#unacked += events.length;
    if (this.#unacked < ACK_EVENTS) return;
    this.#unacked = 0;
    this.#calls.notify('event/ack', { subscriptionId, deliverySeq });
  }

  #apply(events: readonly Event[]): void {
    const view = this.#view;
    if (view === null) return;
    const applied: Event[] = [];
    for (const event of events) {
      const result = this.#kind.apply(view, event);
      if (result.kind === 'gap') {
        if (applied.length > 0) this.#events.fire(applied);
        return this.#mend();
      }
      if (result.kind === 'applied') applied.push(event);
    }
    if (applied.length > 0) {
      this.#gaps = 0;
      this.#events.fire(applied);
    }
  }

  /** Asks once for what is missing, then for everything. */
  #mend(): void {
    this.#gaps += 1;
    void this.#subscribe(this.#gaps === 1);
  }

  #closed(subscriptionId: string, reason: 'slow_consumer' | 'gone' | 'draining'): void {
    if (subscriptionId !== this.#subscription) return;
    this.#subscription = null;
    if (reason === 'gone') this.#failed.fire(new AttacheError('gone'));
    // A draining gateway closes the link soon; the next one is connected to then.
    else if (reason === 'slow_consumer') void this.#subscribe(true);
  }

  #compare(heads: Readonly<Record<string, number>>): void {
    if (this.#isPutOff) return void this.#subscribe(this.#view !== null);
    const head = this.#subscription === null ? undefined : heads[this.#subscription];
    if (head !== undefined && this.#view !== null && head > this.#view.head) this.#mend();
  }
}

/** What is not a refusal of ours is a fault of the moment, or of the gateway. */
function mayPass(error: unknown): boolean {
  return !(error instanceof AttacheError) || error.data.retry === 'after_ms' || error.data.retry === 'same_command';
}
