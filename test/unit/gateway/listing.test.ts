import assert from 'node:assert/strict';
import { CoreHarness, WORKSPACE } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

describe('a list of sessions', () => {
  let gw: CoreHarness;
  let reads: number;

  beforeEach(() => {
    gw = new CoreHarness();
    gw.observe = ({ kind }) => {
      if (kind === 'read') reads += 1;
    };
  });
  afterEach(() => gw.close());

  const begin = (n: number): Promise<Story> => Story.begin(gw, { hostSessionId: String(n).padStart(32, '0'), goalId: n % 3 === 0 ? 'goal' : `goal-${n}` });

  async function sessions(count: number): Promise<Story[]> {
    const stories: Story[] = [];
    for (let n = 0; n < count; n++) stories.push(await begin(n));
    return stories;
  }

  it('costs as many reads as one of a single session', async () => {
    const first = await begin(0);
    const cost = async (): Promise<number[]> => {
      const costs: number[] = [];
      for (const look of [() => first.host.call('session/list', { workspace: WORKSPACE }), () => first.host.workspace(WORKSPACE), () => gw.core.bindings()]) {
        reads = 0;
        await look();
        costs.push(reads);
      }
      return costs;
    };
    const one = await cost();
    for (let n = 1; n < 30; n++) await begin(n);
    assert.deepEqual(await cost(), one);
    assert.ok(one.every((n) => n > 0 && n < 10), `it takes ${one.join(', ')} reads`);
  });

  it('says of each session what the session itself says, whatever state it is in', async () => {
    const stories = await sessions(8);
    const [older, queued, running, left, asking, retired, damaged, closed] = stories as [Story, Story, Story, Story, Story, Story, Story, Story];
    await queued.submit();
    await queued.submit();
    await running.run();
    await asking.run();
    await asking.ask();
    await older.recreate();
    await retired.host.call('goal/retire', { commandId: retired.host.command(), workspace: WORKSPACE, goalId: retired.goalId, expectedLifetime: 1 });
    await closed.onSession('session/close');
    damaged.tamper('sessions', { goalInstanceId: 'broken' }, `sessionId = '${damaged.sessionId}'`);
    left.host.disconnect();
    const listed = (await queued.host.call('session/list', { workspace: WORKSPACE, includeClosed: true })).sessions;
    const all = stories.map(({ sessionId }) => queued.host.snapshot(sessionId).session).map((shown) => ({ ...shown, agent: { ...shown.agent, options: [], commands: [] } }));
    const byId = <T extends { readonly sessionId: string }>(list: readonly T[]): T[] => [...list].sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
    assert.deepEqual(byId(listed), byId(all));
    assert.deepEqual(byId(queued.host.workspace(WORKSPACE).sessions), byId(all.filter(({ status }) => status !== 'closed')));
    assert.equal(new Set(all.map(({ bindingMatch }) => bindingMatch)).size, 4, 'they differ');
    assert.equal(all.filter(({ pendingApprovals }) => pendingApprovals > 0).length, 1);
    assert.equal(all.filter(({ queue }) => queue.pending > 0).length, 1);
  });

  it('of which no goal can be read still comes, and says so', async () => {
    const story = await begin(0);
    gw.observe = ({ sql }) => {
      if (/FROM goals/.test(sql)) throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    };
    const listed = (await story.host.call('session/list', { workspace: WORKSPACE })).sessions;
    assert.deepEqual(listed.map(({ bindingMatch, goalTitle }) => [bindingMatch, goalTitle]), [['invalid', '']]);
  });

  it('leads on from page to page, also where many were touched in the same moment', async () => {
    const stories = await sessions(9);
    stories[0]?.tamper('sessions', { updatedAt: 5000 });
    stories[0]?.tamper('sessions', { updatedAt: 4000 }, `sessionId = '${stories[4]?.sessionId}'`);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await stories[0]!.host.call('session/list', { workspace: WORKSPACE, limit: 2, ...(typeof cursor === 'string' ? { cursor } : {}) });
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.next;
    } while (cursor !== null);
    const ids = stories.map(({ sessionId }) => sessionId).sort().reverse();
    const last = stories[4]!.sessionId;
    assert.deepEqual(seen, [...ids.filter((id) => id !== last), last]);
  });
});
