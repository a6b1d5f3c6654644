import assert from 'node:assert/strict';
import { CoreHarness, refused } from './support/coreHarness.ts';
import { answerOf, hex, Story } from './support/story.ts';

const NEW_HOST = { hostSessionId: hex('fork'), hostSurface: 'vscode' as const, executorEndpointId: 'offline', attachedCapabilities: ['interrupt' as const] };

describe('fork', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const fork = (turnId: string, commandId = story.host.command()) => story.host.call('session/fork', { commandId, turnId, ...NEW_HOST });

  it('is a new conversation of the same goal, with what was said up to the turn for the person to carry over', async () => {
    const first = await story.run('claim-1', 'question one');
    await story.complete(first, answerOf('answer one'));
    const second = await story.run('claim-2', 'question two');
    await story.complete(second, answerOf('answer two'), { claimId: 'claim-2', completionId: 'c2' });
    const { session, context } = await fork(first, 'fork-1');
    assert.deepEqual(await fork(first, 'fork-1'), { session, context });
    assert.equal(context, 'User: question one\n\nAgent: answer one');
    assert.ok(session.sessionId !== story.sessionId && session.channelId !== story.channelId);
    assert.deepEqual([session.goalId, session.lifetime, session.bindingMatch, session.status, session.queue.pending], ['goal', 1, 'current', 'ready', 0]);
    const copy = story.host.snapshot(session.sessionId);
    assert.deepEqual([copy.turns, copy.items], [[], []], 'nothing is carried over by itself');
  });

  it('leaves out what was taken back before it was read', async () => {
    const { turn } = await story.submit('never mind');
    await story.cancel(turn.turnId);
    await story.onSession('queue/resume');
    const turnId = await story.run('claim-1', 'question');
    await story.complete(turnId, answerOf('answer'));
    assert.equal((await fork(turnId)).context, 'User: question\n\nAgent: answer');
  });

  it('hands over no more than it says, the end of it', async () => {
    const turnId = await story.run('claim-1', 'x'.repeat(30_000));
    await story.complete(turnId, answerOf('the end'));
    const { context } = await fork(turnId);
    assert.deepEqual([context.length, context.endsWith('Agent: the end')], [20_000, true]);
  });

  it('is decided like new work', async () => {
    const { turn } = await story.submit();
    await story.recreate();
    await refused(gw, 'stale_goal_instance', () => fork(turn.turnId));
    await story.onSession('session/close');
    await refused(gw, 'session_closed', () => fork(turn.turnId));
  });
});
