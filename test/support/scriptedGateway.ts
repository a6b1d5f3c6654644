import type { Disposable } from '../../src/base/disposable.ts';
import { toDisposable } from '../../src/base/disposable.ts';
import type { RpcPeer } from '../../src/client/rpcPeer.ts';
import { AttacheError } from '../../src/protocol/errors.ts';
import type { ParamsOf } from '../../src/protocol/methods.ts';
import type { ClientNotification } from '../../src/protocol/subscription/clientNotifications.ts';
import type { SubscribeResult } from '../../src/protocol/subscription/commands.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import { applySessionEvent } from '../../src/protocol/subscription/reducer.ts';
import type { SessionSnapshot } from '../../src/protocol/subscription/state.ts';

const ITEM = 'itm_00000000000000000000000000';

/**
 * The subscription rules of the gateway for one session of one growing text, with a link that a test cuts and a delivery
 * that a test disturbs. Answers and batches arrive one after the other, later than the call that caused them.
 */
export class ScriptedGateway {
  readonly subscribes: ParamsOf<'sub/subscribe'>[] = [];
  readonly acks: ClientNotification<'event/ack'>[] = [];
  /** Set: every subscribe is refused with it. */
  refuse: AttacheError | null = null;
  readonly #log: SessionEvent[] = [];
  readonly #listeners = new Map<string, Set<(params: unknown) => void>>();
  readonly #open = new Map<string, number>();
  readonly #pending = new Set<() => void>();
  #epoch = 1;
  #first = 1;
  #link = 0;
  #ids = 0;
  #dropping = false;
  #lastBatch: unknown = null;
  #deliveries = 0;

  get head(): number {
    return this.#log.length;
  }

  get text(): string {
    return this.#log.map((event) => (event.type === 'item.delta' ? event.text : '')).join('');
  }

  get subscriptions(): number {
    return this.#open.size;
  }

  readonly peer: RpcPeer = {
    request: (method, params) => this.#request(method, params),
    notify: (_method, params) => void this.acks.push(params as ClientNotification<'event/ack'>),
    onNotification: (method, listener) => this.#listen(method, listener),
  };

  append(text: string): void {
    const event = {
      type: 'item.delta', itemId: ITEM, turnId: 'trn_0', rev: this.head + 2, offset: this.text.length, text, seq: this.head + 1, at: 0, causedBy: { clientId: 'x' },
    } as unknown as SessionEvent;
    this.#log.push(event);
    for (const [id, sent] of this.#open) {
      if (sent >= event.seq) continue;
      this.#open.set(id, event.seq);
      this.#deliver(id, [event]);
    }
  }

  dropNext(): void {
    this.#dropping = true;
  }

  repeatLast(): void {
    if (this.#lastBatch !== null) this.#notify('event/batch', this.#lastBatch);
  }

  closeSlow(): void {
    for (const [id, sent] of this.#open) this.#notify('sub/closed', { subscriptionId: id, reason: 'slow_consumer', resumeFrom: sent });
    this.#open.clear();
  }

  heartbeat(): void {
    this.#notify('gateway/heartbeat', { epoch: this.#epoch, heads: Object.fromEntries([...this.#open.keys()].map((id) => [id, this.head])) });
  }

  /** The link dies with all that is on its way; the next one is there at once. */
  cut(): void {
    this.#link += 1;
    this.#open.clear();
    for (const reject of [...this.#pending]) reject();
    this.#pending.clear();
  }

  restart(): void {
    this.#epoch += 1;
    this.#open.clear();
  }

  /** Keeps only the last two events. */
  compact(): void {
    this.#first = Math.max(1, this.head - 1);
  }

  #request(method: string, params: unknown): Promise<unknown> {
    const link = this.#link;
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(new AttacheError('connection_closed'));
      this.#pending.add(lost);
      setImmediate(() => {
        if (link !== this.#link) return;
        try {
          const result = this.#answer(method, params);
          setImmediate(() => {
            this.#pending.delete(lost);
            if (link === this.#link) resolve(result);
          });
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  }

  #answer(method: string, params: unknown): unknown {
    if (method === 'sub/unsubscribe') {
      this.#open.delete((params as ParamsOf<'sub/unsubscribe'>).subscriptionId);
      return {};
    }
    return this.#subscribe(params as ParamsOf<'sub/subscribe'>);
  }

  #subscribe(params: ParamsOf<'sub/subscribe'>): SubscribeResult {
    this.subscribes.push(params);
    if (this.refuse !== null) throw this.refuse;
    const { from } = params;
    const id = `sub_${++this.#ids}` as SubscribeResult['subscriptionId'];
    const reason = from === undefined ? null : from.epoch !== this.#epoch ? 'epoch_changed' : from.seq > this.head ? 'cursor_ahead' : from.seq + 1 < this.#first ? 'cursor_expired' : null;
    const replay = from !== undefined && reason === null;
    this.#open.set(id, this.head);
    if (replay && from.seq < this.head) this.#deliver(id, this.#log.slice(from.seq));
    return { subscriptionId: id, epoch: this.#epoch, head: this.head, reason, snapshot: replay ? null : { session: this.#snapshot() } };
  }

  #snapshot(): SessionSnapshot {
    const item = { itemId: ITEM, turnIdx: 1, idx: 0, rev: 1, text: '', textLength: 0 };
    const view = { session: {}, goal: null, turns: [], items: [item], approvals: [], earlier: null, head: 0 } as unknown as SessionSnapshot;
    for (const event of this.#log) applySessionEvent(view, event);
    return view;
  }

  #deliver(subscriptionId: string, events: readonly SessionEvent[]): void {
    if (this.#dropping) {
      this.#dropping = false;
      return;
    }
    this.#lastBatch = { subscriptionId, epoch: this.#epoch, deliverySeq: ++this.#deliveries, events, head: this.head };
    this.#notify('event/batch', this.#lastBatch);
  }

  #notify(method: string, params: unknown): void {
    const link = this.#link;
    setImmediate(() => {
      if (link !== this.#link) return;
      for (const listener of [...(this.#listeners.get(method) ?? [])]) listener(structuredClone(params));
    });
  }

  #listen(method: string, listener: (params: unknown) => void): Disposable {
    const own = (params: unknown): void => listener(params);
    const known = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, known.add(own));
    return toDisposable(() => known.delete(own));
  }
}

