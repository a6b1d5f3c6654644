import assert from 'node:assert/strict';
import { storeCheck } from '../../../src/gateway/server/checks.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { CoreHarness, WORKSPACE } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

describe('channel readback', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const readback = async (channelId = story.channelId) => (await story.host.call('channel/readback', { workspace: WORKSPACE, channelId })).readback;
  const UNBOUND = { sessionMode: null, sessionModeSource: 'unbound', sessionStatus: null, available: null };

  it('A47 without a session a channel is unbound, also with a ready executor', async () => {
    assert.deepEqual(await readback(`chn_${'0'.repeat(26)}`), UNBOUND);
  });

  it('quotes the mode, the status and the executor of the newest session', async () => {
    const expected = { sessionMode: 'attached_host', sessionModeSource: 'session_readback', sessionStatus: 'ready', available: true };
    assert.deepEqual(await readback(), expected);
    assert.deepEqual(story.snapshot().session.readback, expected);
    await story.run();
    assert.equal((await readback()).sessionStatus, 'busy');
    story.tamper('sessions', { status: '' });
    assert.equal((await readback()).sessionStatus, null);
  });

  it('A48 a mode that nobody knows is said to be that', async () => {
    story.tamper('sessions', { sessionMode: 'hybrid_handoff' });
    assert.deepEqual(await readback(), { sessionMode: null, sessionModeSource: 'unrecognized', sessionStatus: null, available: null });
    story.tamper('sessions', { sessionMode: 'managed_runtime' });
    assert.deepEqual(await readback(), { sessionMode: 'managed_runtime', sessionModeSource: 'session_readback', sessionStatus: 'ready', available: null });
  });

  it('A49 closed here and live on another channel is unbound here', async () => {
    const other = await Story.begin(gw, { hostSessionId: 'b'.repeat(32) });
    await story.onSession('session/close');
    assert.deepEqual(await readback(), UNBOUND);
    assert.equal((await readback(other.channelId)).sessionModeSource, 'session_readback');
    story.tamper('sessions', { status: 'resume_failed' }, `sessionId = '${other.sessionId}'`);
    assert.deepEqual(await readback(other.channelId), UNBOUND);
  });

  it('is counted for diagnostics as it is shown', async () => {
    const others = await Promise.all(['b', 'c', 'd'].map((digit) => Story.begin(gw, { hostSessionId: digit.repeat(32) })));
    const [closed, damaged, unstamped] = others;
    const old = await Story.begin(gw, { goalId: 'other', hostSessionId: 'e'.repeat(32) });
    await old.recreate();
    await closed?.onSession('session/close');
    story.tamper('sessions', { sessionMode: 'hybrid_handoff' }, `sessionId = '${story.sessionId}'`);
    story.tamper('sessions', { goalInstanceId: 'broken' }, `sessionId = '${damaged?.sessionId}'`);
    story.tamper('sessions', { goalInstanceId: null }, `sessionId = '${unstamped?.sessionId}'`);
    assert.deepEqual(gw.core.bindings(), {
      readbacks: { session_readback: 3, unbound: 1, unrecognized: 1 },
      bindings: { current: 1, goal_instance_mismatch: 1, missing_goal_instance_id: 1, goal_not_registered: 0, invalid: 1 },
    });
    const { sessions } = await story.host.call('session/list', { workspace: WORKSPACE, includeClosed: true });
    const shown = sessions.map((session) => session.readback.sessionModeSource).sort();
    assert.deepEqual(shown, ['session_readback', 'session_readback', 'session_readback', 'unbound', 'unrecognized']);
    for (const session of sessions) assert.deepEqual(session.readback, await readback(session.channelId), 'a list quotes what the channel says');
  });

  it('a store that is nearly full is said to be that', () => {
    const cap = LIMITS.storeBytes;
    const size = (bytes: number) => ({ usedBytes: bytes, storeBytes: bytes, capBytes: cap });
    assert.deepEqual([0, 0.79 * cap, 0.8 * cap, cap].map((bytes) => storeCheck(size(bytes)).ok), [true, true, false, false]);
    assert.match(storeCheck(size(0.85 * cap)).detail, /nearly full: 3482 MiB of 4096 MiB/);
  });

  it('never disagrees with what a claim would find', async () => {
    const agree = async (): Promise<void> => {
      const { executor, readback: quoted } = story.snapshot().session;
      assert.equal(quoted.available, executor.state === 'connected');
      const claim = await story.claim(`probe-${gw.clock.now()}`).then(() => true, ({ kind }: { kind: string }) => kind !== 'attached_session_host_mismatch');
      assert.equal(quoted.available, claim);
    };
    await agree();
    story.host.disconnect();
    await agree();
    await gw.clock.advance(30_000);
    await agree();
    await story.reconnect();
    await agree();
  });
});
