import assert from 'node:assert/strict';
import { decodeEvents } from '../../../src/gateway/events/encodedEvents.ts';
import { EventLog } from '../../../src/gateway/events/eventLog.ts';
import { Store } from '../../../src/gateway/store/store.ts';
import type { SessionId } from '../../../src/protocol/ids.ts';
import type { AnyEvent } from '../../../src/protocol/subscription/events.ts';
import type { Scope } from '../../../src/protocol/subscription/state.ts';
import { run as soakCursors } from '../../soak/cursors.ts';
import { CoreHarness, rejection } from './support/coreHarness.ts';
import { answerOf, itemStart, Story } from './support/story.ts';

describe('the event log', () => {
  let gw: CoreHarness;
  let story: Story;
  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const scope = (): Scope => ({ session: story.sessionId as SessionId });

  /** The log from a place on as it can be read, a piece of at most `limit` at a time. */
  function read(after = 0, limit = 500): AnyEvent[] {
    const events: AnyEvent[] = [];
    for (let at = after; ;) {
      const batch = gw.core.events(story.host.principal, scope(), at, limit);
      if (batch === null) return events;
      assert.equal(batch.first, at + 1);
      events.push(...decodeEvents(batch));
      at = batch.last;
    }
  }

  const told = (): unknown => JSON.parse(JSON.stringify(gw.sessionEvents(story.sessionId)));
  const segments = () => gw.store.get<{ n: number }>('SELECT count(*) AS n FROM eventSegments')?.n ?? 0;
  const rows = () => gw.store.get<{ n: number }>(`SELECT count(*) AS n FROM events, scopes WHERE scope = ? AND eventNo / 4294967296 = scopeNo`, `session:${story.sessionId}`)?.n ?? 0;
  const odd = ['plain ', '\u0000nul', '\ud83d', '\ude00 ', '\u0001"marked"\n', '€'.repeat(300)];

  /** A turn with every kind of text, long enough to be packed. */
  async function longTurn(): Promise<string> {
    const turnId = await story.run();
    await story.report([itemStart('m'), itemStart('open', { kind: 'thought' })]);
    for (let n = 0; n < 60; n++) await story.report([{ op: 'item.delta', itemKey: n % 3 === 0 ? 'open' : 'm', text: `${odd[n % odd.length] ?? ''}${'x'.repeat(500)}` }]);
    await story.report([{ ...itemStart('whole'), text: 'z'.repeat(2000), state: 'completed' as const }, { op: 'item.end', itemKey: 'm', state: 'completed' }]);
    return turnId;
  }

  it('packs a turn that has ended, and hands out every event as it was told, from any place', async () => {
    await story.complete(await longTurn());
    await gw.clock.advance(100);
    assert.ok(segments() > 0);
    assert.equal(rows(), 0);
    assert.deepEqual(read(), told());
    await story.submit('more');
    assert.deepEqual(read(), told());
    for (const after of [1, 7, 40, 69]) assert.deepEqual(read(after, 3), (told() as unknown[]).slice(after));
    gw.restart();
    assert.deepEqual(read(), told());
  });

  it('B4 a text that is packed while it grows stays whole, in snapshots, pieces and at its end', async () => {
    const turnId = await story.run();
    await story.report([itemStart('m')]);
    let text = '';
    for (let n = 0; n < 40; n++) {
      const piece = `${n}${odd[n % odd.length] ?? ''}${'y'.repeat(16_000)}`;
      text += piece;
      await story.report([{ op: 'item.delta', itemKey: 'm', text: piece }]);
      if (n % 7 === 6) await gw.clock.advance(100);
    }
    assert.ok(segments() > 0, 'a part of it is packed');
    const shown = story.snapshot().items[1];
    assert.ok(shown !== undefined && text.startsWith(shown.text));
    assert.equal(shown.textLength, text.length);
    const { item } = await story.host.call('item/get', { itemId: shown.itemId, offset: 300_000 });
    assert.equal(item.text, text.slice(300_000));
    gw.restart();
    await story.reconnect();
    await assert.rejects(story.reportAs(1, [{ op: 'item.delta', itemKey: 'm', text: 'again' }]).then(({ reportSeq }) => { if (reportSeq === 1) throw new Error('a repeat'); }), /a repeat/);
    const gap = await rejection(() => story.reportAs(99, [{ op: 'item.delta', itemKey: 'm', text: 'x' }]));
    assert.deepEqual([gap.kind, gap.data.entity], ['report_gap', { expectedReportSeq: 42 }]);
    await story.report([{ op: 'item.delta', itemKey: 'm', text: 'the end' }]);
    await story.complete(turnId, answerOf('done'));
    assert.equal((await story.host.call('item/get', { itemId: shown.itemId, offset: 0 })).item.textLength, text.length + 7);
    await gw.clock.advance(100);
    assert.deepEqual(read(), told());
  });

  it('a kill at any step of packing leaves every event once, and every text whole', async () => {
    gw.close();
    for (let point = 1; ; point++) {
      const each = { gw: new CoreHarness(), steps: 0, killed: false };
      [gw, story] = [each.gw, await Story.begin(each.gw)];
      const turnId = await longTurn();
      await story.complete(turnId);
      each.gw.observe = ({ kind }) => {
        if (kind === 'read' || (each.steps += 1) < point) return;
        each.killed = true;
        throw new Error('killed');
      };
      await each.gw.clock.advance(20);
      each.gw.observe = () => undefined;
      each.gw.restart();
      assert.deepEqual(read(), told(), `at step ${point}`);
      await story.reconnect();
      await story.submit('goes on');
      await each.gw.clock.advance(100);
      assert.deepEqual(read(), told(), `after step ${point}`);
      if (!each.killed) {
        assert.ok(point > 3);
        return;
      }
      each.gw.close();
    }
  });

  it('is read piece by piece by `event/read`, and says why it cannot be', async () => {
    await story.complete(await longTurn());
    await gw.clock.advance(100);
    const all = await story.host.call('event/read', { scope: scope() });
    assert.deepEqual(all.events, told());
    const { epoch, head } = all;
    const some = await story.host.call('event/read', { scope: scope(), from: { epoch, seq: 5 }, limit: 2 });
    assert.deepEqual(some.events.map(({ seq }) => seq), [6, 7]);
    assert.deepEqual((await story.host.call('event/read', { scope: scope(), from: { epoch, seq: head } })).events, []);
    const refusedFrom = async (from: { epoch: number; seq: number }) => (await rejection(() => story.host.call('event/read', { scope: scope(), from }))).kind;
    assert.equal(await refusedFrom({ epoch: epoch + 1, seq: 1 }), 'epoch_changed');
    assert.equal(await refusedFrom({ epoch, seq: head + 1 }), 'cursor_ahead');
    gw.store.run('DELETE FROM eventSegments WHERE eventNo = (SELECT min(eventNo) FROM eventSegments)');
    await story.submit('so that something is kept');
    gw.restart();
    const expired = await rejection(() => story.host.call('event/read', { scope: scope(), from: { epoch: gw.core.epoch, seq: 1 } }));
    assert.equal(expired.kind, 'cursor_expired');
    assert.ok((expired.data.entity as { first: number }).first > 2);
  });

  it('keeps no more than its limits, drops the oldest, and never the newest', () => {
    const store = new Store({ path: ':memory:' });
    const log = new EventLog(store, { retainedEvents: 1200, retainedBytes: 1024 * 1024 });
    const workspace: Scope = { workspace: '/w' };
    const append = (count: number, size = 10): void => {
      for (let n = 0; n < count; n++) log.append(workspace, { type: 'goal.updated', goal: { title: 'x'.repeat(size) } as never }, { at: 1, causedBy: { clientId: 'c' } });
    };
    append(3000);
    while (log.unpacked(workspace).rows > 0) log.pack(workspace);
    assert.deepEqual(log.kept(workspace), { first: 2001, head: 3000 });
    assert.equal(log.read(workspace, 0, 500)?.first, 2001);
    append(40, 100 * 1024);
    while (log.unpacked(workspace).rows > 0) log.pack(workspace);
    const { first, head } = log.kept(workspace);
    assert.equal(head, 3040);
    assert.ok(first >= 3030 && first < 3040, `from ${first} on`);
    assert.deepEqual(new EventLog(store).kept(workspace), { first, head }, 'a new start finds the same');
    store.close();
  });

  it('R5 every reader gets each event once and in order, or is told why not, through packing, dropping, failed commits and restarts', async () => {
    const figures = await soakCursors({ runs: 5000, seed: 7, report: () => undefined });
    assert.ok(Object.values(figures).every((count) => count > 0), JSON.stringify(figures));
  });

  it('is not counted anew after a refusal, which has changed nothing', async () => {
    const asked: string[] = [];
    gw.observe = ({ kind, sql }) => {
      if (kind === 'read') asked.push(sql);
    };
    await rejection(() => story.host.call('session/rename', { commandId: 'refused', sessionId: 'ses_00000000000000000000000000' as SessionId, title: 'x' }));
    assert.ok(asked.length > 0);
    await story.submit('next');
    gw.observe = () => undefined;
    assert.deepEqual(asked.filter((sql) => sql.includes('eventSegments') || sql.includes('FROM scopes')), []);
  });
});
