import assert from 'node:assert/strict';
import type { Loose } from './support/coreHarness.ts';
import type { ParamsOf } from '../../../src/protocol/methods.ts';
import { CoreHarness, refused, WORKSPACE } from './support/coreHarness.ts';
import { hex, Story } from './support/story.ts';

describe('pinning, archiving and lists', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const pin = (pinned: boolean, on = story) => on.host.call('session/pin', { commandId: on.host.command(), sessionId: on.sessionId, pinned });
  const archive = (archived: boolean, on = story) => on.host.call('session/archive', { commandId: on.host.command(), sessionId: on.sessionId, archived });
  const list = async (filter: Partial<Loose<ParamsOf<'session/list'>>> = {}) => (await story.host.call('session/list', { workspace: WORKSPACE, ...filter })).sessions.map(({ sessionId }) => sessionId);

  it('a pin is kept, told and no activity; the same again changes nothing', async () => {
    const before = story.snapshot().session.updatedAt;
    await gw.clock.advance(1000);
    assert.deepEqual([(await pin(true)).session.pinned, story.snapshot().session.updatedAt], [true, before]);
    assert.equal(gw.sessionEvents(story.sessionId).findLast((event) => event.type === 'session.updated')?.session.pinned, true);
    const rows = gw.dump(['receipts']);
    await pin(true);
    assert.deepEqual(gw.dump(['receipts']), rows);
    gw.restart();
    story.host = gw.client('later');
    assert.equal(story.snapshot().session.pinned, true);
    assert.equal((await pin(false)).session.pinned, false);
  });

  it('pinned sessions stay where their activity puts them, so that a cursor leads through all of them once', async () => {
    const all = [story];
    for (let n = 1; n < 7; n++) {
      await gw.clock.advance(10);
      all.push(await Story.attached(gw, { hostSessionId: hex(`host ${n}`) }));
    }
    const newestFirst = all.map(({ sessionId }) => sessionId).reverse();
    await pin(true, all[1]);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await story.host.call('session/list', { workspace: WORKSPACE, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.next;
      await pin(true, all[5]);
    }
    assert.deepEqual(seen, newestFirst);
    assert.deepEqual(await list({ pinned: true }), [all[5]!.sessionId, all[1]!.sessionId]);
    assert.equal((await list({ pinned: false })).length, 5);
  });

  it('an archived session is left out of lists unless it is asked for, and closed ones may be archived, too', async () => {
    const other = await Story.attached(gw, { hostSessionId: hex('other') });
    const { session } = await archive(true);
    assert.equal(session.archivedAt, gw.clock.now());
    assert.deepEqual([await list(), await list({ archived: 'only' }), (await list({ archived: 'include' })).length], [[other.sessionId], [story.sessionId], 2]);
    assert.deepEqual(story.host.workspace(WORKSPACE).sessions.map(({ sessionId }) => sessionId), [other.sessionId, story.sessionId], 'the newer one, archived, comes last');
    await story.onSession('session/close');
    await archive(false);
    await archive(true);
    assert.deepEqual([await list({ archived: 'only' }), await list({ archived: 'only', includeClosed: true })], [[], [story.sessionId]]);
    assert.deepEqual(await list({ archived: 'include', status: ['closed'] }), [story.sessionId]);
  });

  it('an archived session never hides a request: while something runs or waits it is refused', async () => {
    const turnId = await story.run();
    await story.ask();
    await refused(gw, 'attached_session_turn_active', () => archive(true));
    await story.complete(turnId);
    const { turn } = await story.submit();
    await refused(gw, 'attached_session_queue_pending', () => archive(true));
    await gw.clock.advance(3_600_000);
    assert.notEqual((await archive(true)).session.archivedAt, null, 'a message whose time is over does not count');
    assert.equal((await story.turn(turn.turnId)).state, 'expired');
  });

  it('the next message brings an archived session back in the same step', async () => {
    await archive(true);
    await story.submit();
    assert.equal(story.snapshot().session.archivedAt, null);
    assert.deepEqual(await list(), [story.sessionId]);
  });

  it('sessions of unknown modes and in untrusted folders are left as they are', async () => {
    await refused(gw, 'workspace_untrusted', () => gw.client('reader', 'editor', [{ path: WORKSPACE, trusted: false }]).call('session/pin', { commandId: 'p', sessionId: story.sessionId, pinned: true }));
    story.tamper('sessions', { sessionMode: 'hybrid' });
    await refused(gw, 'session_mode_unrecognized', () => pin(true));
    await refused(gw, 'session_mode_unrecognized', () => archive(true));
  });

  it('lists by status, also one that this build does not know', async () => {
    const odd = await Story.attached(gw, { hostSessionId: hex('odd') });
    gw.store.run(`UPDATE sessions SET status = 'hibernating' WHERE sessionId = ?`, odd.sessionId);
    await story.run();
    assert.deepEqual([await list({ status: ['busy'] }), await list({ status: ['ready'] }), await list({ status: ['resume_failed'] }), (await list({ status: ['busy', 'resume_failed'] })).length], [[story.sessionId], [], [odd.sessionId], 2]);
    assert.deepEqual(await list({ goalId: 'nothing' }), []);
  });

  it('lists goals by state', async () => {
    await Story.attached(gw, { goalId: 'second', hostSessionId: hex('second') });
    await story.retire();
    const goals = async (state?: 'live' | 'retired') => (await story.host.call('goal/list', { workspace: WORKSPACE, ...(state === undefined ? {} : { state }) })).goals.map(({ goalId }) => goalId);
    assert.deepEqual([await goals(), await goals('live'), await goals('retired')], [['goal', 'second'], ['second'], ['goal']]);
  });

  it('says of each folder what is going on in it, and of none that was not granted', async () => {
    const turnId = await story.run();
    await story.submit();
    await story.ask();
    const gone = await Story.attached(gw, { goalId: 'second', hostSessionId: hex('second') });
    await gone.host.call('session/delete', { commandId: 'd', sessionId: gone.sessionId });
    await archive(true, await Story.attached(gw, { hostSessionId: hex('third') }));
    await (await Story.attached(gw, { hostSessionId: hex('fourth') })).onSession('session/close');
    const other = gw.client('other', 'editor', [{ path: '/w/other', trusted: true }]);
    await other.call('goal/create', { commandId: 'g', workspace: '/w/other', title: 'T' });
    const mine = { path: WORKSPACE, trusted: true, goals: { live: 2, retired: 0 }, sessions: { open: 1, archived: 1, closed: 1 }, liveTurns: 1, queuedTurns: 1, pendingApprovals: 1 };
    assert.deepEqual((await story.host.call('workspace/list', {})).workspaces, [mine]);
    const empty = { goals: { live: 0, retired: 0 }, sessions: { open: 0, archived: 0, closed: 0 }, liveTurns: 0, queuedTurns: 0, pendingApprovals: 0 };
    const above = gw.client('above', 'cli', [{ path: '/w', trusted: false }]);
    assert.deepEqual((await above.call('workspace/list', {})).workspaces, [
      { path: '/w', trusted: false, ...empty }, { ...mine, trusted: false }, { path: '/w/other', trusted: false, ...empty, goals: { live: 1, retired: 0 } },
    ]);
    await story.complete(turnId);
    await story.recreate();
    assert.deepEqual((await story.host.call('workspace/list', {})).workspaces[0]?.goals, { live: 2, retired: 0 }, 'a key counts once');
  });
});
