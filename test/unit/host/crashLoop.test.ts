import assert from 'node:assert/strict';
import { AttacheError } from '../../../src/protocol/errors.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import type { TurnEnd } from '../../../src/runtime/agent.ts';
import { CoreHarness } from '../gateway/support/coreHarness.ts';
import { done, HostRig } from './support/hostRig.ts';

const crash: TurnEnd = { outcome: 'failed', code: 'execution_unavailable', message: 'The agent ended with code 1.', next: 'Restart the agent.', usage: null };

describe('R10 the host of a session whose agent goes down again and again', () => {
  let rig: HostRig;
  beforeEach(async () => {
    rig = await HostRig.start(new CoreHarness());
  });
  afterEach(() => rig.end());

  const states = (turns: readonly Turn[]): Promise<string[]> => Promise.all(turns.map(async (turn) => (await rig.turn(turn)).state));
  const session = () => rig.story.snapshot().session;

  async function queue(count: number): Promise<Turn[]> {
    const turns: Turn[] = [];
    for (let n = 0; n < count; n += 1) turns.push((await rig.story.submit(`message ${String(n)}`)).turn);
    await rig.advance();
    return turns;
  }

  for (const { name, begin } of [
    { name: 'with each turn', begin: () => { rig.play = () => Promise.resolve(crash); } },
    { name: 'at each start', begin: () => { rig.start = () => Promise.reject(new AttacheError('execution_unavailable', { message: 'It ended with code 1.' })); } },
    { name: 'since its data makes the host throw', begin: () => { rig.play = () => { throw new TypeError('poisoned'); }; } },
  ]) {
    it(`${name}: waits longer each time, stops after three, keeps what waits, and is told with the next step`, async () => {
      begin();
      const turns = await queue(5);
      assert.deepEqual(await states(turns), ['failed', 'queued', 'queued', 'queued', 'queued']);
      await rig.advance(900);
      assert.deepEqual((await states(turns)).filter((state) => state === 'failed').length, 1);
      await rig.advance(200);
      assert.deepEqual((await states(turns)).filter((state) => state === 'failed').length, 2);
      await rig.advance(1_800);
      assert.deepEqual((await states(turns)).filter((state) => state === 'failed').length, 2);
      await rig.advance(300);
      assert.deepEqual(await states(turns), ['failed', 'failed', 'failed', 'queued', 'queued']);
      await rig.advance(600_000);
      assert.deepEqual(await states(turns), ['failed', 'failed', 'failed', 'queued', 'queued']);
      assert.deepEqual([session().lastErrorCode, session().queue.paused, session().executor.state], ['session_quarantined', true, 'connected']);
      const { detail } = await rig.turn(turns[2]!);
      assert.ok(detail !== null && detail.length > 20, String(detail));
      assert.deepEqual(rig.ended, []);
    });
  }

  it('Try Again begins at once, however long the last pause was, and one more crash is enough to be held again', async () => {
    rig.play = () => Promise.resolve(crash);
    const turns = await queue(5);
    await rig.advance(10_000);
    await rig.story.onSession('queue/resume');
    await rig.advance(10);
    assert.deepEqual(await states(turns), ['failed', 'failed', 'failed', 'failed', 'queued']);
    assert.equal(session().lastErrorCode, 'session_quarantined');
    rig.play = () => Promise.resolve(done);
    await rig.story.onSession('queue/resume');
    await rig.advance(10);
    assert.deepEqual(await states(turns), ['failed', 'failed', 'failed', 'failed', 'completed']);
    assert.deepEqual([session().lastErrorCode, session().queue.paused], [null, false]);
  });

  it('Restart Agent ends the pause', async () => {
    rig.play = () => Promise.resolve(crash);
    const turns = await queue(2);
    rig.play = () => Promise.resolve(done);
    await rig.host.restartAgent();
    await rig.advance(10);
    assert.deepEqual(await states(turns), ['failed', 'completed']);
  });

  it('a turn that ends in another way makes no pause', async () => {
    rig.play = () => Promise.resolve({ outcome: 'failed', code: 'agent_error', message: 'The model did not answer.', next: 'Try again.', usage: null });
    const turns = await queue(5);
    await rig.advance(10);
    assert.deepEqual(await states(turns), Array(5).fill('failed'));
    assert.equal(session().lastErrorCode, 'agent_error');
  });

  it('a session that is left in the middle of a pause ends at once', async () => {
    rig.play = () => Promise.resolve(crash);
    await queue(2);
    const ended = rig.host.dispose();
    await rig.advance(0);
    await ended;
  });
});
