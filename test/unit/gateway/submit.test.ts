import assert from 'node:assert/strict';
import { CoreHarness, refused, rejection, WORKSPACE } from './support/coreHarness.ts';
import { attachParams, Story } from './support/story.ts';

describe('submit', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  it('A8 messages of the editor and the command line share one queue and keep their origin', async () => {
    const cli = gw.client('cli', 'cli');
    await story.submit('first');
    await story.submit('second', 'from-cli', cli);
    await story.submit('third');
    const { turns } = story.snapshot();
    assert.deepEqual(turns.map(({ text, origin, state }) => [text, origin, state]), [['first', 'vscode', 'queued'], ['second', 'cli', 'queued'], ['third', 'vscode', 'queued']]);
    assert.equal(story.snapshot().session.queue.pending, 3);
  });

  it('A9 an accepted turn carries the instance of its session', async () => {
    await story.submit();
    const [row] = gw.store.all<{ turn: string; session: string }>('SELECT t.goalInstanceId AS turn, s.goalInstanceId AS session FROM turns t JOIN sessions s USING (sessionId)');
    assert.match(row!.turn, /^ginst_/);
    assert.equal(row!.turn, row!.session);
  });

  it('A10 a session of an older lifetime takes no message', async () => {
    await story.recreate();
    await refused(gw, 'stale_goal_instance', () => story.submit());
    assert.equal(story.snapshot().session.bindingMatch, 'goal_instance_mismatch');
  });

  it('A11 a strict goal refuses what has no stamp, on every way in', async () => {
    const turnId = await story.run();
    story.tamper('sessions', { goalInstanceId: null });
    await refused(gw, 'goal_instance_id_missing', () => story.submit());
    await refused(gw, 'goal_instance_id_missing', () => story.claim('claim-1'));
    await refused(gw, 'goal_instance_id_missing', () => story.claim('claim-2'));
    await refused(gw, 'goal_instance_id_missing', () => story.complete(turnId));
    await refused(gw, 'goal_instance_id_missing', () => story.report([{ op: 'turn.usage', usage: { totalTokens: 1 } }]));
    await refused(gw, 'goal_instance_id_missing', () => story.ask());
    await refused(gw, 'goal_instance_id_missing', () => story.steer(turnId));
    story.tamper('sessions', { status: 'resume_failed' });
    await refused(gw, 'goal_instance_id_missing', () => story.onSession('session/resume'));
    assert.equal(story.snapshot().session.bindingMatch, 'missing_goal_instance_id');
  });

  it('A12 without its registry row a goal admits nothing new, stamped or not; what was admitted comes back', async () => {
    const turnId = await story.run();
    const approval = await story.ask();
    const sibling = await Story.begin(gw, { hostSessionId: 'b'.repeat(32) });
    sibling.tamper('sessions', { goalInstanceId: null }, `sessionId = '${sibling.sessionId}'`);
    gw.store.run('DELETE FROM goals');
    for (const each of [story, sibling]) {
      await refused(gw, 'goal_not_registered', () => each.submit());
      await refused(gw, 'goal_not_registered', () => each.claim('claim-9'));
      await refused(gw, 'goal_not_registered', () => each.steer(turnId));
    }
    await refused(gw, 'goal_not_registered', () => story.host.call('session/attach', attachParams(story.host)));
    story.tamper('sessions', { status: 'resume_failed' }, `sessionId = '${sibling.sessionId}'`);
    await refused(gw, 'goal_not_registered', () => sibling.onSession('session/resume'));
    await refused(gw, 'goal_not_registered', () => story.decide(approval, 'allow'));
    assert.equal((await story.decide(approval, 'deny')).approval.status, 'rejected');
    assert.equal((await story.complete(turnId)).turn.state, 'completed');
    assert.equal((await story.onSession('session/close')).session.status, 'closed');
    assert.equal((await sibling.onSession('session/close')).session.status, 'closed');
  });

  it('A12b a legacy message is refused for good once the key had a stamped session', async () => {
    story.tamper('goals', { profile: 'legacy', goalInstanceId: null });
    story.tamper('sessions', { goalInstanceId: null });
    await refused(gw, 'goal_instance_id_missing', () => story.submit());
    gw.store.run('DELETE FROM sessions WHERE sessionId <> ?', story.sessionId);
    await refused(gw, 'goal_instance_id_missing', () => story.submit());
  });

  it('A13 a legacy goal without stamped history works without a stamp', async () => {
    story.tamper('goals', { profile: 'legacy', goalInstanceId: null });
    story.tamper('sessions', { goalInstanceId: null });
    gw.store.run('DELETE FROM stampedHistory');
    const turnId = await story.run();
    assert.equal(gw.store.get<{ goalInstanceId: string | null }>('SELECT goalInstanceId FROM turns')?.goalInstanceId, null);
    assert.equal((await story.complete(turnId)).turn.state, 'completed');
    assert.equal(story.snapshot().session.bindingMatch, 'current');
    assert.equal(gw.dump()['stampedHistory']?.length, 0);
  });

  it('A14 equal clientTurnId: same turn, one user message', async () => {
    const first = await story.submit('hello', 'key');
    const again = await story.submit('hello', 'key', gw.client('other'));
    assert.deepEqual([first.created, again.created], [true, false]);
    assert.equal(again.turn.turnId, first.turn.turnId);
    assert.equal(story.snapshot().items.filter(({ data }) => data.kind === 'user_message').length, 1);
  });

  it('A15 the same key with another text is refused and the stored turn stays', async () => {
    await story.submit('hello', 'key');
    await refused(gw, 'idempotency_conflict', () => story.submit('goodbye', 'key'));
    assert.equal(story.snapshot().turns[0]?.text, 'hello');
  });

  it('A14 an edit in the queue does not turn a repeat into a conflict', async () => {
    const { turn } = await story.submit('hello', 'key');
    await story.host.call('queue/edit', { commandId: 'e', turnId: turn.turnId, text: 'edited', expectedRev: turn.rev });
    const again = await story.submit('hello', 'key');
    assert.deepEqual([again.created, again.turn.text], [false, 'edited']);
  });

  it('A16 of two messages for the last place one wins', async () => {
    for (let at = 0; at < 19; at++) await story.submit();
    const outcomes = await Promise.allSettled([story.submit('one'), story.submit('two')]);
    assert.deepEqual(outcomes.map(({ status }) => status), ['fulfilled', 'rejected']);
    assert.equal((await rejection(() => story.submit('three'))).kind, 'session_queue_full');
    assert.equal(story.snapshot().items.length, 20);
    await refused(gw, 'session_queue_full', () => story.submit('four'));
  });

  it('A17 a repeat is answered from the store although the goal was recreated meanwhile', async () => {
    const first = await story.submit('hello', 'key');
    await story.recreate();
    const again = await story.submit('hello', 'key');
    assert.deepEqual([again.created, again.turn.turnId, again.turn.state, again.turn.cause], [false, first.turn.turnId, 'failed', 'stale_goal_instance']);
  });

  it('A18 a closed session tells the client to drop the message', async () => {
    await story.onSession('session/close');
    await refused(gw, 'session_closed', () => story.submit());
  });

  it('refuses instead of queueing when that was asked for', async () => {
    await story.submit();
    const params = { sessionId: story.sessionId, clientTurnId: 'now', text: 'now', mode: 'reject' } as const;
    await refused(gw, 'turn_in_progress', () => story.host.call('turn/submit', params));
    await story.claim();
    await refused(gw, 'turn_in_progress', () => story.host.call('turn/submit', params));
  });

  it('takes no new turn into a store that has reached its size; what runs goes on', async () => {
    const turnId = await story.run();
    Object.assign(gw.store, { isFull: () => true });
    await refused(gw, 'storage_full', () => story.submit());
    assert.equal((await story.complete(turnId)).turn.state, 'completed');
  });

  it('is refused while a session cannot be used, and while the gateway is replaced', async () => {
    for (const status of ['resuming', 'resume_failed']) {
      story.tamper('sessions', { status });
      await refused(gw, 'session_not_ready', () => story.submit());
    }
    story.tamper('sessions', { status: 'stale' });
    assert.equal((await story.submit()).created, true);
    gw.core.drain();
    await refused(gw, 'draining', () => story.submit());
  });

  it('names a session after its first message, unless a person gave it a name', async () => {
    await story.submit('  Fix the cart\nand more');
    assert.equal(story.snapshot().session.title, 'Fix the cart');
    await story.submit('Second');
    assert.equal(story.snapshot().session.title, 'Fix the cart');
    await story.claim();
    await story.report([{ op: 'session.agent', title: 'The agent’s words' }]);
    assert.equal(story.snapshot().session.title, 'The agent’s words');
    await story.host.call('session/rename', { commandId: 'r', sessionId: story.sessionId, title: 'Mine' });
    await story.report([{ op: 'session.agent', title: 'Other words' }]);
    assert.equal(story.snapshot().session.title, 'Mine');
  });

  it('takes a message for a session that was made by an unknown version to be none of its business', async () => {
    story.tamper('sessions', { sessionMode: 'hybrid_handoff' });
    await refused(gw, 'session_mode_unrecognized', () => story.submit());
    await refused(gw, 'session_mode_unrecognized', () => story.host.call('session/rename', { commandId: 'x', sessionId: story.sessionId, title: 'T' }));
    assert.equal((await story.onSession('session/close')).session.status, 'closed');
    assert.equal((await story.host.call('session/list', { workspace: WORKSPACE })).sessions.length, 0);
  });
});
