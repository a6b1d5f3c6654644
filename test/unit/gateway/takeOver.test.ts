import assert from 'node:assert/strict';
import { CoreHarness, refused, WORKSPACE, type TestClient } from './support/coreHarness.ts';
import { hex, Story } from './support/story.ts';

const NEW_HOST = { hostSessionId: hex('second window'), hostSurface: 'vscode' as const, executorEndpointId: 'offline', attachedCapabilities: ['interrupt' as const] };

describe('take-over', () => {
  let gw: CoreHarness;
  let story: Story;
  let second: TestClient;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    second = gw.client('second window');
  });
  afterEach(() => gw.close());

  const takeOver = (by = second, changes: Partial<typeof NEW_HOST> = {}) =>
    by.call('session/replaceExecutor', { commandId: by.command(), sessionId: story.sessionId, ...NEW_HOST, ...changes });
  const registerSecond = () => second.call('host/register', { sessionId: story.sessionId, hostRunId: hex('second run'), hostSessionId: NEW_HOST.hostSessionId, hostSurface: 'vscode' });
  const claimSecond = () => second.call('host/claim', { sessionId: story.sessionId, hostRunId: hex('second run'), claimId: 'second', waitSeconds: 0 });

  it('binds an idle session to the other window, which then runs it', async () => {
    const { replaced, session } = await takeOver();
    assert.deepEqual([replaced, session.status, session.executor.state, session.attachedCapabilities], [true, 'ready', 'none', ['interrupt']]);
    assert.equal((await registerSecond()).session.executor.windowId, 'second window');
    const { turn } = await story.submit();
    const claimed = await claimSecond();
    assert.equal(claimed.claimed && claimed.turn.turnId, turn.turnId);
  });

  it('what the old window still says is refused, and it cannot come back by itself', async () => {
    await takeOver();
    await refused(gw, 'attached_session_host_mismatch', () => story.claim());
    await refused(gw, 'attached_session_host_mismatch', () => story.register());
    await registerSecond();
    await refused(gw, 'attached_session_host_mismatch', () => story.register());
    await takeOver(story.host, { hostSessionId: story.hostSessionId });
    assert.equal((await story.register()).session.executor.state, 'connected');
  });

  it('is refused while a live window works on a turn, and while one that is cut off may come back', async () => {
    const turnId = await story.run();
    await refused(gw, 'executor_alive', takeOver);
    await gw.clock.advance(10_000);
    await story.host.call('host/renew', { sessionId: story.sessionId, hostRunId: story.hostRunId });
    story.host.disconnect();
    await gw.clock.advance(18_000);
    const { data } = await refused(gw, 'executor_in_grace', takeOver);
    assert.equal(data.retryAfterMs, 12_000);
    await gw.clock.advance(12_000);
    assert.equal((await story.turn(turnId)).state, 'interrupted');
    assert.equal((await takeOver()).session.status, 'ready', 'a session whose executor is gone is usable again');
  });

  it('after a gateway restart the window that held the turn has its grace', async () => {
    await story.run();
    gw.restart();
    second = gw.client('second window');
    assert.equal((await refused(gw, 'executor_in_grace', takeOver)).data.retryAfterMs, 30_000);
  });

  it('a waiting claim of the old window ends, and never delays it', async () => {
    const waiting = story.claim('claim-1', 1800);
    const ended = assert.rejects(waiting, { kind: 'executor_replaced' });
    await takeOver();
    await ended;
  });

  it('leaves a notice in the transcript, once', async () => {
    const turnId = await story.run();
    await story.complete(turnId);
    await story.submit('waits');
    const params = { commandId: 'take-over', sessionId: story.sessionId, ...NEW_HOST };
    const first = await second.call('session/replaceExecutor', params);
    assert.deepEqual(await second.call('session/replaceExecutor', params), first, 'the same command has one effect');
    const notices = story.snapshot().items.filter(({ data }) => data.kind === 'notice' && data.code === 'executor_replaced');
    assert.deepEqual(notices.map((item) => [item.turnId, item.state]), [[turnId, 'completed']]);
    assert.ok(gw.sessionEvents(story.sessionId).some((event) => event.type === 'item.ended' && event.item.itemId === notices[0]?.itemId));
    assert.equal((await takeOver()).replaced, false, 'the window that has it takes nothing over');
    assert.equal(story.snapshot().items.filter(({ data }) => data.kind === 'notice').length, 1);
  });

  it('before anything ran the session itself tells it, and then its first turn, once', async () => {
    const removed = await story.submit('taken back');
    await story.cancel(removed.turn.turnId);
    await story.submit('the first');
    assert.equal((await takeOver()).session.lastErrorCode, 'executor_replaced');
    assert.ok(gw.workspaceEvents().some((event) => event.type === 'session.updated' && event.session.lastErrorCode === 'executor_replaced'), 'every window hears of it');
    gw.restart();
    second = gw.client('second window');
    assert.equal(story.snapshot().session.lastErrorCode, 'executor_replaced', 'also after a restart');
    await registerSecond();
    const claimed = await claimSecond();
    const { items, session } = story.snapshot();
    assert.deepEqual(items.flatMap(({ data, turnId }) => (data.kind === 'notice' ? [[turnId, data.code]] : [])), [[claimed.claimed && claimed.turn.turnId, 'executor_replaced']]);
    assert.equal(session.lastErrorCode, null);
  });

  it('lets a reserved result finish', async () => {
    const turnId = await story.run();
    gw.observe = ({ kind, sql }) => {
      if (kind === 'write' && sql.includes('UPDATE turns') && sql.includes('endedAt')) throw new Error('disk trouble');
    };
    await assert.rejects(story.complete(turnId), /disk trouble/);
    gw.observe = () => undefined;
    assert.equal((await takeOver()).session.status, 'busy');
    await gw.clock.advance(1000);
    const { turns, session } = story.snapshot();
    assert.deepEqual([turns[0]?.state, session.status], ['completed', 'ready']);
  });

  it('only an editor can be a host, only of the live lifetime, and only beside no other usable session', async () => {
    await refused(gw, 'attached_session_requires_host_bridge', () => takeOver(gw.client('cli', 'cli')));
    await refused(gw, 'workspace_untrusted', () => takeOver(gw.client('reader', 'editor', [{ path: WORKSPACE, trusted: false }])));
    await story.recreate();
    await refused(gw, 'stale_goal_instance', takeOver);
    const other = await Story.begin(gw, { hostSessionId: hex('other') });
    story.tamper('sessions', { channelId: story.channelId }, `sessionId = '${other.sessionId}'`);
    await refused(gw, 'attached_session_conflict', () => second.call('session/replaceExecutor', { commandId: 'c', sessionId: other.sessionId, ...NEW_HOST }));
  });
});
