import assert from 'node:assert/strict';
import type { CoreMethod } from '../../../src/gateway/core.ts';
import { methods, type MethodName } from '../../../src/protocol/methods.ts';
import { CoreHarness, rejection, WORKSPACE, type TestClient } from './support/coreHarness.ts';
import { attachParams, command, digestOf, hex, itemStart, Story } from './support/story.ts';

type Params = Record<string, unknown>;
/** A command that succeeds, once with its parameters and once with others under the same key. */
type Case = (story: Story) => Promise<{ readonly params: Params; readonly other: Params }>;

const NEW_HOST = { hostSessionId: hex('elsewhere'), hostSurface: 'vscode', executorEndpointId: 'offline', attachedCapabilities: [] };
const KEY = { commandId: 'the-key' };
const onSession = ({ sessionId }: Story): Params => ({ ...KEY, sessionId });
const changed = (params: Params, change: Params) => ({ params, other: { ...params, ...change } });
const other = async ({ gw }: Story): Promise<string> => (await Story.begin(gw, { goalId: 'other', hostSessionId: hex('other') })).sessionId;
const goal = (more: Params): Params => ({ ...KEY, workspace: WORKSPACE, goalId: 'goal', ...more });
const waiting = async (story: Story): Promise<{ first: string; second: string }> => ({ first: (await story.submit('one')).turn.turnId, second: (await story.submit('two')).turn.turnId });
/** A rule that was made of a permission. */
const remembered = async (story: Story, text: string): Promise<string> => {
  const { approvalId, actionDigest } = await story.ask(command(text));
  const pattern = { kind: 'command' as const, match: 'exact' as const, argv: text.split(' '), cwd: WORKSPACE };
  const { grant } = await story.host.call('approval/decide', { commandId: story.host.command(), approvalId, actionDigest, optionId: 'allow', remember: { scope: 'workspace', pattern } });
  return grant?.grantId ?? assert.fail('no rule was made');
};
const forSessions: Case = async (story) => changed(onSession(story), { sessionId: await other(story) });

/** Every command and every host command that has a key: `null` where repeating is harmless because it has no effect of its own but to say what is. */
const CASES: Partial<Record<MethodName, Case | null>> = {
  'goal/create': async () => changed({ ...KEY, workspace: WORKSPACE, title: 'A' }, { title: 'B' }),
  'goal/update': async () => changed(goal({ title: 'A' }), { title: 'B' }),
  'goal/retire': async () => changed(goal({ expectedLifetime: 1 }), { expectedLifetime: 2 }),
  'goal/recreate': async () => changed(goal({ expectedLifetime: 1 }), { expectedLifetime: 2 }),
  'session/attach': async ({ host }) => changed({ ...attachParams(host, { hostSessionId: hex('new') }), ...KEY }, { title: 'other' }),
  'session/resume': forSessions,
  'session/rename': async (story) => changed({ ...onSession(story), title: 'A' }, { title: 'B' }),
  'session/replaceExecutor': async (story) => changed({ ...onSession(story), ...NEW_HOST }, { executorEndpointId: 'other' }),
  'session/delete': forSessions,
  'session/undelete': async (story) => {
    await story.host.call('session/delete', { commandId: 'before', sessionId: story.sessionId });
    return forSessions(story);
  },
  'session/close': forSessions,
  'session/configure': async (story) => changed({ ...onSession(story), changes: { permissionMode: 'acceptEdits' } }, { changes: { permissionMode: 'ask' } }),
  'session/pin': async (story) => changed({ ...onSession(story), pinned: true }, { pinned: false }),
  'session/archive': async (story) => changed({ ...onSession(story), archived: true }, { archived: false }),
  'turn/cancel': async (story) => {
    const { first, second } = await waiting(story);
    return changed({ ...KEY, turnId: first }, { turnId: second });
  },
  'turn/steer': async (story) => changed({ ...onSession(story), turnId: await story.run(), text: 'A' }, { text: 'B' }),
  'turn/reverted': async (story) => {
    const turnId = await story.run();
    await story.complete(turnId);
    return changed({ ...KEY, turnId, again: false, files: [{ path: '/w/a.txt', label: 'a.txt', before: 'a'.repeat(64), after: null }] }, { again: true });
  },
  'queue/edit': async (story) => changed({ ...KEY, turnId: (await waiting(story)).first, text: 'A', expectedRev: 1 }, { text: 'B' }),
  'queue/remove': async (story) => {
    const { first, second } = await waiting(story);
    return changed({ ...KEY, turnId: first }, { turnId: second });
  },
  'queue/reorder': async (story) => {
    const { first, second } = await waiting(story);
    return changed({ ...onSession(story), turnIds: [second, first] }, { turnIds: [first, second] });
  },
  'queue/pause': forSessions,
  'queue/resume': forSessions,
  'approval/request': async (story) => {
    await story.run();
    return changed({
      ...onSession(story), claimId: 'claim-1', title: 'A', subject: { kind: 'question', detail: '' }, options: [{ optionId: 'a', name: 'A', kind: 'allow_once' }], actionDigest: digestOf('x'),
    }, { title: 'B' });
  },
  'approval/withdraw': async (story) => {
    await story.run();
    const [first, second] = [await story.ask(), await story.ask()];
    return changed({ ...onSession(story), claimId: 'claim-1', approvalId: first.approvalId }, { approvalId: second.approvalId });
  },
  'approval/decide': async (story) => {
    await story.run();
    const { approvalId, actionDigest } = await story.ask();
    return changed({ ...KEY, approvalId, actionDigest, optionId: 'allow' }, { optionId: 'deny' });
  },
  'grant/revoke': async (story) => {
    await story.run();
    const [first, second] = [await remembered(story, 'npm test'), await remembered(story, 'npm start')];
    return changed({ ...KEY, grantId: first }, { grantId: second });
  },
  'gateway/freeSpace': async (story) => {
    const { planId } = await story.host.call('gateway/freeSpace', { commandId: 'look', dryRun: true });
    return changed({ ...KEY, planId }, { planId: 'another' });
  },
  'turn/submit': async ({ sessionId }) => changed({ sessionId, clientTurnId: 'the-key', text: 'A' }, { text: 'B' }),
  'turn/retry': async (story) => {
    const turnId = await story.run();
    await story.complete(turnId);
    return changed({ ...KEY, turnId, clientTurnId: 'again' }, { clientTurnId: 'other' });
  },
  'session/fork': async (story) => {
    const turnId = await story.run();
    await story.complete(turnId);
    return changed({ ...KEY, turnId, ...NEW_HOST }, { title: 'other' });
  },
  // Keys of their own, whose repeats have tests of their own (claim, report, complete, blob, the server's drain and shutdown); a presence has no effect to repeat.
  'host/register': null, 'host/unregister': null, 'host/claim': null, 'host/renew': null, 'host/report': null, 'host/agent': null, 'host/complete': null, 'blob/put': null,
  'gateway/drain': null, 'gateway/shutdown': null,
};

describe('every command has its receipt', () => {
  it('B12 there is a case for every method that changes something', () => {
    const commands = Object.entries(methods).filter(([, { kind }]) => kind !== 'query').map(([name]) => name);
    assert.deepEqual(commands.filter((name) => !(name in CASES)), []);
  });

  for (const [name, make] of Object.entries(CASES)) {
    if (make === null) continue;
    it(`B12 ${name}: the same key has one effect and one answer, with other parameters it is refused`, async () => {
      const gw = new CoreHarness();
      const story = await Story.begin(gw, { capabilities: ['interrupt', 'session_queue', 'claim_wait', 'live_steering'] });
      const { params, other: others } = await make(story);
      const call = (with_: Params, by: TestClient = story.host): Promise<unknown> => by.call(name as CoreMethod, with_ as never);
      const first = await call(params);
      const [rows, published] = [gw.dump(), gw.published.length];
      const again = await call(params);
      // A message that came before is answered as it is now, and says that it was not made by this call.
      assert.deepEqual(again, 'created' in (first as object) && name === 'turn/submit' ? { ...(first as object), created: false } : first);
      assert.deepEqual([gw.dump(), gw.published.length], [rows, published], 'no second effect');
      assert.equal((await rejection(() => call(others))).kind, 'idempotency_conflict');
      assert.deepEqual([gw.dump(), gw.published.length], [rows, published]);
      gw.close();
    });
  }

  it('B12 a report that comes twice is stored once', async () => {
    const story = await Story.begin();
    await story.run();
    const first = await story.reportAs(1, [itemStart('a')]);
    const rows = story.gw.dump();
    assert.deepEqual(await story.reportAs(1, [itemStart('a')]), first);
    assert.deepEqual(story.gw.dump(), rows);
    story.gw.close();
  });
});
