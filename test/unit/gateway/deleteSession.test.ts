import assert from 'node:assert/strict';
import { CoreHarness, refused, WORKSPACE } from './support/coreHarness.ts';
import { answerOf, hex, Story } from './support/story.ts';

const WEEK = 7 * 24 * 3_600_000;

describe('deleting a session', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const remove = () => story.host.call('session/delete', { commandId: story.host.command(), sessionId: story.sessionId });
  const restore = (by = story.host) => by.call('session/undelete', { commandId: by.command(), sessionId: story.sessionId });
  const listed = async () => (await story.host.call('session/list', { workspace: WORKSPACE, includeClosed: true })).sessions.map(({ sessionId }) => sessionId);

  it('hides it from everybody until it is fetched back as it was, with all that was in it', async () => {
    const turnId = await story.run();
    await story.complete(turnId, answerOf('kept'));
    const { session, restorableUntil } = await remove();
    assert.deepEqual([session.status, restorableUntil], ['closed', gw.clock.now() + WEEK]);
    assert.deepEqual(await listed(), []);
    for (const call of [() => story.submit(), () => story.turn(turnId), () => story.claim(), () => story.onSession('session/close'), remove]) await refused(gw, 'not_found', call);
    gw.restart();
    story.host = gw.client('window');
    await gw.clock.advance(WEEK - 1);
    const back = (await restore()).session;
    assert.deepEqual([back.status, back.closedAt, back.deleted], ['stale', null, undefined]);
    assert.deepEqual([await listed(), story.snapshot().items.at(-1)?.text], [[story.sessionId], 'kept']);
    await story.submit();
    await refused(gw, 'not_found', () => restore());
  });

  it('brings a closed one back closed, and one whose conversation has gone on elsewhere, too', async () => {
    const { closedAt } = (await story.onSession('session/close')).session;
    await remove();
    const back = (await restore()).session;
    assert.deepEqual([back.status, back.closedAt], ['closed', closedAt]);
    const other = await Story.begin(gw, { goalId: 'other', hostSessionId: hex('other') });
    await other.host.call('session/delete', { commandId: other.host.command(), sessionId: other.sessionId });
    other.tamper('sessions', { channelId: back.channelId }, `sessionId = '${other.sessionId}'`);
    story.tamper('sessions', { status: 'ready', closedAt: null }, `sessionId = '${story.sessionId}'`);
    const late = (await other.host.call('session/undelete', { commandId: other.host.command(), sessionId: other.sessionId })).session;
    assert.deepEqual([late.status, late.closedAt], ['closed', gw.clock.now()]);
    await refused(gw, 'session_closed', () => other.submit());
  });

  it('is listed to be fetched back for as long as it can be, and in no other list', async () => {
    const other = await Story.begin(gw, { goalId: 'other', hostSessionId: hex('other') });
    const deleted = async (more = {}) => story.host.call('session/list', { workspace: WORKSPACE, deleted: true, ...more });
    assert.deepEqual((await deleted()).sessions, []);
    await story.onSession('session/close');
    await remove();
    await other.host.call('session/delete', { commandId: other.host.command(), sessionId: other.sessionId });
    const page = await deleted({ limit: 1 });
    assert.deepEqual([page.sessions.map(({ sessionId, deleted: is }) => [sessionId, is]), (await deleted({ cursor: page.next })).sessions.map(({ sessionId }) => sessionId)], [[[other.sessionId, true]], [story.sessionId]]);
    assert.deepEqual(await listed(), []);
    await gw.clock.advance(WEEK);
    assert.deepEqual((await deleted()).sessions, []);
  });

  it('is told to everybody who follows the folder, and so is its return', async () => {
    const before = gw.workspaceEvents().length;
    await remove();
    await restore();
    const told = gw.workspaceEvents().slice(before).flatMap((event) => (event.type === 'session.updated' ? [[event.session.sessionId, event.session.deleted]] : []));
    assert.deepEqual(told, [[story.sessionId, true], [story.sessionId, undefined]]);
  });

  it('is refused while something runs or waits', async () => {
    const turnId = await story.run();
    await refused(gw, 'attached_session_turn_active', remove);
    await story.complete(turnId);
    await story.submit();
    await refused(gw, 'attached_session_queue_pending', remove);
    await gw.clock.advance(3_600_000);
    assert.equal((await remove()).session.status, 'closed', 'what waited too long does not count');
  });

  it('lets a session of an unknown mode go', async () => {
    story.tamper('sessions', { sessionMode: 'hybrid_handoff' });
    assert.equal((await remove()).session.status, 'closed');
  });

  it('after a week there is nothing left of it but the fact that its key had a stamped session', async () => {
    const turnId = await story.run();
    await story.complete(turnId);
    await story.onSession('session/close');
    const other = await Story.begin(gw, { goalId: 'other', hostSessionId: hex('other') });
    await remove();
    const kept = gw.store.all(`SELECT * FROM turns WHERE sessionId = ?`, other.sessionId);
    await gw.clock.advance(WEEK);
    await refused(gw, 'gone', () => restore());
    await other.submit();
    await gw.clock.advance(3_600_000);
    await refused(gw, 'not_found', () => restore());
    for (const [table, rows] of Object.entries(gw.dump(['receipts', 'events']))) assert.ok(rows.every((row) => !row.includes(story.sessionId)), table);
    assert.deepEqual(gw.store.all(`SELECT * FROM turns WHERE sessionId = ? AND state <> 'queued'`, other.sessionId), kept);
    assert.ok(gw.dump()['stampedHistory']?.some((row) => row.includes('"goal"')));
  });

  it('A12b the last stamped session is deleted: a legacy submit is still refused', async () => {
    const legacy = await Story.begin(gw, { hostSessionId: hex('legacy') });
    legacy.tamper('sessions', { goalInstanceId: null }, `sessionId = '${legacy.sessionId}'`);
    await remove();
    legacy.tamper('goals', { profile: 'legacy', goalInstanceId: null });
    await refused(gw, 'goal_instance_id_missing', () => legacy.submit());
    await gw.clock.advance(WEEK);
    await gw.clock.advance(3_600_000);
    await refused(gw, 'goal_instance_id_missing', () => legacy.submit());
  });
});
