import assert from 'node:assert/strict';
import { newestWithin } from '../../../src/gateway/newestWithin.ts';
import { CoreHarness, refused, WORKSPACE } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

describe('resume, close, cancel and the queue', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const stateOf = async (turnId: string) => (await story.turn(turnId)).state;

  it('A38 resume makes a failed session ready and starts nothing', async () => {
    story.tamper('sessions', { status: 'resume_failed', lastErrorCode: 'execution_unavailable' });
    const { session } = await story.onSession('session/resume');
    assert.deepEqual([session.status, session.lastErrorCode, session.activeTurnId], ['ready', null, null]);
    const before = gw.dump(['receipts']);
    assert.equal((await story.onSession('session/resume')).session.status, 'ready');
    assert.deepEqual(gw.dump(['receipts']), before, 'a ready session is left as it is');
  });

  it('resume is refused when the channel has another session in use, and for old, closed and foreign ones', async () => {
    story.tamper('sessions', { status: 'resume_failed' });
    const row = gw.store.get<Record<string, string | number | null>>('SELECT * FROM sessions');
    gw.store.insert('sessions', { ...row, sessionId: `ses_${'1'.repeat(26)}`, status: 'ready' });
    await refused(gw, 'attached_session_conflict', () => story.onSession('session/resume'));
    gw.store.run('DELETE FROM sessions WHERE sessionId <> ?', story.sessionId);
    await refused(gw, 'not_found', () => story.onSession('session/resume', gw.client('other', 'editor', [{ path: '/w/other', trusted: true }])));
    await story.recreate();
    await refused(gw, 'stale_goal_instance', () => story.onSession('session/resume'));
    await story.onSession('session/close');
    await refused(gw, 'session_closed', () => story.onSession('session/resume'));
  });

  it('A39 close is refused with a running turn and with a live queue', async () => {
    const turnId = await story.run();
    await refused(gw, 'attached_session_turn_active', () => story.onSession('session/close'));
    await story.complete(turnId);
    const { turn } = await story.submit();
    await refused(gw, 'attached_session_queue_pending', () => story.onSession('session/close'));
    await story.cancel(turn.turnId);
    const { session } = await story.onSession('session/close');
    assert.deepEqual([session.status, session.closedAt], ['closed', gw.clock.now()]);
    assert.equal((await story.onSession('session/close')).session.status, 'closed');
    assert.equal(story.snapshot().turns.length, 2, 'close deletes nothing');
  });

  it('A40 only expired messages wait: they are settled, then it closes', async () => {
    const { turn } = await story.submit();
    await gw.clock.advance(3_600_000);
    assert.equal((await story.onSession('session/close')).session.status, 'closed');
    assert.deepEqual([await stateOf(turn.turnId), (await story.turn(turn.turnId)).cause], ['expired', 'session_queue_expired']);
  });

  it('close clears an active id that points to a turn at its end', async () => {
    const turnId = await story.run();
    await story.complete(turnId);
    story.tamper('sessions', { activeTurnId: turnId, status: 'busy' });
    assert.deepEqual((await story.onSession('session/close')).session.activeTurnId, null);
  });

  it('A42 cancel of a queued turn ends only that one', async () => {
    const running = await story.run();
    const a = await story.submit('a');
    const b = await story.submit('b');
    await story.cancel(a.turn.turnId);
    assert.deepEqual([await stateOf(a.turn.turnId), await stateOf(b.turn.turnId), await stateOf(running)], ['cancelled', 'queued', 'running']);
    const { session } = story.snapshot();
    assert.deepEqual([session.queue.paused, session.activeTurnId, session.status], [false, running, 'busy']);
  });

  it('A43 a host that cannot be interrupted is not', async () => {
    const other = await Story.begin(gw, { hostSessionId: 'd'.repeat(32), capabilities: ['claim_wait'] });
    const turnId = await other.run();
    await refused(gw, 'attached_session_interrupt_unavailable', () => other.cancel(turnId));
    assert.equal(await stateOf(turnId), 'running');
  });

  it('C24 stop is told at once and confirmed by the host', async () => {
    const turnId = await story.run();
    assert.equal((await story.cancel(turnId)).turn?.state, 'cancelling');
    assert.equal((await story.cancel(turnId)).turn?.state, 'cancelling');
    await gw.clock.advance(9000);
    const { turn } = await story.complete(turnId, { outcome: 'cancelled', detail: 'It was ended.' });
    assert.deepEqual([turn.state, turn.detail], ['cancelled', 'It was ended.']);
    await gw.clock.advance(5000);
    assert.equal(await stateOf(turnId), 'cancelled');
    assert.equal((await story.cancel(turnId)).turn?.state, 'cancelled');
    assert.equal(story.snapshot().session.status, 'ready');
  });

  it('C24 nobody confirmed within 10 s: interrupted, and the first end stays', async () => {
    const turnId = await story.run();
    await story.cancel(turnId);
    await gw.clock.advance(10_000);
    assert.deepEqual([await stateOf(turnId), (await story.turn(turnId)).cause], ['interrupted', 'cancel_unconfirmed']);
    await assert.rejects(story.complete(turnId, { outcome: 'cancelled' }), { kind: 'turn_not_active' });
    assert.equal(await stateOf(turnId), 'interrupted');
    assert.equal(story.snapshot().session.status, 'ready');
  });

  it('an agent that ends normally while it is being stopped has ended normally', async () => {
    const turnId = await story.run();
    await story.cancel(turnId);
    assert.equal((await story.complete(turnId)).turn.state, 'completed');
  });

  it('C15 after Stop the queue is kept and waits for a word', async () => {
    const turnId = await story.run();
    const next = await story.submit('next');
    await story.cancel(turnId);
    await story.complete(turnId, { outcome: 'cancelled' });
    assert.deepEqual([story.snapshot().session.queue.paused, story.snapshot().session.queue.pending], [true, 1]);
    const waiting = story.claim('claim-2', 1800);
    await gw.clock.advance(1000);
    assert.equal(await stateOf(next.turn.turnId), 'queued');
    await story.onSession('queue/resume');
    const claimed = await waiting;
    assert.equal(claimed.claimed && claimed.turn.turnId, next.turn.turnId);
  });

  it('C15 the next message lets a paused queue go on, in order', async () => {
    await story.submit('A');
    assert.equal((await story.onSession('queue/pause')).session.queue.paused, true);
    assert.deepEqual(await story.claim(), { claimed: false });
    await story.submit('B');
    const claimed = await story.claim();
    assert.equal(claimed.claimed && claimed.turn.text, 'A');
  });

  it('a cancel that comes before its message is kept for a minute', async () => {
    const early = (clientTurnId: string) => story.host.call('turn/cancel', { commandId: story.host.command(), sessionId: story.sessionId, clientTurnId });
    assert.deepEqual(await early('key'), { turn: null });
    await gw.clock.advance(59_999);
    const { turn } = await story.submit('never mind', 'key');
    assert.equal(turn.state, 'cancelled');
    assert.deepEqual(await story.claim(), { claimed: false });
    assert.equal((await early('key')).turn?.turnId, turn.turnId);

    await story.onSession('queue/pause');
    await early('other');
    await story.submit('not this one', 'other');
    assert.equal(story.snapshot().session.queue.paused, true, 'a message that never was does not let the queue go on');

    await early('slow');
    await gw.clock.advance(60_000);
    assert.equal((await story.submit('too late to stop', 'slow')).turn.state, 'queued');
  });

  it('an early cancel outlives a restart of the gateway', async () => {
    await story.host.call('turn/cancel', { commandId: 'c', sessionId: story.sessionId, clientTurnId: 'key' });
    gw.restart();
    assert.equal((await story.submit('x', 'key')).turn.state, 'cancelled');
  });

  it('C15 edits and removes what waits, and nothing else', async () => {
    const running = await story.run();
    const b = await story.submit('B');
    const c = await story.submit('C');
    const edit = (turnId: string, text: string, expectedRev: number) => story.host.call('queue/edit', { commandId: story.host.command(), turnId, text, expectedRev });
    const remove = (turnId: string) => story.host.call('queue/remove', { commandId: story.host.command(), turnId });
    const edited = await edit(b.turn.turnId, 'B2', b.turn.rev);
    assert.deepEqual([edited.turn.text, edited.turn.rev], ['B2', b.turn.rev + 1]);
    assert.equal(story.snapshot().items.find(({ itemId }) => itemId === b.turn.userItemId)?.text, 'B2');
    await refused(gw, 'revision_conflict', () => edit(b.turn.turnId, 'B3', b.turn.rev));
    assert.equal((await remove(c.turn.turnId)).turn.state, 'cancelled');
    await refused(gw, 'queue_item_not_pending', () => remove(c.turn.turnId));
    await refused(gw, 'queue_item_not_pending', () => edit(running, 'x', 1));
    await story.complete(running);
    const claimed = await story.claim('claim-2');
    assert.equal(claimed.claimed && claimed.turn.text, 'B2');
    await gw.clock.advance(1000);
    const late = await story.submit('late');
    await gw.clock.advance(3_600_000);
    await refused(gw, 'queue_item_not_pending', () => edit(late.turn.turnId, 'x', 1));
  });

  it('retry makes a new linked turn of one that has ended', async () => {
    const turnId = await story.run('claim-1', 'do it');
    const retry = (clientTurnId: string) => story.host.call('turn/retry', { commandId: story.host.command(), turnId, clientTurnId });
    await refused(gw, 'retry_not_possible', () => retry('again'));
    await story.complete(turnId);
    const { created, turn } = await retry('again');
    assert.deepEqual([created, turn.text, turn.retryOf, turn.origin, turn.state], [true, 'do it', turnId, 'retry', 'queued']);
    assert.deepEqual([(await retry('again')).created, (await retry('again')).turn.turnId], [false, turn.turnId]);
    await story.recreate();
    await refused(gw, 'stale_goal_instance', () => retry('once more'.replace(' ', '-')));
  });

  it('reads pages of history back to the beginning', async () => {
    for (let at = 1; at <= 55; at++) {
      const turnId = await story.run(`claim-${at}`, `message ${at}`);
      await story.complete(turnId, undefined, { claimId: `claim-${at}`, completionId: `c${at}` });
    }
    const snapshot = story.snapshot();
    assert.deepEqual([snapshot.turns.length, snapshot.turns[0]?.turnIdx, snapshot.earlier], [50, 6, 6]);
    const { page } = await story.host.call('session/history', { sessionId: story.sessionId, before: 6, limit: 3 });
    assert.deepEqual([page.turns.map(({ turnIdx }) => turnIdx), page.items.length, page.earlier], [[3, 4, 5], 6, 3]);
    const last = await story.host.call('session/history', { sessionId: story.sessionId, before: 3 });
    assert.deepEqual([last.page.turns.map(({ turnIdx }) => turnIdx), last.page.earlier], [[1, 2], null]);
  });

  it('a list of turns stays within a frame: the newest are kept', async () => {
    for (let at = 1; at <= 4; at++) await story.cancel((await story.submit(`${at}${'x'.repeat(900_000)}`)).turn.turnId);
    const { turns } = await story.host.call('turn/list', { sessionId: story.sessionId });
    assert.deepEqual(turns.map(({ text }) => text[0]), ['3', '4']);
    assert.deepEqual(newestWithin([1, 2, 3], 2), [2, 3]);
    assert.deepEqual(newestWithin(['too long'], 2), ['too long']);
    assert.deepEqual(newestWithin([], 2), []);
  });

  it('lists sessions by newest activity, page by page', async () => {
    const ids = [story.sessionId];
    for (let at = 0; at < 4; at++) {
      await gw.clock.advance(1000);
      ids.unshift((await Story.attached(gw, { goalId: `g${at}` })).sessionId);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { sessions: { sessionId: string }[]; next: string | null } = await story.host.call('session/list', { workspace: WORKSPACE, limit: 2, ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.next;
    } while (cursor !== null);
    assert.deepEqual(seen, ids);
    assert.deepEqual((await story.host.call('session/list', { workspace: WORKSPACE, goalId: 'g2' })).sessions.map(({ sessionId }) => sessionId), [ids[1]]);
    await story.onSession('session/close');
    assert.equal((await story.host.call('session/list', { workspace: WORKSPACE })).sessions.length, 4);
    assert.equal((await story.host.call('session/list', { workspace: WORKSPACE, includeClosed: true })).sessions.length, 5);
    await assert.rejects(story.host.call('session/list', { workspace: WORKSPACE, cursor: 'garbage' }), { kind: 'not_found' });
  });
});
