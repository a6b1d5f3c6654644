import assert from 'node:assert/strict';
import { CoreHarness, refused } from './support/coreHarness.ts';
import { answerOf, command, itemStart, Story } from './support/story.ts';

describe('complete', () => {
  let gw: CoreHarness;
  let story: Story;
  let turnId: string;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    turnId = await story.run();
  });
  afterEach(() => gw.close());

  it('A29 one agent message; items and requests end before the turn; the session is ready', async () => {
    await story.report([itemStart('tool', { kind: 'tool_call', toolKind: 'edit', title: 'Edit', locations: [] }), itemStart('thinking', { kind: 'thought' })]);
    await story.ask(command('ls'));
    await story.complete(turnId, answerOf('All done.'));

    const events = gw.sessionEvents(story.sessionId);
    const end = events.findIndex(({ type }) => type === 'turn.ended');
    const ofTurn: (string | null)[] = events.map((event) => ('item' in event && event.item.turnId) || ('approval' in event && event.approval.turnId) || ('turn' in event && event.turn.turnId) || null);
    assert.equal(ofTurn.lastIndexOf(turnId), end, 'turn.ended is the last event of its turn');
    const { items, approvals, turns, session } = story.snapshot();
    assert.deepEqual(items.filter(({ data }) => data.kind === 'agent_message').map(({ text, state }) => [text, state]), [['All done.', 'completed']]);
    assert.deepEqual(items.filter(({ state }) => state === 'started'), []);
    assert.deepEqual(items.map(({ data, state }) => [data.kind, state]), [
      ['user_message', 'completed'], ['tool_call', 'interrupted'], ['thought', 'completed'], ['approval', 'cancelled'], ['agent_message', 'completed']]);
    assert.deepEqual(approvals.map(({ status, cause }) => [status, cause]), [['cancelled', 'turn_completed']]);
    assert.deepEqual([turns[0]?.state, turns[0]?.stopReason], ['completed', 'end_turn']);
    assert.deepEqual([session.status, session.activeTurnId, session.pendingApprovals], ['ready', null, 0]);
  });

  it('A29 the answer may be the message that was streamed', async () => {
    await story.report([itemStart('answer'), { op: 'item.delta', itemKey: 'answer', text: 'Hello ' }, { op: 'item.delta', itemKey: 'answer', text: 'there' }]);
    await story.complete(turnId, { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: 'answer' } });
    const messages = story.snapshot().items.filter(({ data }) => data.kind === 'agent_message');
    assert.deepEqual(messages.map(({ text, state, textLength }) => [text, state, textLength]), [['Hello there', 'completed', 11]]);
  });

  it('A30 the same completion again changes nothing: the first text stays', async () => {
    await story.complete(turnId, answerOf('first'));
    const before = gw.dump();
    const again = await story.complete(turnId, answerOf('second'));
    assert.equal(again.created, false);
    assert.deepEqual(gw.dump(), before);
    assert.equal(story.snapshot().items.at(-1)?.text, 'first');
  });

  it('A31 another completion or another claim is refused', async () => {
    await refused(gw, 'claim_conflict', () => story.complete(turnId, answerOf('x'), { claimId: 'claim-9' }));
    await story.complete(turnId);
    await refused(gw, 'completion_conflict', () => story.complete(turnId, answerOf('x'), { completionId: 'completion-2' }));
    await refused(gw, 'claim_conflict', () => story.complete(turnId, answerOf('x'), { claimId: 'claim-9' }));
  });

  it('A32 two equal completions at once: one is made', async () => {
    const [a, b] = await Promise.all([story.complete(turnId), story.complete(turnId)]);
    assert.deepEqual([a.created, b.created], [true, false]);
    assert.equal(story.snapshot().items.filter(({ data }) => data.kind === 'agent_message').length, 1);
  });

  it('A33 an admitted turn of an old lifetime is accepted and the new lifetime stays byte for byte', async () => {
    await story.recreate();
    const next = await Story.begin(gw, { hostSessionId: 'c'.repeat(32) });
    await next.submit('for the new one');
    const rows = () => [
      gw.store.all('SELECT * FROM goals WHERE lifetime = 2'),
      gw.store.all('SELECT * FROM sessions WHERE sessionId = ?', next.sessionId),
      gw.store.all('SELECT * FROM turns WHERE sessionId = ?', next.sessionId),
      gw.store.all('SELECT * FROM items WHERE sessionId = ?', next.sessionId),
    ].map((all) => JSON.stringify(all));
    const before = rows();
    const { turn } = await story.complete(turnId, answerOf('late but welcome'));
    assert.equal(turn.state, 'completed');
    assert.deepEqual(rows(), before);
    const { session } = story.snapshot();
    assert.deepEqual([session.status, session.bindingMatch], ['ready', 'goal_instance_mismatch']);
    await refused(gw, 'stale_goal_instance', () => story.submit());
  });

  it('A34 a turn that was never handed out cannot be completed', async () => {
    const { turn } = await story.submit('next');
    await refused(gw, 'turn_not_admitted', () => story.complete(turn.turnId));
    story.tamper('goals', { goalInstanceId: `ginst_${'a'.repeat(32)}` });
    await refused(gw, 'turn_not_admitted', () => story.complete(turn.turnId));
  });

  it('A35 a turn of another lifetime than its session is refused', async () => {
    story.tamper('turns', { goalInstanceId: `ginst_${'a'.repeat(32)}` });
    await refused(gw, 'turn_goal_instance_mismatch', () => story.complete(turnId));
  });

  it('A36 a crash after the result was reserved, or after it was published, leaves one message and one end', async () => {
    let commits = 0;
    for (const crashAt of [1, 2]) {
      const each = await Story.begin(new CoreHarness());
      const id = await each.run();
      commits = 0;
      each.gw.observe = ({ kind }) => {
        if (kind === 'committed' && (commits += 1) === crashAt) throw new Error('killed');
      };
      await assert.rejects(each.complete(id, answerOf('kept')), /killed/);
      each.gw.observe = () => undefined;
      each.gw.restart();
      const { items, turns } = each.snapshot();
      assert.deepEqual(items.filter(({ data }) => data.kind === 'agent_message').map(({ text }) => text), ['kept']);
      assert.equal(turns[0]?.state, 'completed');
      const ends = each.gw.store.all(`SELECT 1 FROM events WHERE event LIKE '%"type":"turn.ended"%'`);
      assert.equal(ends.length, 1);
      await each.register();
      assert.equal((await each.complete(id, answerOf('kept'))).created, false);
      each.gw.close();
    }
  });

  it('A36 a result that could not be published at once is published once, by the repeat of the command or by the gateway itself', async () => {
    let commits = 0;
    gw.observe = ({ kind }) => {
      if (kind === 'commit' && (commits += 1) === 2) throw new Error('the disk is full');
    };
    await assert.rejects(story.complete(turnId, answerOf('kept')), /the disk is full/);
    gw.observe = () => undefined;
    assert.equal(story.snapshot().turns[0]?.state, 'completing');
    assert.equal((await story.complete(turnId, answerOf('kept'))).created, false);
    const once = gw.dump();
    await gw.clock.advance(60_000);
    assert.deepEqual(gw.dump(), once, 'the gateway’s own attempt, which comes later, changes nothing');
    const { items, turns } = story.snapshot();
    assert.deepEqual([items.filter(({ data }) => data.kind === 'agent_message').map(({ text }) => text), turns[0]?.state], [['kept'], 'completed']);
  });

  it('A37 an answer that is empty, missing or too long is refused', async () => {
    await refused(gw, 'response_empty', () => story.complete(turnId, answerOf('')));
    await refused(gw, 'response_empty', () => story.complete(turnId, answerOf(' \n')));
    await refused(gw, 'response_too_long', () => story.complete(turnId, answerOf('x'.repeat(200_001))));
    await refused(gw, 'item_not_found', () => story.complete(turnId, { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: 'nothing' } }));
    assert.equal((await story.complete(turnId, answerOf('x'.repeat(200_000)))).turn.state, 'completed');
  });

  it('names the last report: nothing is completed while one is missing', async () => {
    await story.report([itemStart('a')]);
    const { sessionId, hostRunId } = story;
    const params = { sessionId, hostRunId, turnId, claimId: 'claim-1', completionId: 'c', result: answerOf('x') };
    const error = await refused(gw, 'report_gap', () => story.host.call('host/complete', { ...params, lastReportSeq: 2 }));
    assert.deepEqual(error.data.entity, { expectedReportSeq: 2 });
    assert.equal((await story.host.call('host/complete', { ...params, lastReportSeq: 1 })).created, true);
  });

  it('says how a turn failed, and how it was stopped', async () => {
    const failed = await story.complete(turnId, { outcome: 'failed', code: 'execution_unavailable', message: 'The agent ended.', next: 'Restart the agent.' });
    assert.deepEqual([failed.turn.state, failed.turn.cause, failed.turn.detail], ['failed', 'execution_unavailable', 'The agent ended. Restart the agent.']);
    assert.equal(story.snapshot().session.lastErrorCode, 'execution_unavailable');
    const second = await story.run('claim-2');
    const stopped = await story.complete(second, { outcome: 'cancelled', detail: 'One command was stopped.' }, { claimId: 'claim-2', completionId: 'completion-2' });
    assert.deepEqual([stopped.turn.state, stopped.turn.detail], ['cancelled', 'One command was stopped.']);
    const third = await story.run('claim-3');
    await story.complete(third, answerOf('fine'), { claimId: 'claim-3', completionId: 'completion-3' });
    assert.equal(story.snapshot().session.lastErrorCode, null);
  });

  it('counts what the agent used, from reports and from the end', async () => {
    await story.report([{ op: 'turn.usage', usage: { inputTokens: 3, outputTokens: 4 } }]);
    const { sessionId, hostRunId } = story;
    const { turn } = await story.host.call('host/complete', {
      sessionId, hostRunId, turnId, claimId: 'claim-1', completionId: 'c', lastReportSeq: 1, result: answerOf('x'), usage: { outputTokens: 5 },
    });
    assert.deepEqual(turn.usage, { inputTokens: 3, outputTokens: 5 });
  });

  it('A41 after close only the exact completion is answered', async () => {
    await story.complete(turnId);
    await story.onSession('session/close');
    assert.equal((await story.complete(turnId)).created, false);
    await refused(gw, 'session_closed', () => story.complete(turnId, answerOf('x'), { completionId: 'completion-2' }));
    await refused(gw, 'session_closed', () => story.claim('claim-2'));
  });
});
