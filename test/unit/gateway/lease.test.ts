import assert from 'node:assert/strict';
import { CoreHarness, refused, rejection } from './support/coreHarness.ts';
import { answerOf, commandItem, hex, itemStart, Story } from './support/story.ts';

describe('lease', () => {
  let gw: CoreHarness;
  let story: Story;
  let turnId: string;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    turnId = await story.run();
  });
  afterEach(() => gw.close());

  const renew = () => story.host.call('host/renew', { sessionId: story.sessionId, hostRunId: story.hostRunId });

  it('A46 a host that was killed loses its turn 30 s after its last message', async () => {
    const approval = await story.ask();
    await gw.clock.advance(10_000);
    await renew();
    await gw.clock.advance(5000);
    story.host.disconnect();
    assert.equal(story.snapshot().session.executor.state, 'disconnected');
    await gw.clock.advance(24_999);
    assert.equal((await story.turn(turnId)).state, 'waiting');
    await gw.clock.advance(1);
    const { session, turns, approvals } = story.snapshot();
    assert.deepEqual([turns[0]?.state, turns[0]?.cause], ['interrupted', 'executor_lost']);
    assert.deepEqual([session.status, session.executor.state, session.activeTurnId, session.lastErrorCode], ['stale', 'none', null, 'executor_lost']);
    assert.deepEqual(approvals.map(({ approvalId, status, cause }) => [approvalId, status, cause]), [[approval.approvalId, 'orphaned', 'executor_lost']]);
  });

  it('A46 the same run that is back after 5 s goes on with the same turn', async () => {
    story.host.disconnect();
    await gw.clock.advance(5000);
    const { active, session } = await story.reconnect();
    assert.equal(active?.turn.turnId, turnId);
    assert.deepEqual([session.status, session.executor.state], ['busy', 'connected']);
    await gw.clock.advance(29_000);
    await story.report([itemStart('m')]);
    await gw.clock.advance(29_000);
    assert.equal((await story.complete(turnId)).turn.state, 'completed');
  });

  it('A46 a new run of the same window ends its predecessor’s turn at once', async () => {
    const approval = await story.ask();
    story.host.disconnect();
    story.hostRunId = hex('second run');
    const { active, session } = await story.reconnect();
    assert.equal(active, null);
    assert.deepEqual([session.status, session.executor.state], ['ready', 'connected']);
    const turn = await story.turn(turnId);
    assert.deepEqual([turn.state, turn.cause], ['interrupted', 'executor_restarted']);
    assert.equal((await story.host.call('approval/get', { approvalId: approval.approvalId })).approval.status, 'orphaned');
    await refused(gw, 'approval_closed', () => story.decide(approval, 'allow'));
    await gw.clock.advance(120_000);
    assert.equal(story.snapshot().turns.length, 1, 'nothing is run again by itself');
  });

  it('A46b a host that is frozen on an open link is treated as one that was killed', async () => {
    await gw.clock.advance(30_000);
    const { session, turns } = story.snapshot();
    assert.deepEqual([turns[0]?.state, turns[0]?.cause, session.status, session.executor.state], ['interrupted', 'executor_lost', 'stale', 'none']);
    await refused(gw, 'turn_not_active', () => story.report([itemStart('m')]));
    await refused(gw, 'attached_session_host_mismatch', () => story.claim('claim-2'));
    assert.equal((await story.register()).session.status, 'ready');
    await story.submit('next');
    assert.equal((await story.claim('claim-2')).claimed, true);
  });

  it('A46c a result that comes too late is refused, and its text kept once', async () => {
    story.host.disconnect();
    await gw.clock.advance(30_000);
    const { active } = await story.reconnect();
    assert.equal(active, null);
    for (let round = 0; round < 2; round++) assert.equal((await rejection(() => story.complete(turnId, answerOf('I was nearly done')))).kind, 'turn_not_active');
    const notices = story.snapshot().items.filter(({ data }) => data.kind === 'notice');
    assert.deepEqual(notices.map(({ text, data }) => [text, data]), [['I was nearly done', { kind: 'notice', level: 'warning', code: 'late_result' }]]);
    assert.equal((await story.turn(turnId)).state, 'interrupted');
  });

  it('A37 of a result that comes too late no more is kept than a result may have', async () => {
    await gw.clock.advance(30_000);
    await rejection(() => story.complete(turnId, answerOf('x'.repeat(300_000))));
    assert.deepEqual(story.snapshot().items.filter(({ data }) => data.kind === 'notice').map(({ textLength }) => textLength), [200_000]);
  });

  it('an act that nobody saw end is marked unknown', async () => {
    await story.report([commandItem('begun'), commandItem('waiting'), commandItem('finished')]);
    for (const itemKey of ['begun', 'finished']) {
      const approval = await story.ask(undefined, { itemKey });
      await story.decide(approval, 'allow');
      await story.report([{ op: 'effect.begin', itemKey, approvalId: approval.approvalId, actionDigest: approval.actionDigest }]);
    }
    await story.report([{ op: 'effect.end', itemKey: 'finished' }]);
    await gw.clock.advance(30_000);
    const commands = story.snapshot().items.filter(({ data }) => data.kind === 'command');
    assert.deepEqual(commands.map(({ state, outcome }) => [state, outcome]), [['interrupted', 'unknown'], ['interrupted', 'known'], ['interrupted', 'known']]);
  });

  it('a second live run of the same window identity is refused; of an expired one it is not', async () => {
    const copy = gw.client('copy');
    const params = { sessionId: story.sessionId, hostRunId: hex('copy'), hostSessionId: story.hostSessionId, hostSurface: 'vscode' } as const;
    await refused(gw, 'host_session_in_use', () => copy.call('host/register', params));
    await gw.clock.advance(30_000);
    assert.equal((await copy.call('host/register', params)).session.executor.windowId, 'copy');
    await refused(gw, 'attached_session_host_mismatch', renew);
  });

  it('says what it holds when it renews', async () => {
    assert.deepEqual(await renew(), { leaseMs: 30_000, turnState: 'running' });
    await story.cancel(turnId);
    assert.equal((await renew()).turnState, 'cancelling');
    await story.complete(turnId, { outcome: 'cancelled' });
    assert.equal((await renew()).turnState, null);
  });

  it('a host that leaves politely ends its turn as a restart would', async () => {
    await story.host.call('host/unregister', { sessionId: story.sessionId, hostRunId: story.hostRunId });
    const { session, turns } = story.snapshot();
    assert.deepEqual([turns[0]?.state, turns[0]?.cause, session.status, session.executor.state], ['interrupted', 'executor_restarted', 'stale', 'none']);
    await refused(gw, 'attached_session_host_mismatch', () => story.claim('claim-2'));
  });

  it('an idle window is disconnected for one lease, then it is gone; nothing else changes', async () => {
    await story.complete(turnId);
    await gw.clock.advance(300_000);
    assert.equal(story.snapshot().session.executor.state, 'connected');
    const before = gw.dump(['events', 'scopes', 'meta']);
    story.host.disconnect();
    const states = () => gw.sessionEvents(story.sessionId).flatMap((event) => (event.type === 'session.updated' ? [event.session.executor.state] : []));
    assert.equal(states().at(-1), 'disconnected');
    await gw.clock.advance(30_000);
    assert.equal(states().at(-1), 'none');
    assert.deepEqual(gw.dump(['events', 'scopes', 'meta']), before);
  });

  it('a turn whose result was reserved is taken back by nothing and finished as soon as that is possible', async () => {
    const failing = ({ kind, sql }: { kind: string; sql: string }): void => {
      if (kind === 'write' && sql.includes('UPDATE turns') && sql.includes('endedAt')) throw new Error('disk trouble');
    };
    gw.observe = failing;
    await assert.rejects(story.complete(turnId, answerOf('kept')), /disk trouble/);
    gw.observe = () => undefined;
    const stateOf = async () => (await story.turn(turnId)).state;
    assert.equal(await stateOf(), 'completing');
    gw.observe = failing;
    await gw.clock.advance(60_000);
    assert.equal(await stateOf(), 'completing');
    gw.observe = () => undefined;
    assert.equal((await story.cancel(turnId)).turn?.state, 'completing');
    story.host.disconnect();
    story.hostRunId = hex('second run');
    await story.reconnect();
    assert.equal(await stateOf(), 'completing');
    await gw.clock.advance(1000);
    assert.deepEqual([await stateOf(), story.snapshot().items.at(-1)?.text, story.snapshot().session.status], ['completed', 'kept', 'ready']);
  });
});
