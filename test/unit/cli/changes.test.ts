import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Changes, type Change, type Held } from '../../../src/cli/follow/changes.ts';
import type { Item } from '../../../src/protocol/item/state.ts';
import { hasEnded } from '../../../src/protocol/turn/phase.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';

interface World {
  readonly turns: Turn[];
  readonly items: Item[];
  readonly approvals: Held['approvals'][number][];
}

const session = { title: 't', status: 'ready', bindingMatch: 'current', executor: { state: 'connected' }, queue: { paused: false }, closedAt: null } as Held['session'];
const turn = (n: number, state: Turn['state'] = 'running'): Turn => ({ turnId: `t${n}`, turnIdx: n, state, rev: 1 }) as unknown as Turn;

/** One thing that happens to a session. */
const step = fc.oneof(
  fc.record({ do: fc.constant('say' as const), item: fc.nat(4), text: fc.string({ maxLength: 4 }) }),
  fc.record({ do: fc.constant('replace' as const), item: fc.nat(4), text: fc.string({ maxLength: 4 }) }),
  fc.record({ do: fc.constant('end' as const), item: fc.nat(4) }),
  fc.record({ do: fc.constant('ask' as const), item: fc.nat(4) }),
  fc.record({ do: fc.constant('answer' as const), item: fc.nat(4) }),
  fc.record({ do: fc.constant('endTurn' as const) }),
  // A look at all of it, or at a snapshot in which long texts are cut.
  fc.record({ do: fc.constant('look' as const), cutAt: fc.option(fc.nat(6), { nil: null }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function live(world: World, event: Step): void {
  const current = world.turns.at(-1);
  if (current === undefined) return;
  if (event.do === 'endTurn') return endTurn(world, current);
  if (event.do === 'look') return;
  const itemId = `${current.turnId}i${event.item}`;
  const at = world.items.findIndex((item) => item.itemId === itemId);
  const item = world.items[at];
  if (item === undefined) {
    if (event.do === 'say') world.items.push({ itemId, turnId: current.turnId, turnIdx: current.turnIdx, idx: event.item, rev: 1, state: 'started', text: event.text, textLength: event.text.length, data: { kind: 'agent_message' } } as unknown as Item);
    return;
  }
  if (event.do === 'answer') {
    const asked = world.approvals.findIndex((approval) => approval.itemId === itemId && approval.status === 'pending');
    if (asked >= 0) world.approvals[asked] = { ...world.approvals[asked], status: 'approved' } as World['approvals'][number];
    return;
  }
  if (item.state !== 'started') return;
  if (event.do === 'ask') return void world.approvals.push({ approvalId: `a${world.approvals.length}`, itemId, turnId: current.turnId, status: 'pending' } as unknown as World['approvals'][number]);
  const text = event.do === 'say' ? item.text + event.text : event.do === 'replace' ? event.text : item.text;
  world.items[at] = { ...item, rev: item.rev + 1, text, textLength: text.length, state: event.do === 'end' ? 'completed' : 'started' };
}

function endTurn(world: World, current: Turn): void {
  world.turns[world.turns.length - 1] = { ...current, state: 'completed', rev: current.rev + 1 };
  for (const [at, item] of world.items.entries()) if (item.turnId === current.turnId && item.state === 'started') world.items[at] = { ...item, state: 'completed', rev: item.rev + 1 };
  for (const [at, approval] of world.approvals.entries()) if (approval.turnId === current.turnId && approval.status === 'pending') world.approvals[at] = { ...approval, status: 'cancelled' };
  world.turns.push(turn(current.turnIdx + 1));
}

/** What a reader of the changes holds. */
class Reader {
  readonly texts = new Map<string, string>();
  readonly endedTurns: string[] = [];
  readonly endedItems: string[] = [];
  readonly approvals = new Map<string, string>();

  take(change: Change): void {
    if (change.type === 'text') {
      const known = change.replaces === true ? '' : (this.texts.get(change.itemId) ?? '');
      assert.equal(change.offset, known.length, 'a piece follows the one before');
      assert.ok(change.text !== '' || change.replaces === true);
      this.texts.set(change.itemId, known + change.text);
    }
    if (change.type === 'item' && !this.texts.has(change.item.itemId)) this.texts.set(change.item.itemId, '');
    if (change.type === 'item.ended') this.endedItems.push(change.item.itemId);
    if (change.type === 'approval') {
      assert.notEqual(this.approvals.get(change.approval.approvalId), change.approval.status, 'told once');
      this.approvals.set(change.approval.approvalId, change.approval.status);
    }
    const about = change.type === 'text' ? change.turnId : change.type === 'item' || change.type === 'item.ended' ? change.item.turnId : null;
    if (about !== null) assert.ok(!this.endedTurns.includes(about), 'nothing of a turn comes after its end');
    if (change.type === 'turn.ended') this.endedTurns.push(change.turn.turnId);
  }
}

describe('what is new in a session', () => {
  it('B4 is every character once and every end once, whenever one looks and however much of it a snapshot holds', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const world: World = { turns: [turn(1)], items: [], approvals: [] };
      const reader = new Reader();
      const changes = new Changes(({ itemId }, from) => Promise.resolve(world.items.find((item) => item.itemId === itemId)?.text.slice(from) ?? ''), 1);
      const look = async (cutAt: number | null): Promise<void> => {
        const items = world.items.filter(({ turnIdx }) => turnIdx >= changes.floor).map((item) => (cutAt === null ? item : { ...item, text: item.text.slice(0, cutAt) }));
        for await (const change of changes.since({ session, turns: [...world.turns].filter(({ turnIdx }) => turnIdx >= changes.floor), items, approvals: [...world.approvals] })) reader.take(change);
      };
      for (const event of steps) {
        if (event.do === 'look') await look(event.cutAt);
        else live(world, event);
      }
      await look(null);
      for (const item of world.items) assert.equal(reader.texts.get(item.itemId), item.text);
      assert.deepEqual(reader.endedTurns, world.turns.filter(({ state }) => hasEnded(state)).map(({ turnId }) => turnId));
      assert.deepEqual([...reader.endedItems].sort(), world.items.filter(({ state }) => state !== 'started').map(({ itemId }) => itemId).sort());
      for (const { approvalId, status } of world.approvals) assert.equal(reader.approvals.get(approvalId), status);
      assert.equal(changes.floor, world.turns.at(-1)?.turnIdx);
    }), { numRuns: 300 });
  });
});
