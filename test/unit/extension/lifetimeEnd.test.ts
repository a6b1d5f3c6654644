import assert from 'node:assert/strict';
import type { GatewayCalls } from '../../../src/client/gatewayClient.ts';
import { endedInWords, endInWords, lifetimeEnd } from '../../../src/extension/sessions/lifetimeEnd.ts';
import type { Goal } from '../../../src/protocol/goal/state.ts';
import { CoreHarness, WORKSPACE } from '../gateway/support/coreHarness.ts';
import { Story } from '../gateway/support/story.ts';

describe('what the end of a lifetime is said to do', () => {
  let gw: CoreHarness;
  beforeEach(() => {
    gw = new CoreHarness();
  });
  afterEach(() => gw.close());

  const goal = async (goalId = 'goal'): Promise<Goal> => (await gw.client('asker').call('goal/get', { workspace: WORKSPACE, goalId })).goal;
  const foreseen = async (): Promise<Awaited<ReturnType<typeof lifetimeEnd>>> => lifetimeEnd(gw.client('asker') as unknown as GatewayCalls, await goal());

  it('A45 is what it then does, for the sessions of every window', async function () {
    this.timeout(30_000);
    const stories: Story[] = [];
    // More than one page of them.
    for (let n = 0; n < 205; n += 1) stories.push(await Story.begin(gw, { hostSessionId: n.toString(16).padStart(32, '0') }));
    const [busy, queued, closed] = stories;
    await busy?.run();
    await busy?.ask();
    await busy?.submit();
    await queued?.submit('one');
    await queued?.submit('two');
    await closed?.onSession('session/close');
    await Story.begin(gw, { goalId: 'other', hostSessionId: 'f'.repeat(32) });
    const end = await foreseen();
    assert.deepEqual(end, { sessions: 204, queued: 3, requests: 1, running: 1 });
    const { sessionsEnded, turnsEnded } = await busy?.recreate() ?? assert.fail();
    assert.deepEqual([sessionsEnded, turnsEnded], [end.sessions, end.queued]);
    assert.deepEqual(await foreseen(), { sessions: 0, queued: 0, requests: 0, running: 0 }, 'sessions of the old life are history already');
  });

  it('is nothing for a goal that is retired', async () => {
    const story = await Story.begin(gw);
    await story.retire();
    assert.deepEqual(await foreseen(), { sessions: 0, queued: 0, requests: 0, running: 0 });
  });

  it('is said in words', () => {
    assert.equal(endInWords({ sessions: 2, queued: 3, requests: 1, running: 1 }), '2 sessions become history, 3 queued turns end. 1 waiting request is withdrawn. 1 running turn may still finish.');
    assert.equal(endInWords({ sessions: 1, queued: 0, requests: 0, running: 0 }), '1 session becomes history, 0 queued turns end.');
    assert.equal(endedInWords(1, 2), '1 session is history now, 2 queued turns have ended.');
  });
});
