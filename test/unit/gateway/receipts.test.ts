import assert from 'node:assert/strict';
import { CoreHarness, refused, rejection, WORKSPACE, type TestClient } from './support/coreHarness.ts';
import { attachParams, Story } from './support/story.ts';

describe('receipts', () => {
  let gw: CoreHarness;
  let w1: TestClient;

  beforeEach(() => {
    gw = new CoreHarness();
    w1 = gw.client('w1');
  });
  afterEach(() => gw.close());

  const create = (title: string, by = w1, commandId = 'once') => by.call('goal/create', { commandId, workspace: WORKSPACE, title });

  it('B12 the same key with the same parameters has one effect and one answer', async () => {
    const first = await create('A');
    const before = gw.dump();
    assert.deepEqual(await create('A'), first);
    assert.deepEqual(await create('A', gw.client('w1')), first, 'also on the client’s next connection');
    assert.deepEqual(gw.dump(), before);
  });

  it('B12 the same key with other parameters, or for another command, is refused', async () => {
    await create('A');
    await refused(gw, 'idempotency_conflict', () => create('B'));
    await refused(gw, 'idempotency_conflict', () => w1.call('session/attach', attachParams(w1, { commandId: 'once' })));
  });

  it('a key belongs to its client', async () => {
    const first = await create('A');
    const second = await create('A', gw.client('w2'));
    assert.notEqual(second.goal.goalId, first.goal.goalId);
  });

  it('no receipt is kept of a refusal: the same key decides anew', async () => {
    const params = attachParams(w1, { commandId: 'attach-1' });
    await refused(gw, 'goal_not_registered', () => w1.call('session/attach', params));
    await w1.call('goal/create', { commandId: 'g', workspace: WORKSPACE, goalId: 'goal', title: 'Goal' });
    assert.equal((await w1.call('session/attach', params)).created, true);
  });

  it('an answer outlives the state it told of, and a restart', async () => {
    const story = await Story.begin(gw);
    const turnId = await story.run();
    const cancel = () => story.host.call('turn/cancel', { commandId: 'stop', turnId });
    const first = await cancel();
    await story.complete(turnId, { outcome: 'cancelled' });
    gw.restart();
    assert.deepEqual(await cancel(), first);
  });

  it('is not read by the same client without the folder', async () => {
    await create('A');
    const elsewhere = gw.client('w1', 'editor', [{ path: '/w/other', trusted: true }]);
    assert.equal((await rejection(() => create('A', elsewhere))).kind, 'not_found');
  });

  it('after a week the answer is forgotten and the key is not: a repeat is refused, never carried out again', async () => {
    await create('A');
    await gw.clock.advance(7 * 24 * 3_600_000);
    await create('B', w1, 'later');
    await gw.clock.advance(1000);
    await refused(gw, 'command_expired', () => create('A'));
    await refused(gw, 'idempotency_conflict', () => create('Z'));
    await refused(gw, 'command_expired', () => w1.call('command/get', { commandId: 'once' }));
    assert.doesNotMatch(JSON.stringify(gw.dump()['receipts']), /"A"/);
    await gw.clock.advance(23 * 24 * 3_600_000);
    await create('C', w1, 'much-later');
    await gw.clock.advance(1000);
    assert.equal((await rejection(() => w1.call('command/get', { commandId: 'once' }))).kind, 'not_found');
  });

  it('what became of a command can be asked by its key', async () => {
    const made = await create('A');
    const { state, method, result } = await w1.call('command/get', { commandId: 'once' });
    assert.deepEqual([state, method, result], ['done', 'goal/create', made]);
    assert.equal((await rejection(() => w1.call('command/get', { commandId: 'never' }))).kind, 'not_found');
    assert.equal((await rejection(() => gw.client('w2').call('command/get', { commandId: 'once' }))).kind, 'not_found');
  });

  it('R8 a wall clock that jumps a year ahead forgets no answer', async () => {
    const made = await create('A');
    gw.clock.wallOffset = 365 * 24 * 3_600_000;
    await gw.clock.advance(3_600_000);
    await create('B', w1, 'later');
    await gw.clock.advance(1000);
    assert.deepEqual(await create('A'), made);
  });
});
