import assert from 'node:assert/strict';
import { SteadyOrder } from '../../../src/extension/sessionTree/steadyOrder.ts';
import { goalNodeId, LINES, treeModel, type TreeFacts, type TreeModel } from '../../../src/extension/sessionTree/treeModel.ts';
import { plainLabel, sessionLook } from '../../../src/extension/sessions/sessionLook.ts';
import type { Goal } from '../../../src/protocol/goal/state.ts';
import type { Session } from '../../../src/protocol/session/state.ts';

const session = (n: number | string, change: Partial<Session> = {}): Session => ({
  sessionId: `ses_${n}`, workspace: '/w', goalId: `g-aaaaaaaa${n}`.slice(0, 12).padEnd(12, 'a'), title: `S${n}`, pendingApprovals: 0, activeTurnId: null, status: 'ready', pinned: false,
  archivedAt: null, updatedAt: typeof n === 'number' ? n : 0, bindingMatch: 'current', queue: { paused: false, pending: 0, oldestAt: null }, ...change,
}) as unknown as Session;
const goal = (goalId: string, change: Partial<Goal> = {}): Goal => ({ goalId, workspace: '/w', lifetime: 1, title: goalId, objective: '', state: 'live', createdAt: 0, updatedAt: 0, retiredAt: null, ...change }) as unknown as Goal;
const none = { sessions: [], hasMore: false, isLoading: false };
const model = (facts: Partial<TreeFacts>): TreeModel => treeModel({ goals: [], sessions: [], removed: [], older: { hasMore: false, isLoading: false }, putAway: null, at: ({ updatedAt }) => updatedAt, shown: new Map(), ...facts });

/** The lines as they are drawn, with what stands below each. */
function drawn({ roots, nodes }: TreeModel): string[] {
  const below = (ids: readonly string[], depth: string): string[] => ids.flatMap((id) => {
    const node = nodes.get(id);
    return [`${depth}${id}`, ...(node?.kind === 'section' || node?.kind === 'goal' ? below(node.children, `${depth}  `) : [])];
  });
  return below(roots, '');
}

describe('the sessions view', () => {
  it('puts what needs a person first, then what works, then what is pinned, then goals with the newest activity first', () => {
    const two = 'cart' as Goal['goalId'];
    const lines = drawn(model({
      goals: [goal('cart'), goal('empty', { createdAt: 50 as never }), goal('g-2345672345'), goal('g-0189zvkmnp'), goal('old', { state: 'retired' })],
      sessions: [
        session(1), session(2, { goalId: two }), session(3, { goalId: two }), session(4, { pinned: true }), session(5, { activeTurnId: 't' as never }), session(60, { pendingApprovals: 2, goalId: two }),
      ],
    }));
    assert.deepEqual(lines, [
      'section:needsYou', '  ses_60', 'section:working', '  ses_5', 'section:pinned', '  ses_4',
      'goal:/w\nempty', 'goal:/w\ncart', '  ses_3', '  ses_2', 'ses_1',
    ], 'a goal that was made with its only message has no line, nor has one without anything that nobody named');
  });

  it('keeps its lines where they are while sessions only go on; one that comes into another state goes where it belongs', () => {
    const order = new SteadyOrder();
    const works = { activeTurnId: 't' as never };
    const lines = (...sessions: Session[]): string[] => drawn(model({ sessions, at: order.at }));
    assert.deepEqual(lines(session(1, works), session(2, works), session(3)), ['section:working', '  ses_2', '  ses_1', 'ses_3']);
    const later = { updatedAt: 10 as never };
    assert.deepEqual(lines(session(1, { ...works, ...later }), session(2, works), session(3)), ['section:working', '  ses_2', '  ses_1', 'ses_3']);
    assert.deepEqual(lines(session(1, later), session(2, works), session(3)), ['section:working', '  ses_2', 'ses_1', 'ses_3'], 'its turn has ended');
    assert.deepEqual(lines(session(1, later), session(2, works), session(3, { updatedAt: 20 as never })), ['section:working', '  ses_2', 'ses_1', 'ses_3']);
    order.forget();
    assert.deepEqual(lines(session(1, later), session(2, works), session(3, { updatedAt: 20 as never })), ['section:working', '  ses_2', 'ses_3', 'ses_1'], 'looked at anew');
  });

  it('says where the commands of a goal without a line stand', () => {
    const { nodes } = model({ goals: [goal('cart'), goal('tax')], sessions: [session(1, { goalId: 'cart' as never }), session(2, { goalId: 'tax' as never }), session(3, { goalId: 'tax' as never })] });
    const [one, two] = [nodes.get('ses_1'), nodes.get('ses_2')];
    assert.ok(one?.kind === 'session' && one.alone && one.goal?.goalId === 'cart');
    assert.ok(two?.kind === 'session' && !two.alone && two.parent === goalNodeId({ workspace: '/w', goalId: 'tax' as never }));
  });

  it('of thousands draws a bounded number, each once, and leads on to the rest', () => {
    const sessions = Array.from({ length: 5000 }, (_, n) => session(n, n % 5 === 0 ? { goalId: 'big' as never } : {})).map((each, n) => (n % 5 === 0 ? each : { ...each, goalId: `k${n}` as never }));
    const goals = [goal('big'), ...sessions.filter((_, n) => n % 5 !== 0).map(({ goalId }) => goal(goalId))];
    const putAway = { archived: { sessions: [], hasMore: true, isLoading: false }, closed: none };
    const first = model({ goals, sessions, putAway });
    const lines = drawn(first);
    assert.equal(first.roots.length, LINES + 2);
    assert.deepEqual([first.roots.at(-2), first.roots.at(-1)], ['more:', 'section:archived']);
    assert.equal(lines.filter((line) => line.startsWith('  ses_')).length, LINES);
    assert.equal(new Set(lines.map((line) => line.trim())).size, lines.length);
    const next = model({ goals, sessions, putAway, shown: new Map([['', 2 * LINES], [goalNodeId({ workspace: '/w', goalId: 'big' as never }), 3 * LINES]]) });
    assert.equal(next.roots.length, 2 * LINES + 2);
    assert.equal(drawn(next).filter((line) => line.startsWith('  ses_')).length, 3 * LINES);
    const all = model({ goals, sessions, older: { hasMore: true, isLoading: false }, shown: new Map([['', 10_000]]) });
    assert.deepEqual(all.nodes.get(all.roots.at(-1) ?? ''), { kind: 'more', parent: null, shelf: 'older', isLoading: false }, 'what is not in the list is read then');
  });

  it('C27 sessions of a folder that was removed stand by themselves, whatever they do', () => {
    const lines = drawn(model({ sessions: [session(1)], removed: [session(2, { pendingApprovals: 1 }), session(3, { pinned: true })], putAway: { archived: none, closed: { sessions: [], hasMore: true, isLoading: false } } }));
    assert.deepEqual(lines, ['ses_1', 'section:removed', '  ses_3', '  ses_2', 'section:closed', '  more:section:closed']);
  });

  it('what was put away is read when it is opened, and is not shown at all where there is none', () => {
    const closed = { sessions: [session(1, { status: 'closed' })], hasMore: true, isLoading: false };
    assert.deepEqual(drawn(model({ putAway: { archived: none, closed } })), ['section:closed', '  ses_1', '  more:section:closed']);
    assert.deepEqual(drawn(model({ putAway: { archived: none, closed: none } })), []);
  });

  it('a title is text, whatever stands in it', () => {
    assert.equal(plainLabel('$(error) x\n\u001b[31m\u202ey'), '\\$(error) x ⏎ \u241b[31m\\u{202e}y');
    const looks = [
      session(1, { pendingApprovals: 2 }), session(1, { activeTurnId: 't' as never, queue: { paused: false, pending: 1, oldestAt: 0 } as never }), session(1, { status: 'closed' }), session(1, { archivedAt: 1 as never }),
      session(1, { bindingMatch: 'goal_instance_mismatch' }), session(1, { queue: { paused: true, pending: 3, oldestAt: 0 } as never }), session(1),
    ].map((each) => sessionLook(each, true).words);
    assert.deepEqual(looks, ['2 waiting', 'working, 1 queued', 'closed', 'archived', 'stale goal', '3 queued, paused', null]);
    assert.deepEqual(sessionLook(session(1), false).words, 'folder not open here');
  });
});
