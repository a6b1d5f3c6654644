import assert from 'node:assert/strict';
import { CoreHarness, refused } from './support/coreHarness.ts';
import { answerOf, hex, Story } from './support/story.ts';

const HELD = 'session_quarantined';
type Result = NonNullable<Parameters<Story['complete']>[1]>;

const crash = { outcome: 'failed', code: 'execution_unavailable', message: 'It ended with code 1.', next: 'Look into its log.' } as const;

describe('R10 a session whose turns go down with what runs them', () => {
  let gw: CoreHarness;
  let story: Story;
  let count: number;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    count = 0;
  });
  afterEach(() => gw.close());

  /** Runs the head of the queue, or a new message, to this end. */
  async function play(result: Result, isQueued = false): Promise<string> {
    const claimId = `claim-${String((count += 1))}`;
    if (!isQueued) await story.submit();
    const answer = await story.claim(claimId);
    assert.ok(answer.claimed);
    await story.complete(answer.turn.turnId, result, { claimId, completionId: `completion-${claimId}` });
    return answer.turn.turnId;
  }

  async function hold(): Promise<string> {
    await play(crash);
    await play(crash);
    return play(crash);
  }

  const state = (): unknown[] => {
    const { lastErrorCode, queue, status } = story.snapshot().session;
    return [lastErrorCode, queue.paused, status];
  };
  const isClaimed = async (): Promise<boolean> => (await story.claim(`look-${String((count += 1))}`)).claimed;

  it('is held at the third in a row, says so once in the transcript, and hands out nothing more', async () => {
    await play(crash);
    await play({ ...crash, code: 'agent_authentication_required' });
    assert.deepEqual(state(), ['agent_authentication_required', false, 'ready']);
    const third = await play(crash);
    assert.deepEqual(state(), [HELD, true, 'ready']);
    const notices = story.snapshot().items.filter(({ data }) => data.kind === 'notice');
    assert.deepEqual(notices.map(({ turnId, state: end, data }) => [turnId, end, data.kind === 'notice' && data.code]), [[third, 'completed', HELD]]);
    const events = gw.sessionEvents(story.sessionId);
    const ofTurn = events.filter((event) => ('item' in event && event.item.turnId === third) || ('turn' in event && event.turn.turnId === third));
    assert.equal(ofTurn.at(-1)?.type, 'turn.ended');
    await story.submit();
    assert.equal(await isClaimed(), false);
    assert.deepEqual(state(), [HELD, true, 'ready']);
    assert.equal(story.snapshot().session.queue.pending, 1);
  });

  it('only what runs the turn counts, and only in a row', async () => {
    for (const other of [answerOf('fine'), { outcome: 'cancelled' } as const, { ...crash, code: 'agent_error' }]) {
      await play(crash);
      await play(crash);
      await play(other);
    }
    assert.notEqual(story.snapshot().session.lastErrorCode, HELD);
  });

  it('a restart of the gateway keeps it held', async () => {
    await hold();
    gw.restart();
    await story.reconnect();
    assert.deepEqual(state(), [HELD, true, 'ready']);
    await story.submit();
    assert.equal(await isClaimed(), false);
  });

  it('Try Again lets it go on; the next crash holds it again at once, a turn that completes ends the matter', async () => {
    await hold();
    await story.submit();
    await story.submit();
    await story.onSession('queue/resume');
    assert.deepEqual(state(), [null, false, 'ready']);
    await play(crash, true);
    assert.deepEqual(state(), [HELD, true, 'ready']);
    await story.onSession('queue/resume');
    await play(answerOf('fine'), true);
    await play(crash);
    await play(crash);
    assert.deepEqual(state(), ['execution_unavailable', false, 'ready']);
  });

  it('a waiting claim gets its turn when somebody tries again', async () => {
    await hold();
    await story.submit();
    const waiting = story.claim('patient', 60);
    await story.onSession('queue/resume');
    assert.equal((await waiting).claimed, true);
  });

  it('Retry of what failed tries again, too; a message that must not wait is refused', async () => {
    const third = await hold();
    await refused(gw, HELD, () => story.host.call('turn/submit', { sessionId: story.sessionId, clientTurnId: 'now', text: 'now', mode: 'reject' }));
    await story.host.call('turn/retry', { commandId: story.host.command(), turnId: third, clientTurnId: 'retry' });
    assert.deepEqual(state(), [null, false, 'ready']);
    assert.equal(await isClaimed(), true);
  });

  it('other sessions live on', async () => {
    const other = await Story.begin(gw, { goalId: 'other', hostSessionId: hex('other') });
    await hold();
    const turnId = await other.run();
    await other.complete(turnId);
    assert.equal(other.snapshot().session.lastErrorCode, null);
  });

  it('a window that goes down with each turn counts, one that is closed or reloaded in good order does not', async () => {
    async function vanish(): Promise<void> {
      await story.submit();
      assert.ok((await story.claim(`claim-${String((count += 1))}`)).claimed);
      story.hostRunId = hex(`run ${String(count)}`);
      story.host.disconnect();
      await story.reconnect();
    }
    async function reload(): Promise<void> {
      await story.submit();
      assert.ok((await story.claim(`claim-${String((count += 1))}`)).claimed);
      await story.host.call('host/unregister', { sessionId: story.sessionId, hostRunId: story.hostRunId });
      story.hostRunId = hex(`run ${String(count)}`);
      await story.reconnect();
    }
    for (let round = 0; round < 4; round += 1) await reload();
    assert.deepEqual(state(), ['executor_restarted', false, 'ready']);
    for (let round = 0; round < 3; round += 1) await vanish();
    assert.deepEqual(state(), [HELD, true, 'ready']);
  });

  it('whoever takes it over tries again', async () => {
    await hold();
    await story.submit();
    const { host, sessionId } = story;
    await host.call('session/replaceExecutor', { commandId: host.command(), sessionId, hostSessionId: hex('another'), hostSurface: 'vscode', executorEndpointId: 'offline', attachedCapabilities: [] });
    const { session } = story.snapshot();
    assert.deepEqual([session.lastErrorCode === HELD, session.queue.paused], [false, false]);
  });

  it('is counted for the doctor, as long as it is held', async () => {
    await hold();
    assert.equal(gw.core.counts().heldSessions, 1);
    await story.onSession('queue/resume');
    assert.equal(gw.core.counts().heldSessions, 0);
  });
});
