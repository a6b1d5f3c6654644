import assert from 'node:assert/strict';
import { decodeEvents } from '../../../src/gateway/events/encodedEvents.ts';
import { CoreHarness, WORKSPACE } from './support/coreHarness.ts';
import { answerOf, commandItem, hex, itemStart, Story } from './support/story.ts';

describe('a start after a crash', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  it('raises the epoch and keeps who it is', async () => {
    const { epoch, gatewayId } = gw.core;
    gw.restart();
    assert.deepEqual([gw.core.epoch, gw.core.gatewayId], [epoch + 1, gatewayId]);
  });

  it('B6 waits one lease for the same run, then nothing is running and unknown acts are flagged', async () => {
    const turnId = await story.run();
    await story.report([commandItem('c')]);
    const approval = await story.ask(undefined, { itemKey: 'c' });
    await story.decide(approval, 'allow');
    await story.report([{ op: 'effect.begin', itemKey: 'c', approvalId: approval.approvalId, actionDigest: approval.actionDigest }]);
    const open = await story.ask();
    await story.submit('waits');
    gw.restart();
    const client = gw.client('reader');
    assert.deepEqual([client.snapshot(story.sessionId).session.executor.state, client.snapshot(story.sessionId).turns[0]?.state], ['disconnected', 'waiting']);
    await gw.clock.advance(30_000);
    const { turns, items, approvals, session } = client.snapshot(story.sessionId);
    assert.deepEqual(turns.map(({ turnId: id, state, cause }) => [id === turnId, state, cause]), [[true, 'interrupted', 'executor_lost'], [false, 'queued', null]]);
    assert.deepEqual(items.find(({ data }) => data.kind === 'command')?.outcome, 'unknown');
    assert.equal(approvals.find(({ approvalId }) => approvalId === open.approvalId)?.status, 'orphaned');
    assert.deepEqual([session.status, session.queue.pending], ['stale', 1]);
  });

  it('C06 the same run goes on: with its claim, its numbers and its open request', async () => {
    const turnId = await story.run();
    await story.report([itemStart('a'), { op: 'item.delta', itemKey: 'a', text: 'Hel' }]);
    const approval = await story.ask();
    gw.restart();
    const { active } = await story.reconnect();
    assert.deepEqual([active?.turn.turnId, active?.turn.state, active?.nextReportSeq], [turnId, 'waiting', 2]);
    await story.decide(approval, 'allow');
    await story.report([{ op: 'item.delta', itemKey: 'a', text: 'lo' }]);
    await gw.clock.advance(29_000);
    await story.complete(turnId, { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: 'a' } });
    assert.equal(story.snapshot().items.find(({ data }) => data.kind === 'agent_message')?.text, 'Hello');
  });

  it('a new run of the same window ends the old turn at once', async () => {
    const turnId = await story.run();
    gw.restart();
    story.hostRunId = hex('after the reload');
    assert.equal((await story.reconnect()).active, null);
    assert.deepEqual([(await story.turn(turnId)).state, (await story.turn(turnId)).cause], ['interrupted', 'executor_restarted']);
  });

  it('a turn that was being stopped is interrupted when nobody confirms', async () => {
    const turnId = await story.run();
    await story.cancel(turnId);
    gw.restart();
    await gw.clock.advance(10_000);
    assert.deepEqual([(await story.turn(turnId)).state, (await story.turn(turnId)).cause], ['interrupted', 'cancel_unconfirmed']);
  });

  it('frees a session that points to a turn at its end, and closes requests without a turn', async () => {
    const turnId = await story.run();
    const approval = await story.ask();
    gw.store.run(`UPDATE turns SET state = 'interrupted' WHERE turnId = ?`, turnId);
    gw.restart();
    const { session, approvals } = gw.client('reader').snapshot(story.sessionId);
    assert.deepEqual([session.status, session.activeTurnId], ['stale', null]);
    assert.deepEqual(approvals.map(({ approvalId, status, cause }) => [approvalId, status, cause]), [[approval.approvalId, 'orphaned', 'gateway_restarted']]);
  });

  it('events go on where they ended', async () => {
    await story.submit();
    const head = story.snapshot().head;
    gw.restart();
    await story.submit();
    const batch = gw.core.events(story.host.principal, { session: story.sessionId as never }, head, 100);
    assert.equal(batch?.first, head + 1);
  });

  it('R8 a wall clock that is set back or forth expires nothing early and keeps nothing longer', async () => {
    const { turn } = await story.submit();
    const pending = () => gw.client('reader').snapshot(story.sessionId).session.queue.pending;
    gw.clock.wallOffset = 365 * 24 * 3_600_000;
    assert.equal(pending(), 1);
    await gw.clock.advance(1_800_000);
    gw.clock.wallOffset = -3_600_000;
    // The last lifecycle commit before a restart says how far time had come; a clock that went back adds nothing to it.
    await story.host.call('goal/create', { commandId: 'mark', workspace: WORKSPACE, title: 'mark' });
    gw.clock.wallOffset = -7_200_000;
    gw.restart();
    await gw.clock.advance(1_799_999);
    assert.equal(pending(), 1);
    await gw.clock.advance(1);
    assert.equal(pending(), 0);
    await story.reconnect();
    assert.deepEqual(await story.claim(), { claimed: false });
    assert.equal((await story.turn(turn.turnId)).state, 'expired');
  });

  it('R8 time goes on while the gateway is down', async () => {
    await story.submit();
    gw.clock.wallOffset = 3_600_000;
    gw.restart();
    assert.equal(gw.client('reader').snapshot(story.sessionId).session.queue.pending, 0);
  });

  it('B6 every kill point of a turn leaves a state that is true', async function () {
    this.timeout(120_000);
    let point = 1;
    while ((await killedAt(point)) === 'killed') point += 1;
    assert.ok(point > 80, `only ${point} points`);
  });

  /** Runs one turn and kills the gateway at its n-th step in the store; then looks at what a new one makes of it. */
  async function killedAt(point: number): Promise<'finished' | 'killed'> {
    const each = await Story.begin(new CoreHarness());
    let steps = 0;
    each.gw.observe = ({ kind }) => {
      if (kind !== 'read' && (steps += 1) >= point) throw new Error('killed');
    };
    const acknowledged: string[] = [];
    const killed = await oneTurn(each, acknowledged).then(() => false, (error: Error) => error.message === 'killed' || Promise.reject(error));
    each.gw.observe = () => undefined;
    const told = each.gw.sessionEvents(each.sessionId);
    each.gw.restart();
    await each.gw.clock.advance(30_000);

    const { turns, items, approvals, session } = each.gw.client('reader').snapshot(each.sessionId);
    for (const turn of turns) assert.ok(['completed', 'interrupted', 'queued'].includes(turn.state), `${turn.state} at ${point}`);
    assert.ok(turns.filter(({ state }) => state !== 'queued').every(({ turnId }) => items.filter((item) => item.turnId === turnId).every(({ state }) => state !== 'started')));
    assert.ok(approvals.every(({ status }) => status !== 'pending'));
    assert.ok(session.activeTurnId === null && session.status !== 'busy');
    if (acknowledged.includes('submit')) assert.equal(turns.length, 1);
    if (acknowledged.includes('complete')) assert.equal(turns[0]?.state, 'completed');
    // What was told before the kill is in the store, word for word.
    const batch = each.gw.core.events(each.host.principal, { session: each.sessionId as never }, 0, 500);
    assert.deepEqual(batch === null ? [] : decodeEvents(batch).slice(0, told.length), told);
    each.gw.close();
    return killed ? 'killed' : 'finished';
  }

  async function oneTurn(each: Story, acknowledged: string[]): Promise<void> {
    const { turn } = await each.submit();
    acknowledged.push('submit');
    await each.claim();
    await each.report([commandItem('c'), itemStart('m')]);
    const approval = await each.ask(undefined, { itemKey: 'c' });
    await each.decide(approval, 'allow');
    await each.report([{ op: 'effect.begin', itemKey: 'c', approvalId: approval.approvalId, actionDigest: approval.actionDigest }]);
    await each.report([{ op: 'effect.end', itemKey: 'c' }, { op: 'item.end', itemKey: 'c', state: 'completed' }, { op: 'item.delta', itemKey: 'm', text: 'Hi' }]);
    await each.complete(turn.turnId, answerOf('done'));
    acknowledged.push('complete');
  }
});
