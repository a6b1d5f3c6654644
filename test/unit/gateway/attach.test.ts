import assert from 'node:assert/strict';
import { CoreHarness, refused, WORKSPACE, type TestClient } from './support/coreHarness.ts';
import { attachParams, hex, Story } from './support/story.ts';

describe('attach', () => {
  let gw: CoreHarness;
  let w1: TestClient;

  beforeEach(async () => {
    gw = new CoreHarness();
    w1 = gw.client('w1');
    await w1.call('goal/create', { commandId: w1.command(), workspace: WORKSPACE, goalId: 'goal', title: 'Goal' });
  });
  afterEach(() => gw.close());

  const attach = (changes: Parameters<typeof attachParams>[1] = {}) => w1.call('session/attach', attachParams(w1, changes));

  it('A1 preview announces a change and writes nothing', async () => {
    const before = gw.dump();
    const preview = await attach({ preview: true });
    assert.deepEqual(preview, { created: true, changed: true, session: null });
    assert.deepEqual(gw.dump(), before);

    const { session } = await attach();
    const again = gw.dump();
    const known = await attach({ preview: true, channelId: session!.channelId });
    assert.deepEqual([known.created, known.changed, known.session?.sessionId], [false, false, session!.sessionId]);
    assert.deepEqual(gw.dump(), again);
  });

  it('A2 makes one ready attached session with its capabilities', async () => {
    const { created, session } = await attach({ attachedCapabilities: ['interrupt', 'session_queue'] });
    assert.equal(created, true);
    assert.deepEqual([session?.status, session?.sessionMode, session?.bindingMatch, session?.lifetime], ['ready', 'attached_host', 'current', 1]);
    assert.deepEqual(session?.attachedCapabilities, ['interrupt', 'session_queue']);
    assert.equal(gw.dump()['sessions']?.length, 1);
  });

  it('A3 the same tuple again gives the same session', async () => {
    const first = await attach();
    const second = await attach({ channelId: first.session!.channelId });
    assert.equal(second.created, false);
    assert.equal(second.session?.sessionId, first.session?.sessionId);
    assert.equal(gw.dump()['sessions']?.length, 1);
  });

  it('A4 a tuple that differs in one part is a conflict and replaces nothing', async () => {
    const { session } = await attach();
    const { channelId } = session!;
    await refused(gw, 'attached_session_conflict', () => attach({ channelId, hostSessionId: hex('another') }));
    await refused(gw, 'attached_session_conflict', () => attach({ channelId, executorEndpointId: 'another' }));
    await refused(gw, 'attached_session_conflict', () => attach({ channelId, sessionMode: 'managed_runtime' }));
    gw.store.run(`UPDATE sessions SET hostSurface = 'elsewhere'`);
    await refused(gw, 'attached_session_conflict', () => attach({ channelId }));
    await refused(gw, 'attached_session_conflict', () => attach({ channelId, preview: true }));
  });

  it('A5 two attaches of one tuple at once make one session', async () => {
    const { session } = await attach();
    await w1.call('session/close', { commandId: w1.command(), sessionId: session!.sessionId });
    const [a, b] = await Promise.all([attach({ channelId: session!.channelId }), attach({ channelId: session!.channelId })]);
    assert.deepEqual([a.created, b.created].sort(), [false, true]);
    assert.equal(a.session?.sessionId, b.session?.sessionId);
    assert.notEqual(a.session?.sessionId, session?.sessionId);
  });

  it('A6 the row has the current instance, the answer has none, and one that is sent is refused', async () => {
    const { session } = await attach();
    const goal = gw.store.get<{ goalInstanceId: string }>('SELECT goalInstanceId FROM goals');
    assert.match(goal!.goalInstanceId, /^ginst_[0-9a-f]{32}$/);
    assert.equal(gw.store.get<{ goalInstanceId: string }>('SELECT goalInstanceId FROM sessions')?.goalInstanceId, goal?.goalInstanceId);
    assert.ok(!JSON.stringify(session).includes('ginst_'));
    const params = { ...attachParams(w1), goalInstanceId: goal!.goalInstanceId };
    await assert.rejects(w1.call('session/attach', params), /unrecognized_keys/);
  });

  it('A7 of several current candidates the newest counts, then the larger id; history never does', async () => {
    const { session } = await attach();
    const { channelId, sessionId } = session!;
    const copy = (id: string, changes: Record<string, string | number | null>): void => {
      const row = gw.store.get<Record<string, string | number | null>>('SELECT * FROM sessions WHERE sessionId = ?', sessionId);
      gw.store.insert('sessions', { ...row, sessionId: id, ...changes });
    };
    const newer = gw.clock.now() + 1000;
    copy(`ses_${'1'.repeat(26)}`, { updatedAt: newer });
    copy(`ses_${'2'.repeat(26)}`, { updatedAt: newer });
    copy(`ses_${'3'.repeat(26)}`, { updatedAt: newer + 1, goalInstanceId: `ginst_${'0'.repeat(32)}` });
    copy(`ses_${'4'.repeat(26)}`, { updatedAt: newer + 2, goalInstanceId: null });
    const again = await attach({ channelId });
    assert.deepEqual([again.created, again.session?.sessionId], [false, `ses_${'2'.repeat(26)}`]);
  });

  it('ignores the sessions of an older lifetime and makes a new one', async () => {
    const { session } = await attach();
    await w1.call('goal/recreate', { commandId: w1.command(), workspace: WORKSPACE, goalId: 'goal', expectedLifetime: 1 });
    const before = gw.store.get('SELECT * FROM sessions WHERE sessionId = ?', session!.sessionId);
    const next = await attach({ channelId: session!.channelId });
    assert.equal(next.created, true);
    assert.equal(next.session?.lifetime, 2);
    assert.deepEqual(gw.store.get('SELECT * FROM sessions WHERE sessionId = ?', session!.sessionId), before);
  });

  it('needs a live goal and a granted, trusted folder', async () => {
    await refused(gw, 'goal_not_registered', () => attach({ goalId: 'nobody' }));
    await refused(gw, 'workspace_not_granted', () => attach({ workspace: '/w/demo2' }));
    const readOnly = gw.client('r', 'editor', [{ path: WORKSPACE, trusted: false }]);
    await refused(gw, 'workspace_untrusted', () => readOnly.call('session/attach', attachParams(readOnly)));
    await refused(gw, 'attached_session_requires_host_bridge', () => attach({ sessionMode: 'managed_runtime' }));
  });

  it('A8 an attached session is never run by the gateway itself', async () => {
    const story = await Story.attached(gw);
    const { turn } = await story.submit();
    await gw.clock.advance(60_000);
    assert.equal((await story.turn(turn.turnId)).state, 'queued');
    assert.equal(story.snapshot().session.executor.state, 'none');
  });
});
