import assert from 'node:assert/strict';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { CliRun } from '../../support/cliRun.ts';
import { eventually } from '../../support/eventually.ts';
import { JumpClock } from '../../support/jumpClock.ts';
import { newCommand } from '../../support/testHost.ts';
import { fakeAgent } from '../support/fakeAgent.ts';
import type { FakeScript } from '../support/fakeScript.ts';
import { HostStory, type StorySession } from '../support/hostStory.ts';

const healthy: FakeScript = { prompts: [{ steps: [{ text: 'well again' }] }] };

describe('R10 an agent that goes down again and again', () => {
  let story: HostStory;
  before(async () => {
    story = await HostStory.start();
  });
  after(() => story.stop());

  const states = async (turns: readonly Turn[]): Promise<string[]> => Promise.all(turns.map(async ({ turnId }) => (await (await story.viewer()).call('turn/get', { turnId })).turn.state));
  const cli = (...args: string[]): CliRun => new CliRun(args, { dataRoot: story.gateway.dataRoot, cwd: story.folder, terminal: true });

  /** Lets the host's pauses pass until the session is held. */
  const untilHeld = (session: StorySession, clock: JumpClock): Promise<unknown> => eventually('the session to be held', async () => {
    clock.jump(1_000);
    return (await session.view()).session.lastErrorCode === 'session_quarantined';
  }, 60_000);

  for (const { name, script } of [
    { name: 'at each start', script: { onStart: [{ stderr: 'no licence' }, { crash: { code: 3 } }] } },
    { name: 'with each turn', script: { prompts: [{ steps: [{ text: 'half' }, { crash: { signal: 'SIGSEGV' as const } }] }] } },
  ]) {
    it(`${name}: three of five messages are tried, two wait; the command line says so everywhere; others live on; trying again runs them`, async () => {
      const clock = new JumpClock();
      const agent = fakeAgent(script, story.gateway.folder('scripts'), `loop-${name.replaceAll(' ', '-')}`);
      const session = await story.session({ agent, clock, goal: `loop-${name.replaceAll(' ', '-')}` });
      const turns: Turn[] = [];
      for (let n = 0; n < 5; n += 1) turns.push(await session.submit(`message ${String(n)}`));
      await untilHeld(session, clock);
      assert.deepEqual(await states(turns), ['failed', 'failed', 'failed', 'queued', 'queued']);
      const { items, session: held } = await session.view();
      assert.deepEqual([held.queue.paused, held.queue.pending], [true, 2]);
      assert.deepEqual(items.flatMap(({ data, turnId }) => (data.kind === 'notice' && data.code === 'session_quarantined' ? [turnId] : [])), [turns[2]!.turnId]);

      const other = await story.session({ agent: fakeAgent(healthy, story.gateway.folder('scripts'), `other-${name.replaceAll(' ', '-')}`), goal: 'other' });
      assert.equal((await other.endOf(await other.submit('hello'))).state, 'completed');

      const id = session.sessionId.slice(-8);
      const said = await Promise.all([cli('sessions'), cli('doctor'), cli('send', id, 'one more')].map(async (run) => {
        await run.done;
        return `${run.stdout}\n${run.stderr}`;
      }));
      assert.match(said[0]!, /held/);
      assert.match(said[1]!, /held sessions.*1 session is held.*Try Again[^]*attache retry ID/i);
      assert.match(said[2]!, /This session is held[^]*attache retry/);

      agent.rewrite(healthy);
      const retry = cli('retry', id);
      assert.equal(await retry.done, 0, retry.stderr);
      await eventually('all that waits to run', async () => (await session.view()).session.queue.pending === 0 && (await session.view()).session.status === 'ready');
      assert.deepEqual((await session.view()).turns.slice(3).map(({ state }) => state), ['completed', 'completed', 'completed', 'completed']);
      assert.equal((await session.view()).session.lastErrorCode, null);
    });
  }

  it('is held also for the next gateway, and Try Again counts there', async () => {
    const clock = new JumpClock();
    const agent = fakeAgent({ onStart: [{ crash: { code: 1 } }] }, story.gateway.folder('scripts'), 'loop-restart');
    const session = await story.session({ agent, clock, goal: 'loop-restart' });
    for (let n = 0; n < 4; n += 1) await session.submit(`message ${String(n)}`);
    await untilHeld(session, clock);
    await story.gateway.kill9();
    await story.gateway.restart();
    await session.link.open();
    assert.equal((await session.view()).session.lastErrorCode, 'session_quarantined');
    agent.rewrite(healthy);
    await (await story.viewer()).call('queue/resume', { commandId: newCommand(), sessionId: session.sessionId });
    await eventually('the last message to run', async () => (await session.view()).turns.at(-1)?.state === 'completed');
  });
});
