import assert from 'node:assert/strict';
import { CoreHarness, refused, WORKSPACE, type TestClient } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

describe('goals', () => {
  let gw: CoreHarness;
  let w1: TestClient;

  beforeEach(() => {
    gw = new CoreHarness();
    w1 = gw.client('w1');
  });
  afterEach(() => gw.close());

  const key = { workspace: WORKSPACE, goalId: 'goal' };
  const create = (changes: object = {}) => w1.call('goal/create', { commandId: w1.command(), ...key, title: 'Goal', ...changes });
  const instances = () => gw.store.all<{ lifetime: number; goalInstanceId: string }>('SELECT lifetime, goalInstanceId FROM goals ORDER BY lifetime');

  it('a key names one live goal at a time and may be used again after it', async () => {
    assert.deepEqual([(await create()).goal.lifetime, (await create({ goalId: 'other' })).goal.lifetime], [1, 1]);
    await refused(gw, 'goal_exists', () => create());
    const { goal } = await w1.call('goal/retire', { commandId: w1.command(), ...key, expectedLifetime: 1 });
    assert.deepEqual([goal.state, goal.retiredAt], ['retired', gw.clock.now()]);
    await refused(gw, 'goal_retired', () => w1.call('goal/retire', { commandId: w1.command(), ...key, expectedLifetime: 1 }));
    assert.equal((await create()).goal.lifetime, 2);
    const { goals } = await w1.call('goal/list', { workspace: WORKSPACE });
    assert.deepEqual(goals.map(({ goalId, lifetime, state }) => [goalId, lifetime, state]), [['goal', 2, 'live'], ['other', 1, 'live']]);
  });

  it('an identity is made with each lifetime and with nothing else', async () => {
    const story = await Story.begin(gw);
    const [first] = instances();
    assert.match(first!.goalInstanceId, /^ginst_[0-9a-f]{32}$/);
    await w1.call('goal/update', { commandId: w1.command(), ...key, title: 'Renamed' });
    await story.run();
    await story.reconnect();
    gw.restart();
    assert.deepEqual(instances(), [first]);
    await story.recreate();
    assert.equal(instances().length, 2);
    assert.notEqual(instances()[1]?.goalInstanceId, first?.goalInstanceId);
  });

  it('a key that is made for a person says nothing about the text', async () => {
    const { goal } = await w1.call('goal/create', { commandId: 'a', workspace: WORKSPACE, title: 'Secret plan' });
    assert.match(goal.goalId, /^g-[0-9a-hjkmnp-tv-z]{10}$/);
    await refused(gw, 'goal_not_registered', () => w1.call('goal/update', { commandId: 'b', workspace: WORKSPACE, goalId: 'nobody', title: 'x' }));
    await assert.rejects(w1.call('goal/get', { workspace: WORKSPACE, goalId: 'nobody' }), { kind: 'not_found' });
  });

  it('retire and recreate name the lifetime they mean', async () => {
    await create();
    for (const method of ['goal/retire', 'goal/recreate'] as const) {
      await refused(gw, 'goal_lifetime_changed', () => w1.call(method, { commandId: w1.command(), ...key, expectedLifetime: 2 }));
      await refused(gw, 'goal_not_registered', () => w1.call(method, { commandId: w1.command(), ...key, goalId: 'nobody', expectedLifetime: 1 }));
    }
    await w1.call('goal/update', { commandId: w1.command(), ...key, objective: 'Win' });
    const { goal } = await w1.call('goal/recreate', { commandId: w1.command(), ...key, expectedLifetime: 1, title: 'Anew' });
    assert.deepEqual([goal.lifetime, goal.title, goal.objective], [2, 'Anew', 'Win']);
    const story = await Story.begin(gw, { hostSessionId: 'b'.repeat(32) });
    assert.equal((await story.recreate(2)).sessionsEnded, 1);
    assert.equal((await story.recreate(3)).sessionsEnded, 0, 'sessions of older lifetimes have ended before');
    await w1.call('goal/retire', { commandId: w1.command(), ...key, expectedLifetime: 4 });
    await refused(gw, 'goal_lifetime_changed', () => w1.call('goal/recreate', { commandId: w1.command(), ...key, expectedLifetime: 2 }));
    assert.equal((await w1.call('goal/recreate', { commandId: w1.command(), ...key, expectedLifetime: 4 })).goal.lifetime, 5);
  });

  it('A45 retire ends what waits, withdraws what is asked, and lets what runs come back', async () => {
    const story = await Story.begin(gw);
    const running = await story.run();
    const approval = await story.ask();
    const queued = [await story.submit(), await story.submit(), await story.submit()];
    const result = await story.retire();
    assert.deepEqual([result.sessionsEnded, result.turnsEnded], [1, 3]);
    for (const { turn } of queued) {
      const ended = await story.turn(turn.turnId);
      assert.deepEqual([ended.state, ended.cause], ['failed', 'stale_goal_instance']);
    }
    const closed = (await w1.call('approval/get', { approvalId: approval.approvalId })).approval;
    assert.deepEqual([closed.status, closed.cause, (await story.turn(running)).state], ['cancelled', 'goal_retired', 'running']);
    await refused(gw, 'approval_closed', () => story.decide(approval, 'allow'));
    await refused(gw, 'goal_retired', () => story.ask());
    await refused(gw, 'goal_retired', () => story.submit());
    assert.equal((await story.report([{ op: 'turn.usage', usage: { totalTokens: 1 } }])).turnState, 'running');
    assert.equal((await story.complete(running)).turn.state, 'completed');
    const { session } = story.snapshot();
    assert.deepEqual([session.status, session.bindingMatch], ['ready', 'goal_not_registered']);
    assert.equal((await story.onSession('session/close')).session.status, 'closed');
  });

  it('tells the folder and every open session of a goal', async () => {
    const story = await Story.begin(gw);
    await story.recreate();
    const told = gw.sessionEvents(story.sessionId).filter(({ type }) => type === 'goal.updated' || type === 'session.updated').slice(-2);
    assert.deepEqual(told.map((event) => (event.type === 'goal.updated' ? event.goal.lifetime : event.type === 'session.updated' ? event.session.bindingMatch : null)), [2, 'goal_instance_mismatch']);
    assert.deepEqual(gw.workspaceEvents().slice(-2).map(({ type }) => type), ['goal.updated', 'session.updated']);
    assert.equal(story.snapshot().goal?.lifetime, 2);
  });

  it('a damaged registry refuses all new work and shows the way out', async () => {
    const story = await Story.begin(gw);
    gw.store.run(`INSERT INTO goals SELECT workspace, goalId, 2, profile, 'ginst_${'a'.repeat(32)}', state, title, objective, createdAt, updatedAt, retiredAt FROM goals`);
    await refused(gw, 'goal_duplicated', () => story.submit());
    await refused(gw, 'goal_duplicated', () => create());
    await refused(gw, 'goal_duplicated', () => story.recreate());
    assert.equal(story.snapshot().session.bindingMatch, 'invalid');
    await story.retire(2);
    assert.equal((await story.submit()).created, true);

    story.tamper('goals', { goalInstanceId: 'ginst_broken' }, 'lifetime = 1');
    await refused(gw, 'invalid_goal_instance_id', () => story.submit());
    await refused(gw, 'goal_exists', () => create());
    assert.equal((await story.retire(1)).goal.state, 'retired');

    gw.store.run('ALTER TABLE goals RENAME TO elsewhere');
    await refused(gw, 'registry_unavailable', () => story.submit());
    await refused(gw, 'registry_unavailable', () => create({ goalId: 'new' }));
    await refused(gw, 'registry_unavailable', () => w1.call('goal/list', { workspace: WORKSPACE }));
    assert.equal((await w1.call('turn/list', { sessionId: story.sessionId })).turns.length, 1, 'turns are still read');
    assert.deepEqual([story.snapshot().goal, story.snapshot().session.bindingMatch], [null, 'invalid']);
    gw.store.run('ALTER TABLE elsewhere RENAME TO goals');
  });

  it('B13 no turn is admitted after the commit of a retire, whatever races it', async function () {
    this.timeout(60_000);
    for (let round = 0; round < 50; round++) {
      const each = await Story.begin(gw, { goalId: `g${round}`, hostSessionId: round.toString(16).padStart(32, '0') });
      await each.submit();
      const racers = [() => each.retire(), () => each.submit('x', 'racing'), () => each.claim('claim-1', 0), () => each.claim('claim-2', 1)];
      const shuffled = racers.map((racer, at) => ({ racer, place: (at * 7 + round * 3) % 5 })).sort((a, b) => a.place - b.place);
      const outcomes = Promise.allSettled(shuffled.map(({ racer }) => racer()));
      await gw.clock.advance(1000);
      await outcomes;
      const retired = gw.sessionEvents(each.sessionId).findIndex((event) => event.type === 'goal.updated' && event.goal.state === 'retired');
      const after = gw.sessionEvents(each.sessionId).slice(retired);
      assert.ok(!after.some((event) => event.type === 'turn.updated'), 'nothing was queued or handed out after it');
      assert.ok(each.snapshot().turns.every(({ state }) => state === 'failed' || state === 'running'));
    }
  });
});
