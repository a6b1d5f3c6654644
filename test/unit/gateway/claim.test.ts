import assert from 'node:assert/strict';
import { CoreHarness, refused, rejection } from './support/coreHarness.ts';
import { hex, Story } from './support/story.ts';

describe('claim', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  it('A19 a waiting claim gets the turn of a submit while time stands still', async () => {
    const waiting = story.claim('claim-1', 1800);
    const { turn } = await story.submit();
    const claimed = await waiting;
    assert.ok(claimed.claimed);
    assert.deepEqual([claimed.turn.turnId, claimed.turn.state, claimed.claimId, claimed.nextReportSeq, claimed.leaseMs], [turn.turnId, 'running', 'claim-1', 1, 30_000]);
    assert.equal(story.snapshot().session.status, 'busy');
  });

  it('A20 a wait outside 0..1800 is refused; 1800 with a queued turn is answered at once', async () => {
    for (const wait of [1801, -1]) await refused(gw, 'claim_wait_invalid', () => story.claim('claim-1', wait));
    // The schema of the wire knows no such numbers; the core must not trust that.
    for (const wait of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const params = { sessionId: story.sessionId, hostRunId: story.hostRunId, claimId: 'claim-1', waitSeconds: wait };
      await refused(gw, 'claim_wait_invalid', () => gw.core.handle(story.host.principal, 'host/claim', params as never, new AbortController().signal));
    }
    await story.submit();
    assert.equal((await story.claim('claim-1', 1800)).claimed, true);
  });

  it('ends its wait with nothing when the time is over, or when nobody waits for it', async () => {
    const timedOut = story.claim('claim-1', 10);
    await gw.clock.advance(10_000);
    assert.deepEqual(await timedOut, { claimed: false });

    const abort = new AbortController();
    const abandoned = story.claim('claim-1', 10, abort.signal);
    abort.abort();
    assert.deepEqual(await abandoned, { claimed: false });
    const { turn } = await story.submit();
    assert.equal((await story.turn(turn.turnId)).state, 'queued', 'an abandoned claim must not take a turn');
  });

  it('A21 while one claim is active its repeat gets the same turn, another one nothing', async () => {
    const turnId = await story.run('claim-1');
    await story.submit('next');
    const repeat = await story.claim('claim-1', 5);
    assert.ok(repeat.claimed);
    assert.equal(repeat.turn.turnId, turnId);
    assert.deepEqual(await story.claim('claim-2', 1800), { claimed: false });
  });

  it('A22 the admission stamp is the instance of the session', async () => {
    await story.run();
    const row = gw.store.get<{ stamp: string; admission: string; session: string }>(
      'SELECT t.goalInstanceId AS stamp, t.admittedInstanceId AS admission, s.goalInstanceId AS session FROM turns t JOIN sessions s USING (sessionId)');
    assert.deepEqual([row?.stamp, row?.admission], [row?.session, row?.session]);
  });

  it('A23 a queued turn of an older lifetime is not handed out', async () => {
    await story.submit();
    story.tamper('goals', { goalInstanceId: `ginst_${'a'.repeat(32)}` });
    await refused(gw, 'stale_goal_instance', () => story.claim());
    gw.store.run('DELETE FROM turns');
    await refused(gw, 'stale_goal_instance', () => story.claim());
  });

  it('A24 a turn that was claimed before the goal was recreated is returned to its claim', async () => {
    const turnId = await story.run();
    await story.recreate();
    const repeat = await story.claim('claim-1');
    assert.ok(repeat.claimed);
    assert.equal(repeat.turn.turnId, turnId);
    await refused(gw, 'stale_goal_instance', () => story.claim('claim-2'));
  });

  it('A25 a waiting claim does not delay recreate and ends with the stale code', async () => {
    const waiting = rejection(() => story.claim('claim-1', 1800));
    await story.recreate();
    assert.equal((await waiting).kind, 'stale_goal_instance');
  });

  it('A25 so does one that waits while its goal is retired', async () => {
    const waiting = rejection(() => story.claim('claim-1', 1800));
    await story.retire();
    assert.equal((await waiting).kind, 'stale_goal_instance');
    await refused(gw, 'goal_retired', () => story.claim());
  });

  it('A26 an expired head is settled and the next one handed out', async () => {
    const first = await story.submit('old');
    await gw.clock.advance(3_599_000);
    const second = await story.submit('young');
    await gw.clock.advance(1000);
    assert.equal(story.snapshot().session.queue.pending, 1);
    const claimed = await story.claim();
    assert.ok(claimed.claimed);
    assert.equal(claimed.turn.turnId, second.turn.turnId);
    const settled = await story.turn(first.turn.turnId);
    assert.deepEqual([settled.state, settled.cause], ['expired', 'session_queue_expired']);
  });

  it('A27 only the bound host claims: not another window, not another run, not the command line', async () => {
    await story.submit();
    const { sessionId, hostRunId, hostSessionId } = story;
    const claim = { sessionId, hostRunId, claimId: 'claim-1', waitSeconds: 0 };
    const other = gw.client('w2');
    await refused(gw, 'attached_session_host_mismatch', () => other.call('host/claim', claim));
    await refused(gw, 'attached_session_host_mismatch', () => story.host.call('host/claim', { ...claim, hostRunId: hex('another run') }));
    await refused(gw, 'attached_session_host_mismatch', () => other.call('host/register', { sessionId, hostRunId, hostSessionId: hex('another'), hostSurface: 'vscode' }));
    const cli = gw.client('cli', 'cli');
    await refused(gw, 'attached_session_host_mismatch', () => cli.call('host/register', { sessionId, hostRunId, hostSessionId, hostSurface: 'vscode' }));
    // Before any other check: also where everything else is wrong.
    await refused(gw, 'attached_session_host_mismatch', () => other.call('host/claim', { ...claim, waitSeconds: 9999 }));
    story.tamper('sessions', { sessionMode: 'managed_runtime' });
    await refused(gw, 'attached_session_host_mismatch', () => story.host.call('host/claim', claim));
  });

  it('A28 a claim whose turn has ended gets neither it nor another one', async () => {
    const turnId = await story.run();
    await story.complete(turnId);
    await story.submit('next');
    await refused(gw, 'claim_already_used', () => story.claim('claim-1', 5));
    assert.equal((await story.claim('claim-2')).claimed, true);
  });

  it('a newer claim of the same host takes the place of a waiting one', async () => {
    const older = rejection(() => story.claim('claim-1', 1800));
    const newer = story.claim('claim-2', 1800);
    assert.equal((await older).kind, 'claim_superseded');
    await story.submit();
    const claimed = await newer;
    assert.equal(claimed.claimed && claimed.claimId, 'claim-2');
  });

  it('ends with its connection, with its session, and with the gateway', async () => {
    const byLink = rejection(() => story.claim('claim-1', 1800));
    story.host.disconnect();
    assert.equal((await byLink).kind, 'connection_closed');
    await story.reconnect();
    const byDrain = rejection(() => story.claim('claim-2', 1800));
    gw.core.drain();
    assert.equal((await byDrain).kind, 'draining');

    const other = await Story.begin(new CoreHarness());
    const byClose = rejection(() => other.claim('claim-1', 1800));
    await other.onSession('session/close');
    assert.equal((await byClose).kind, 'session_closed');
    other.gw.close();
  });

  it('a turn whose answer was lost with the link goes to the same run again', async () => {
    const turnId = await story.run('claim-1');
    story.host.disconnect();
    const { active } = await story.reconnect();
    assert.deepEqual([active?.turn.turnId, active?.claimId, active?.nextReportSeq], [turnId, 'claim-1', 1]);
    const repeat = await story.claim('claim-1');
    assert.equal(repeat.claimed && repeat.turn.turnId, turnId);
  });

  it('needs a ready session and a turn of its own lifetime', async () => {
    await story.submit();
    for (const status of ['stale', 'resuming', 'resume_failed']) {
      story.tamper('sessions', { status });
      await refused(gw, 'session_not_ready', () => story.claim());
    }
    story.tamper('sessions', { status: 'ready' });
    story.tamper('turns', { goalInstanceId: `ginst_${'a'.repeat(32)}` });
    await refused(gw, 'turn_goal_instance_mismatch', () => story.claim());
  });

  it('hands out in the order of the queue, one at a time', async () => {
    await story.submit('A');
    await story.submit('B');
    const texts: string[] = [];
    for (const claimId of ['claim-1', 'claim-2']) {
      const claimed = await story.claim(claimId);
      assert.ok(claimed.claimed);
      texts.push(claimed.turn.text);
      await story.complete(claimed.turn.turnId, undefined, { claimId, completionId: `of ${claimId}`.replaceAll(' ', '-') });
    }
    assert.deepEqual(texts, ['A', 'B']);
    assert.deepEqual(await story.claim('claim-3'), { claimed: false });
  });
});
