import type { SubscriptionId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { AnyEvent } from '../../protocol/subscription/events.ts';
import type { Scope } from '../../protocol/subscription/state.ts';
import type { GatewayCore } from '../core.ts';
import type { EncodedEvents } from '../events/encodedEvents.ts';
import type { ClientConnection } from './clientConnection.ts';
import type { Deliverer } from './eventLane.ts';

export interface SubscriptionOptions {
  readonly id: SubscriptionId;
  readonly scope: Scope;
  readonly connection: ClientConnection;
  readonly core: GatewayCore;
  /** The last event the client has. */
  readonly sent: number;
  readonly onClosed: () => void;
}

/** What has just been committed, encoded once for all who follow its scope. */
export interface Publication {
  readonly batches: readonly EncodedEvents[];
  readonly isUrgent: boolean;
}

interface Delivery {
  readonly deliverySeq: number;
  readonly last: number;
}

const END = Buffer.from(']}}', 'utf8');

export const isUrgent = ({ type }: AnyEvent): boolean => type === 'turn.ended' || type === 'approval.requested' || type === 'approval.updated';

/**
 * Delivers one scope's events to one client without a gap: nothing before the answer to `sub/subscribe` is written, then what the log has after the
 * client's place, then each commit as it comes. It holds no events: whoever cannot be served at once is served from the log when there is room on the
 * link and the client has acknowledged what it got. One that takes nothing is told where to go on.
 */
export class Subscription implements Deliverer {
  readonly id: SubscriptionId;
  readonly scope: Scope;
  readonly #connection: ClientConnection;
  readonly #core: GatewayCore;
  readonly #onClosed: () => void;
  readonly #unacked: Delivery[] = [];
  #state: 'held' | 'open' | 'closed' = 'held';
  #sent: number;
  #acked: number;
  #head: number;
  #deliveries = 0;
  #isUrgent = false;
  /** Published while nothing could be written, since something was written last. */
  #missedBytes = 0;
  #pausedAt: number | null = null;

  constructor(options: SubscriptionOptions) {
    this.id = options.id;
    this.scope = options.scope;
    this.#connection = options.connection;
    this.#core = options.core;
    this.#onClosed = options.onClosed;
    this.#sent = options.sent;
    this.#acked = options.sent;
    this.#head = options.sent;
  }

  /** What the client has when everything on its way has arrived: that more is to come is no loss. */
  get sent(): number {
    return this.#sent;
  }

  get isUrgent(): boolean {
    return this.#isUrgent;
  }

  /** The answer is out: events may follow. `head` is where the scope stood when it was made. */
  release(head: number): void {
    if (this.#state !== 'held') return;
    this.#state = 'open';
    this.#head = Math.max(this.#head, head);
    if (this.#sent < this.#head && (!this.#connection.lane.hasRoom || this.deliverNext())) this.#connection.lane.add(this);
  }

  publish({ batches, isUrgent: urgent }: Publication): void {
    const isCurrent = this.#sent === this.#head;
    this.#head = batches.at(-1)?.last ?? this.#head;
    if (this.#state !== 'open') return;
    this.endIfSlow();
    if (isCurrent && batches.every((batch) => this.#writeNow(batch))) return;
    this.#isUrgent ||= urgent;
    if (!this.#connection.lane.hasRoom) this.#miss(batches);
    else this.#connection.lane.add(this);
  }

  deliverNext(): boolean {
    if (this.#state !== 'open' || this.#sent >= this.#head || this.#isPaused()) return false;
    try {
      const limit = Math.min(LIMITS.replayEvents, this.#credit);
      const batch = this.#core.events(this.#connection.principal, this.scope, this.#sent, limit);
      // The log was compacted past the client's place: only a new snapshot helps.
      if (batch?.first !== this.#sent + 1) return this.#close(this.#sent);
      this.#write(batch);
      return this.#sent < this.#head;
    } catch (error) {
      // Nobody waits for an answer here: the client subscribes again, and is told then.
      this.#connection.logFailure('a replay', error);
      return this.#close(this.#sent);
    }
  }

  /** The client has taken in everything up to a delivery. */
  acknowledge(deliverySeq: number): void {
    if (deliverySeq > this.#deliveries) return;
    while (this.#unacked[0] !== undefined && this.#unacked[0].deliverySeq <= deliverySeq) this.#acked = this.#unacked.shift()?.last ?? this.#acked;
    if (this.#pausedAt === null || this.#credit <= 0) return;
    this.#pausedAt = null;
    this.#connection.lane.add(this);
  }

  /** Ends the delivery when the client takes nothing, so that nobody waits for it for ever. */
  endIfSlow(): void {
    if (this.#state !== 'open') return;
    const { channel } = this.#connection;
    if (channel.isSlow) this.#close(this.#sent);
    else if (this.#pausedAt !== null && channel.now() - this.#pausedAt > LIMITS.outboundStallMs) this.#close(this.#acked);
  }

  end(): void {
    this.#state = 'closed';
    this.#connection.lane.remove(this);
  }

  get #credit(): number {
    return LIMITS.unackedEvents - (this.#sent - this.#acked);
  }

  #isPaused(): boolean {
    if (this.#credit > 0) return false;
    this.#pausedAt ??= this.#connection.channel.now();
    return true;
  }

  #writeNow(batch: EncodedEvents): boolean {
    const fits = this.#state === 'open' && batch.first === this.#sent + 1 && this.#connection.lane.hasRoom && batch.last - batch.first < this.#credit;
    if (fits) this.#write(batch);
    return fits;
  }

  /** It is delivered from the log later, unless that has become too much for somebody who takes nothing. */
  #miss(batches: readonly EncodedEvents[]): void {
    this.#missedBytes += batches.reduce((sum, { json }) => sum + json.length, 0);
    if (this.#connection.channel.outboundBytes + this.#missedBytes > LIMITS.outboundBytes) this.#close(this.#sent);
    else this.#connection.lane.add(this);
  }

  #write({ last, json }: EncodedEvents): void {
    const head = Math.max(this.#head, last);
    this.#deliveries += 1;
    const start = `{"jsonrpc":"2.0","method":"event/batch","params":{"subscriptionId":"${this.id}","epoch":${this.#core.epoch},"deliverySeq":${this.#deliveries},"head":${head},"events":[`;
    this.#connection.channel.send([Buffer.from(start, 'latin1'), json, END]);
    this.#unacked.push({ deliverySeq: this.#deliveries, last });
    this.#sent = last;
    this.#missedBytes = 0;
    if (last >= this.#head) this.#isUrgent = false;
  }

  #close(resumeFrom: number): false {
    this.#state = 'closed';
    this.#onClosed();
    this.#connection.notify('sub/closed', { subscriptionId: this.id, reason: 'slow_consumer', resumeFrom });
    return false;
  }
}
