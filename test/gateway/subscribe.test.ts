import assert from 'node:assert/strict';
import { once } from 'node:events';
import { wholeItem } from '../../src/client/wholeItem.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import { encodeFrame } from '../../src/connector/frames.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { eventually } from '../support/eventually.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { current, follow, lastText } from '../support/follow.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { greeted, type RawClient } from '../support/rawClient.ts';
import type { TestClient } from '../support/testClient.ts';
import { createGoal, delta, key, newCommand, startMessage, submit, TestHost } from '../support/testHost.ts';

/** A piece is 1 MiB: three times what may wait for one client, and more than a frame may hold. */
const PIECES = 3 * LIMITS.outboundBytes / 1024 ** 2;

describe('following what happens', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  let host: TestHost;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    editor = await gateway.client();
    host = await TestHost.start(editor, { workspace: gateway.folder() });
    await submit(editor, host.sessionId, 'work');
    await host.claim();
    await host.report(startMessage('m'));
  });
  afterEach(() => gateway.stop());

  const scope = () => ({ session: host.sessionId });
  const finish = () => host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });

  it('snapshot at H, then H + 1: clients that come in at any moment end with the same state', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, (_, n) => gateway.client({ kind: n % 2 === 0 ? 'cli' : 'editor' })));
    const followed = clients.map(async (client, n) => {
      await eventually('its moment has come', async () => (await host.client.call('session/get', { sessionId: host.sessionId })).snapshot.items.at(-1)!.textLength >= n * 15);
      return follow(client, host.sessionId);
    });
    for (let n = 0; n < 120; n++) await host.report(delta('m', `${n % 10}`));
    const all = await Promise.all(followed);
    await host.report(delta('m', '!'));
    await finish();
    for (const each of all) {
      await each.client.event(each.id, 'turn.ended');
      const stored = (await each.client.call('session/get', { sessionId: host.sessionId })).snapshot;
      await eventually('it has caught up', () => current(each).head === stored.head);
      assert.deepEqual(current(each), stored);
    }
  });

  it('B5 a turn that ends while many subscribe: its end is seen exactly once by each', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => gateway.client({ kind: 'cli' })));
    await host.report(delta('m', 'answer'));
    const [following] = await Promise.all([Promise.all(clients.map((client) => follow(client, host.sessionId))), finish()]);
    for (const each of following) {
      await eventually('it shows the end', () => current(each).turns[0]?.state === 'completed');
      const inSnapshot = each.view.turns[0]?.state === 'completed' ? 1 : 0;
      const inEvents = each.client.events(each.id).filter(({ type }) => type === 'turn.ended').length;
      assert.equal(inSnapshot + inEvents, 1);
    }
  });

  it('the answer to subscribe comes before the first batch', async () => {
    const raw = await greeted(gateway, { workspaces: [{ path: gateway.folder(), trusted: true }] });
    for (let id = 1; id <= 20; id++) raw.send({ jsonrpc: '2.0', id, method: 'sub/subscribe', params: { scope: scope() } });
    for (let n = 0; n < 50; n++) await host.report(delta('m', 'x'));
    await finish();
    await eventually('all saw the end', () => raw.received.filter((message) => JSON.stringify(message.params?.['events'] ?? []).includes('turn.ended')).length >= 20);
    const known = new Set<unknown>();
    for (const message of raw.received) {
      if (message.result?.['subscriptionId'] !== undefined) known.add(message.result['subscriptionId']);
      if (message.method === 'event/batch') assert.ok(known.has(message.params?.['subscriptionId']), 'a batch came before the answer that names it');
    }
    raw.socket.destroy();
  });

  it('`from` replays what was missed, byte for byte, then goes on live', async () => {
    const first = await follow(editor, host.sessionId);
    for (let n = 0; n < 30; n++) await host.report(delta('m', `${n},`));
    await eventually('all came', () => lastText(current(first), 'agent_message')?.endsWith('29,'));
    const seq = first.view.head + 10;
    const late = await gateway.client({ kind: 'cli' });
    const { subscriptionId, snapshot, reason, epoch } = await late.call('sub/subscribe', { scope: scope(), from: { epoch: editor.hello.epoch, seq } });
    assert.deepEqual([snapshot, reason, epoch], [null, null, editor.hello.epoch]);
    await host.report(delta('m', 'end'));
    await eventually('it has the last one', () => late.events(subscriptionId).length >= 21 && editor.events(first.id).length === 31);
    assert.deepEqual(late.events(subscriptionId), editor.events(first.id).filter((event) => event.seq > seq));
  });

  it('`from` another epoch: a snapshot and the reason; above the head: a snapshot and the reason', async () => {
    const { head } = (await follow(editor, host.sessionId)).view;
    const other = await editor.call('sub/subscribe', { scope: scope(), from: { epoch: editor.hello.epoch + 1, seq: 1 } });
    assert.equal(other.reason, 'epoch_changed');
    assert.ok(other.snapshot !== null);
    const ahead = await editor.call('sub/subscribe', { scope: scope(), from: { epoch: editor.hello.epoch, seq: head + 1 } });
    assert.equal(ahead.reason, 'cursor_ahead');
    assert.ok(ahead.snapshot !== null && ahead.head === head);
    const exact = await editor.call('sub/subscribe', { scope: scope(), from: { epoch: editor.hello.epoch, seq: head } });
    assert.deepEqual([exact.reason, exact.snapshot, exact.head], [null, null, head]);
  });

  it('a replay of thousands of events arrives whole and in order', async () => {
    for (let n = 0; n < 30; n++) await host.report(...Array.from({ length: 50 }, () => startMessage(`i${n}-${Math.random()}`, 'text')));
    const late = await gateway.client({ kind: 'cli' });
    const { head } = (await follow(editor, host.sessionId)).view;
    const { subscriptionId } = await late.call('sub/subscribe', { scope: scope(), from: { epoch: editor.hello.epoch, seq: 0 } });
    await eventually('the whole replay', () => late.events(subscriptionId).length === head);
    assert.deepEqual(late.events(subscriptionId).map(({ seq }) => seq), Array.from({ length: head }, (_, n) => n + 1));
    assert.ok(late.batches.every(({ events }) => events.length <= LIMITS.replayEvents));
    assert.deepEqual(late.batches.map(({ deliverySeq }) => deliverySeq), late.batches.map((_, n) => n + 1));
  });

  it('a replay of far more than may wait to go out arrives whole: the link is not cut', async () => {
    const piece = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < PIECES; n++) await host.report(delta('m', piece));
    const late = await gateway.client({ kind: 'cli' });
    const { head } = (await follow(editor, host.sessionId)).view;
    const { subscriptionId } = await late.call('sub/subscribe', { scope: scope(), from: { epoch: editor.hello.epoch, seq: 0 } });
    await eventually('the whole replay', () => late.events(subscriptionId).length === head);
    const text = late.events(subscriptionId).reduce((sum, event) => sum + (event.type === 'item.delta' ? event.text.length : 0), 0);
    assert.deepEqual([text, late.peer.isClosed], [PIECES * piece.length, false]);
    const item = await wholeItem(late, (await editor.call('session/get', { sessionId: host.sessionId })).snapshot.items.at(-1)!.itemId);
    assert.deepEqual([item.text.length, item.text.length], [PIECES * piece.length, item.textLength], 'a text larger than a frame can be read, too');
  });

  it('a workspace subscription sees goals and sessions come and change', async () => {
    const cli = await gateway.client({ kind: 'cli' });
    const { subscriptionId, snapshot } = await cli.call('sub/subscribe', { scope: { workspace: gateway.folder() } });
    assert.ok(snapshot !== null && 'workspace' in snapshot);
    assert.deepEqual(snapshot.workspace.sessions.map(({ sessionId }) => sessionId), [host.sessionId]);
    await createGoal(editor, gateway.folder(), 'second');
    await cli.event(subscriptionId, 'goal.updated', ({ goal }) => goal.goalId === 'second');
    await editor.call('session/rename', { commandId: newCommand(), sessionId: host.sessionId, title: 'Better name' });
    const renamed = await cli.event(subscriptionId, 'session.updated', ({ session }) => session.title === 'Better name');
    assert.equal(renamed.causedBy.clientId, editor.clientId);
  });

  it('unsubscribe ends the batches; an unknown subscription is not found', async () => {
    const cli = await gateway.client({ kind: 'cli' });
    const seen = await follow(cli, host.sessionId);
    await cli.call('sub/unsubscribe', { subscriptionId: seen.id as never });
    await host.report(delta('m', 'unheard'));
    await cli.call('gateway/status', {});
    assert.deepEqual(cli.events(seen.id), []);
    await expectRefusal('not_found', cli.call('sub/unsubscribe', { subscriptionId: seen.id as never }));
  });

  it('at most 128 subscriptions for each connection', async () => {
    for (let n = 0; n < LIMITS.subscriptions; n++) await editor.call('sub/subscribe', { scope: scope() });
    await expectRefusal('overloaded', editor.call('sub/subscribe', { scope: scope() }));
  });

  it('at most 64 requests in flight; the 65th is told to come again', async () => {
    const raw = await greeted(gateway, { workspaces: [{ path: gateway.folder(), trusted: true }] });
    await raw.request(1000, 'test/fail', {});
    const held = await greeted(gateway, { workspaces: [{ path: gateway.folder(), trusted: true }] });
    for (let id = 1; id <= LIMITS.inFlightRequests + 1; id++) {
      await raw.request(2000 + id, 'test/fail', { at: 'reply', method: 'goal/list', how: 'drop' });
      held.send({ jsonrpc: '2.0', id, method: 'goal/list', params: { workspace: gateway.folder() } });
      if (id <= LIMITS.inFlightRequests) await raw.request(3000 + id, 'goal/get', { workspace: gateway.folder(), goalId: 'goal' });
    }
    const refused = await held.answer(LIMITS.inFlightRequests + 1);
    assert.equal(refused.error?.data?.['kind'], 'overloaded');
    assert.equal(refused.error?.data?.['retry'], 'after_ms');
    raw.socket.destroy();
    held.socket.destroy();
  });

  describe('B14 a client that never reads', () => {
    const big = 'x'.repeat(16_000);
    let lazy: RawClient;
    let lazyId: string;
    beforeEach(async () => {
      lazy = await greeted(gateway, { clientId: 'lazy', workspaces: [{ path: gateway.folder(), trusted: true }] });
      lazyId = (await lazy.request(1, 'sub/subscribe', { scope: scope() })).result?.['subscriptionId'] as string;
      lazy.socket.pause();
    });
    afterEach(() => lazy.socket.destroy());

    const flood = async (batches: number): Promise<void> => {
      for (let n = 0; n < batches; n++) await host.report(...Array.from({ length: 20 }, () => delta('m', big)));
    };

    it('is cut off at 4 MiB, the others see everything, memory stays flat, and it resumes where it was', async () => {
      const seen = await follow(editor, host.sessionId);
      await flood(5);
      const { rssBytes } = await editor.call('gateway/status', {});
      await flood(60);
      const after = await editor.call('gateway/status', {});
      assert.ok(after.rssBytes - rssBytes < 64 * 1024 * 1024, `${(after.rssBytes - rssBytes) / 1e6} MB more for 20 MB that one client does not read`);
      await host.complete('done');
      await editor.event(seen.id, 'turn.ended');

      lazy.socket.resume();
      const closed = await eventually('it is told that it was cut off', () => lazy.received.find(({ method }) => method === 'sub/closed'));
      assert.equal(closed.params?.['subscriptionId'], lazyId);
      assert.equal(closed.params?.['reason'], 'slow_consumer');
      const got = lazy.received.filter(({ method }) => method === 'event/batch').flatMap(({ params }) => params?.['events'] as SessionEvent[]);
      assert.equal(closed.params?.['resumeFrom'], got.at(-1)?.seq);

      const resumed = await lazy.request(2, 'sub/subscribe', { scope: scope(), from: { epoch: editor.hello.epoch, seq: closed.params?.['resumeFrom'] } });
      assert.equal(resumed.result?.['reason'], null);
      const all = (): SessionEvent[] => lazy.received.filter(({ method }) => method === 'event/batch').flatMap(({ params }) => params?.['events'] as SessionEvent[]);
      await eventually('it has caught up', () => all().some(({ type }) => type === 'turn.ended'));
      assert.deepEqual(all().map(({ seq }) => seq), Array.from({ length: all().length }, (_, n) => all()[0]!.seq + n));
      const text = all().flatMap((event) => (event.type === 'item.delta' ? [event.text] : [])).join('');
      assert.equal(text.length, 65 * 20 * big.length);
    });

    it('is cut off after 10 s without taking anything, however little waits', async () => {
      await flood(6);
      assert.equal(lazy.received.filter(({ method }) => method === 'sub/closed').length, 0);
      await gateway.advance(LIMITS.outboundStallMs + LIMITS.heartbeatMs);
      await host.report(delta('m', 'one more'));
      lazy.socket.resume();
      await eventually('it is told that it was cut off', () => lazy.received.find(({ method }) => method === 'sub/closed'));
    });

    it('that also asks and asks without end makes the gateway hold only a bounded amount', async () => {
      const before = (await editor.call('gateway/status', {})).rssBytes;
      const question = encodeFrame({ jsonrpc: '2.0', id: 2, method: 'session/get', params: { sessionId: host.sessionId, unknown: 1 } });
      const questions = Buffer.concat(Array.from({ length: 100 }, () => question));
      const othersAreServed = async (): Promise<'held back'> => {
        for (let n = 0; n < 300; n++) await editor.call('gateway/status', {});
        return 'held back';
      };
      let asked = 0;
      for (let state: unknown = null; state !== 'held back'; asked += 100) {
        assert.ok(asked < 100_000, 'it is never held back');
        if (!lazy.socket.write(questions)) state = await Promise.race([once(lazy.socket, 'drain'), othersAreServed()]);
      }
      const after = (await editor.call('gateway/status', {})).rssBytes;
      assert.ok(after - before < 96 * 1024 * 1024, `${Math.round((after - before) / 1e6)} MB more`);
    });
  });
});
