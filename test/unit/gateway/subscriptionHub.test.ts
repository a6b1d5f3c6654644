import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/event.ts';
import type { Committed, GatewayCore } from '../../../src/gateway/core.ts';
import { encodeEvents } from '../../../src/gateway/events/encodedEvents.ts';
import type { ClientConnection } from '../../../src/gateway/server/clientConnection.ts';
import { EventLane } from '../../../src/gateway/server/eventLane.ts';
import { SubscriptionHub } from '../../../src/gateway/server/subscriptionHub.ts';
import type { SessionId, SubscriptionId } from '../../../src/protocol/ids.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import type { AnyEvent } from '../../../src/protocol/subscription/events.ts';
import { eventually } from '../../support/eventually.ts';

/** Lets a few rounds of the event loop pass. */
async function immediates(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}

const scope = { session: 'ses_00000000000000000000000000' as SessionId };

/** A log of numbered events, as the core keeps it. */
class Log {
  readonly events: AnyEvent[] = [];
  readonly committed = new Emitter<Committed>();
  first = 1;
  failure: Error | null = null;

  commit(count = 1, type = 'item.delta', pad = 0, of: { readonly session: SessionId } = scope): void {
    const events = Array.from({ length: count }, (_, n) => ({ type, seq: this.events.length + n + 1, ...(pad === 0 ? {} : { pad: 'x'.repeat(pad) }) }) as unknown as AnyEvent);
    this.events.push(...events);
    this.committed.fire({ scope: of, events });
  }

  get core(): GatewayCore {
    return {
      epoch: 1,
      onCommitted: this.committed.event,
      snapshot: () => ({ session: { head: this.events.length } }),
      logEnds: () => this.#ends(),
      events: (_principal: unknown, _scope: unknown, after: number, limit: number) => this.#read(after, limit),
    } as unknown as GatewayCore;
  }

  #ends(): ReturnType<GatewayCore['logEnds']> {
    if (this.failure !== null) throw this.failure;
    return { first: this.first, head: this.events.length };
  }

  #read(after: number, limit: number): ReturnType<GatewayCore['events']> {
    if (this.failure !== null) throw this.failure;
    const [batch = null] = encodeEvents(this.events.filter(({ seq }) => seq > after && seq >= this.first).slice(0, limit));
    return batch;
  }
}

/** A connection whose answers go out when the test says so. */
class Client {
  readonly seqs: number[] = [];
  readonly deliveries: { readonly subscriptionId: string; readonly deliverySeq: number; readonly events: readonly { readonly seq: number }[] }[] = [];
  readonly closed: unknown[] = [];
  readonly failures: unknown[] = [];
  outboundBytes = 0;
  isSlow = false;
  time = 0;
  #replied: (() => void)[] = [];
  #onRoom: () => void = () => undefined;

  readonly connection = {
    id: 'c',
    principal: {},
    channel: {
      afterReply: (_result: object, action: () => void) => this.#replied.push(action),
      onRoom: (action: () => void) => {
        this.#onRoom = action;
      },
      now: () => this.time,
      send: (pieces: readonly Buffer[]) => this.#receive(Buffer.concat(pieces).toString()),
    },
    notify: (method: string, params: unknown) => this.closed.push([method, params]),
    logFailure: (what: string, error: unknown) => this.failures.push([what, error]),
  } as unknown as ClientConnection;

  constructor() {
    Object.defineProperties(this.connection.channel, {
      outboundBytes: { get: () => this.outboundBytes }, hasRoom: { get: () => this.outboundBytes === 0 }, isSlow: { get: () => this.isSlow },
    });
    Object.assign(this.connection, { lane: new EventLane(this.connection.channel) });
  }

  answer(): void {
    for (const action of this.#replied.splice(0)) action();
  }

  drain(): void {
    this.outboundBytes = 0;
    this.#onRoom();
  }

  #receive(frame: string): void {
    const { params } = JSON.parse(frame) as { params: { subscriptionId: string; deliverySeq: number; events: { seq: number }[] } };
    this.seqs.push(...params.events.map(({ seq }) => seq));
    this.deliveries.push(params);
  }
}

describe('the subscriptions of the gateway', () => {
  let log: Log;
  let hub: SubscriptionHub;
  let client: Client;
  beforeEach(() => {
    log = new Log();
    hub = new SubscriptionHub(log.core);
    client = new Client();
  });

  it('send nothing before the answer that names them, and then all that was committed meanwhile', () => {
    log.commit(3);
    hub.subscribe(client.connection, { scope });
    log.commit(2);
    assert.deepEqual(client.seqs, []);
    client.answer();
    assert.deepEqual(client.seqs, [4, 5]);
    log.commit();
    assert.deepEqual(client.seqs, [4, 5, 6]);
  });

  it('replay from a place, then go on live, while commits go on; between two reads others have their turn', async () => {
    log.commit(1200);
    hub.subscribe(client.connection, { scope, from: { epoch: 1, seq: 10 } });
    log.commit();
    client.answer();
    assert.equal(client.seqs.length, 500);
    log.commit();
    await eventually('all has come', () => client.seqs.length >= 1192);
    assert.deepEqual(client.seqs, Array.from({ length: 1192 }, (_, n) => n + 11));
  });

  it('replay no faster than the client reads', async () => {
    log.commit(1200);
    hub.subscribe(client.connection, { scope, from: { epoch: 1, seq: 0 } });
    client.outboundBytes = 1_000_000;
    client.answer();
    log.commit();
    assert.deepEqual(client.seqs, []);
    client.drain();
    await eventually('all has come', () => client.seqs.length === 1201);
    assert.deepEqual(client.closed, []);
  });

  it('end a replay whose client stopped reading in the middle of it', () => {
    log.commit(1200);
    const { subscriptionId } = hub.subscribe(client.connection, { scope, from: { epoch: 1, seq: 0 } });
    client.outboundBytes = 10_000_000;
    client.answer();
    client.isSlow = true;
    hub.endSlow(client.connection);
    assert.deepEqual(client.closed, [['sub/closed', { subscriptionId, reason: 'slow_consumer', resumeFrom: 0 }]]);
    client.drain();
    assert.deepEqual(client.seqs, []);
  });

  it('end when the store cannot be read, and take nothing else down', () => {
    log.commit(2);
    const { subscriptionId } = hub.subscribe(client.connection, { scope, from: { epoch: 1, seq: 0 } });
    log.failure = new Error('disk I/O error');
    client.answer();
    assert.deepEqual(client.closed, [['sub/closed', { subscriptionId, reason: 'slow_consumer', resumeFrom: 0 }]]);
    assert.deepEqual(client.failures, [['a replay', log.failure]]);
  });

  it('end when the place is compacted away in the middle of a replay', async () => {
    log.commit(1200);
    const { subscriptionId } = hub.subscribe(client.connection, { scope, from: { epoch: 1, seq: 0 } });
    client.outboundBytes = 10_000_000;
    client.answer();
    log.first = 600;
    client.drain();
    await eventually('it is told', () => client.closed.length > 0);
    assert.deepEqual(client.closed, [['sub/closed', { subscriptionId, reason: 'slow_consumer', resumeFrom: 0 }]]);
    const again = hub.subscribe(client.connection, { scope, from: { epoch: 1, seq: 0 } });
    assert.equal(again.reason, 'cursor_expired');
  });

  it('end for a client that takes nothing, with the place to go on from, and leave no trace', () => {
    const { subscriptionId } = hub.subscribe(client.connection, { scope });
    client.answer();
    log.commit(2);
    client.isSlow = true;
    log.commit();
    assert.deepEqual(client.closed, [['sub/closed', { subscriptionId, reason: 'slow_consumer', resumeFrom: 2 }]]);
    assert.deepEqual(hub.heads(client.connection), {});
    log.commit();
    assert.deepEqual(client.seqs, [1, 2]);
  });

  it('of a client that left are gone, also those whose answer was still to come', () => {
    hub.subscribe(client.connection, { scope });
    hub.drop(client.connection);
    client.answer();
    log.commit();
    assert.deepEqual(client.seqs, []);
  });

  describe('credit', () => {
    const ack = (deliverySeq: number, id: SubscriptionId) => hub.acknowledge(client.connection, { subscriptionId: id, deliverySeq });
    const begin = (): SubscriptionId => {
      const { subscriptionId } = hub.subscribe(client.connection, { scope });
      client.answer();
      return subscriptionId;
    };

    it('for 2,000 events that are not acknowledged; then delivery pauses, and goes on from the log with the acknowledgement', async () => {
      const id = begin();
      for (let n = 0; n < 2200; n++) log.commit();
      await immediates();
      assert.equal(client.seqs.length, LIMITS.unackedEvents);
      ack(client.deliveries.length, id);
      await eventually('the rest has come', () => client.seqs.length === 2200);
      log.commit();
      assert.deepEqual(client.seqs, Array.from({ length: 2201 }, (_, n) => n + 1));
      assert.deepEqual(client.closed, []);
    });

    it('is kept also by a batch that is larger than what is left of it', async () => {
      const id = begin();
      log.commit(1900);
      log.commit(300);
      await immediates();
      assert.equal(client.seqs.length, LIMITS.unackedEvents);
      ack(1, id);
      await eventually('the rest has come', () => client.seqs.length === 2200);
      assert.ok(client.deliveries.every(({ events }) => events.length <= 1900));
    });

    it('that does not come back within ten seconds ends the delivery, with the last acknowledged place', async () => {
      const id = begin();
      log.commit(400);
      ack(1, id);
      for (let n = 0; n < 2500; n++) log.commit();
      await immediates();
      assert.equal(client.seqs.length, 400 + LIMITS.unackedEvents);
      client.time = LIMITS.outboundStallMs;
      hub.endSlow(client.connection);
      assert.deepEqual(client.closed, []);
      client.time += 1;
      hub.endSlow(client.connection);
      assert.deepEqual(client.closed, [['sub/closed', { subscriptionId: id, reason: 'slow_consumer', resumeFrom: 400 }]]);
    });

    it('that came back in time starts a new ten seconds; unknown deliveries and subscriptions are passed over', async () => {
      const id = begin();
      for (let n = 0; n < 2100; n++) log.commit();
      await immediates();
      ack(99_999, id);
      ack(2000, 'sub_00000000000000000000000000' as SubscriptionId);
      assert.equal(client.seqs.length, LIMITS.unackedEvents);
      ack(50, id);
      await eventually('as much as was acknowledged', () => client.seqs.length === LIMITS.unackedEvents + 50);
      client.time = LIMITS.outboundStallMs + 1;
      ack(60, id);
      await eventually('ten more', () => client.seqs.length === LIMITS.unackedEvents + 60);
      hub.endSlow(client.connection);
      assert.deepEqual(client.closed, []);
    });
  });

  describe('of one connection', () => {
    const other = { session: 'ses_11111111111111111111111111' as SessionId };

    it('share the link in turns; a request for consent does not wait behind the bulk of another scope', async () => {
      log.commit(3000, 'item.delta', 100);
      const bulk = hub.subscribe(client.connection, { scope, from: { epoch: 1, seq: 0 } }).subscriptionId;
      const asked = hub.subscribe(client.connection, { scope: other, from: { epoch: 1, seq: 3000 } }).subscriptionId;
      client.outboundBytes = 1;
      client.answer();
      log.commit(1, 'approval.requested', 0, other);
      client.drain();
      await eventually('it has come', () => client.deliveries.some(({ subscriptionId }) => subscriptionId === asked));
      const before = client.deliveries.findIndex(({ subscriptionId }) => subscriptionId === asked);
      assert.equal(before, 0, 'it comes first');
      hub.acknowledge(client.connection, { subscriptionId: bulk, deliverySeq: 1 });
      await eventually('and the bulk', () => client.deliveries.filter(({ subscriptionId }) => subscriptionId === bulk).length >= 4);
    });

    it('are cut off when 4 MiB could not be written, and hold none of it', () => {
      const { subscriptionId } = hub.subscribe(client.connection, { scope });
      client.answer();
      client.outboundBytes = 300_000;
      const sent = client.seqs.length;
      for (let n = 0; n < 38; n++) log.commit(1, 'item.delta', 100_000);
      assert.deepEqual(client.closed, []);
      for (let n = 0; n < 4; n++) log.commit(1, 'item.delta', 100_000);
      assert.deepEqual(client.closed, [['sub/closed', { subscriptionId, reason: 'slow_consumer', resumeFrom: 0 }]]);
      assert.equal(client.seqs.length, sent);
    });
  });

  it('tell as head what the client should have by then, so that a slow replay is not taken for a loss', () => {
    const { subscriptionId } = hub.subscribe(client.connection, { scope });
    log.commit(5);
    assert.deepEqual(hub.heads(client.connection), { [subscriptionId]: 0 });
    client.answer();
    assert.deepEqual(hub.heads(client.connection), { [subscriptionId]: 5 });
  });
});
