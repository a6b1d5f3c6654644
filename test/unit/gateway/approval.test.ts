import assert from 'node:assert/strict';
import { CoreHarness, refused, WORKSPACE } from './support/coreHarness.ts';
import { command, commandItem, digestOf, Story } from './support/story.ts';

describe('approval', () => {
  let gw: CoreHarness;
  let story: Story;
  let turnId: string;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    turnId = await story.run();
  });
  afterEach(() => gw.close());

  const stateOf = async () => (await story.turn(turnId)).state;

  it('a turn waits while a request is open and goes on with the answer', async () => {
    const approval = await story.ask();
    assert.deepEqual([approval.status, await stateOf(), story.snapshot().session.pendingApprovals], ['pending', 'waiting', 1]);
    const { outcome, approval: decided } = await story.decide(approval, 'allow');
    assert.deepEqual([outcome, decided.status, decided.optionId, await stateOf()], ['decided', 'approved', 'allow', 'running']);
    assert.deepEqual(decided.decidedBy, { by: 'client', clientId: story.host.principal.clientId, windowId: story.host.principal.windowId, clientKind: 'editor', rule: null });
    assert.equal(story.snapshot().session.pendingApprovals, 0);
  });

  it('C03 two requests are answered in any order, each its own', async () => {
    const first = await story.ask(command('touch a.txt'));
    const second = await story.ask(command('touch b.txt'));
    assert.equal(story.snapshot().session.pendingApprovals, 2);
    await story.decide(second, 'allow');
    assert.equal(await stateOf(), 'waiting');
    await story.decide(first, 'deny');
    assert.equal(await stateOf(), 'running');
    assert.deepEqual(story.snapshot().approvals.map(({ approvalId, status }) => [approvalId, status]), [[first.approvalId, 'rejected'], [second.approvalId, 'approved']]);
  });

  it('B2 the first answer counts: the same again is told who gave it, another one is refused', async () => {
    const approval = await story.ask();
    const cli = gw.client('cli', 'cli');
    const [won, lost] = await Promise.allSettled([story.decide(approval, 'allow', cli), story.decide(approval, 'deny')]);
    assert.deepEqual([won.status, lost.status], ['fulfilled', 'rejected']);
    const again = await story.decide(approval, 'allow');
    assert.deepEqual([again.outcome, again.approval.decidedBy?.clientId], ['already', 'cli']);
    const error = await refused(gw, 'approval_already_decided', () => story.decide(approval, 'deny'));
    assert.deepEqual(error.data.entity, again.approval);
  });

  it('answers only what was shown', async () => {
    const approval = await story.ask();
    await refused(gw, 'approval_changed', () => story.decide({ ...approval, actionDigest: digestOf('other') }, 'allow'));
    await refused(gw, 'approval_option_unknown', () => story.decide(approval, 'whatever'));
  });

  it('C04 a cancelled turn withdraws its requests; a late answer does nothing', async () => {
    const approval = await story.ask();
    await story.cancel(turnId);
    const closed = (await story.host.call('approval/get', { approvalId: approval.approvalId })).approval;
    assert.deepEqual([closed.status, closed.cause], ['cancelled', 'turn_cancelled']);
    await refused(gw, 'approval_closed', () => story.decide(approval, 'allow'));
    await refused(gw, 'turn_not_active', () => story.ask());
    await story.complete(turnId, { outcome: 'cancelled' });
    await refused(gw, 'approval_closed', () => story.decide(approval, 'allow'));
  });

  it('an expired request is closed by itself', async () => {
    const approval = await story.ask(undefined, { expiresAt: gw.clock.now() + 60_000 });
    await gw.clock.advance(20_000);
    await story.host.call('host/renew', { sessionId: story.sessionId, hostRunId: story.hostRunId });
    await gw.clock.advance(25_000);
    await story.host.call('host/renew', { sessionId: story.sessionId, hostRunId: story.hostRunId });
    await gw.clock.advance(15_000);
    const expired = (await story.host.call('approval/get', { approvalId: approval.approvalId })).approval;
    assert.deepEqual([expired.status, await stateOf()], ['expired', 'running']);
    await refused(gw, 'approval_closed', () => story.decide(approval, 'allow'));
  });

  it('the agent may take a request back', async () => {
    const approval = await story.ask();
    const { sessionId } = story;
    const withdrawn = await story.host.call('approval/withdraw', { commandId: 'w', sessionId, claimId: 'claim-1', approvalId: approval.approvalId });
    assert.deepEqual([withdrawn.approval.status, withdrawn.approval.cause, await stateOf()], ['cancelled', 'withdrawn', 'running']);
    await refused(gw, 'approval_closed', () => story.decide(approval, 'allow'));
  });

  it('a policy answers at once, is named, and the turn never waits', async () => {
    const approval = await story.ask(undefined, { auto: { optionId: 'allow', rule: 'policy:attache.approvals' } });
    assert.deepEqual([approval.status, approval.decidedBy], ['approved', { by: 'policy', clientId: null, clientKind: null, rule: 'policy:attache.approvals' }]);
    assert.ok(!gw.sessionEvents(story.sessionId).some((event) => 'turn' in event && event.turn.state === 'waiting'));
    await refused(gw, 'approval_option_unknown', () => story.ask(undefined, { auto: { optionId: 'nothing', rule: 'r' } }));
  });

  it('an answer to a question is no approval of an act, and an option nobody knows is a refusal', async () => {
    const options = [{ optionId: 'red', name: 'Red', kind: 'other' }, { optionId: 'none', name: 'None', kind: 'reject_once' }] as const;
    const question = await story.ask({ kind: 'question', detail: 'Which colour?' }, { options: [...options] });
    assert.equal((await story.decide(question, 'red')).approval.status, 'answered');
    const act = await story.ask(command('x'), { options: [...options] });
    assert.equal((await story.decide(act, 'red')).approval.status, 'rejected');
  });

  it('belongs to the item it names, or gets one of its own that ends with it', async () => {
    const { items } = await story.report([commandItem('c')]);
    const named = await story.ask(undefined, { itemKey: 'c' });
    assert.equal(named.itemId, items[0]?.itemId);
    const own = await story.ask(command('y'));
    const ownItem = () => story.snapshot().items.find(({ itemId }) => itemId === own.itemId);
    assert.deepEqual([ownItem()?.data, ownItem()?.state], [{ kind: 'approval', approvalId: own.approvalId }, 'started']);
    await story.decide(own, 'deny');
    assert.equal(ownItem()?.state, 'declined');
    await refused(gw, 'item_not_found', () => story.ask(undefined, { itemKey: 'nothing' }));
  });

  it('a repeat of a request or an answer is the same one', async () => {
    const first = await story.ask(undefined, { commandId: 'ask-1' });
    assert.equal((await story.ask(undefined, { commandId: 'ask-1' })).approvalId, first.approvalId);
    await refused(gw, 'idempotency_conflict', () => story.ask(command('other'), { commandId: 'ask-1' }));
    const params = { commandId: 'decide-1', approvalId: first.approvalId, optionId: 'allow', actionDigest: first.actionDigest };
    assert.equal((await story.host.call('approval/decide', params)).outcome, 'decided');
    assert.equal((await story.host.call('approval/decide', params)).outcome, 'decided');
  });

  it('A45 ◆ on an old lifetime allow is refused, no new request is taken, and a rejection is always possible', async () => {
    const approval = await story.ask();
    story.tamper('goals', { goalInstanceId: `ginst_${'a'.repeat(32)}` });
    await refused(gw, 'stale_goal_instance', () => story.decide(approval, 'allow'));
    await refused(gw, 'stale_goal_instance', () => story.ask());
    assert.equal((await story.decide(approval, 'deny')).approval.status, 'rejected');
  });

  it('B18 a client finds pending requests and active turns it did not start', async () => {
    const approval = await story.ask();
    const cli = gw.client('cli', 'cli');
    const { approvals } = await cli.call('approval/list', { workspace: WORKSPACE, status: 'pending' });
    assert.deepEqual(approvals.map(({ approvalId }) => approvalId), [approval.approvalId]);
    const { turns } = await cli.call('turn/list', { sessionId: story.sessionId, states: ['running', 'waiting'] });
    assert.deepEqual(turns.map((turn) => turn.turnId), [turnId]);
    await story.decide(approval, 'deny');
    assert.deepEqual((await cli.call('approval/list', { workspace: WORKSPACE, sessionId: story.sessionId, status: 'pending' })).approvals, []);
  });

  it('a request of a turn that failed is cancelled with it', async () => {
    const approval = await story.ask();
    await story.complete(turnId, { outcome: 'failed', code: 'execution_unavailable', message: 'gone', next: '' });
    const closed = (await story.host.call('approval/get', { approvalId: approval.approvalId })).approval;
    assert.deepEqual([closed.status, closed.cause], ['cancelled', 'execution_unavailable']);
  });
});
