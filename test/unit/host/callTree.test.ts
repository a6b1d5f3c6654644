import assert from 'node:assert/strict';
import { CallTree } from '../../../src/host/callTree.ts';
import { asksAbout, UnaskedActs } from '../../../src/host/unaskedActs.ts';
import type { ReportOp } from '../../../src/protocol/host/commands.ts';
import type { ItemKey } from '../../../src/protocol/ids.ts';
import type { ItemState } from '../../../src/protocol/item/state.ts';
import { key } from '../../support/testHost.ts';

type End = Extract<ReportOp, { op: 'item.end' }>;

const start = (itemKey: string, toolKind: string, title = itemKey, parent?: string): ReportOp =>
  ({ op: 'item.start', itemKey: key(itemKey), data: { kind: 'tool_call', toolKind, title, locations: [] }, ...(parent === undefined ? {} : { parent: key(parent) }) });
const end = (itemKey: string, state: Exclude<ItemState, 'started'> = 'completed'): End => ({ op: 'item.end', itemKey: key(itemKey), state });

describe('CallTree', () => {
  function nested(): CallTree {
    const tree = new CallTree();
    for (const op of [start('task', 'think', 'Look into it'), start('inner', 'execute', 'ls', 'task'), start('deep', 'think', 'Deeper', 'task'), start('deepest', 'edit', 'a.txt', 'deep'), start('own', 'execute', 'pwd')]) tree.take(op);
    return tree;
  }

  it('names who acts by the call around it, and the agent itself not at all', () => {
    const tree = nested();
    assert.deepEqual(['own', 'task', 'inner', 'deepest', 'unheard-of'].map((name) => tree.actor(key(name))), [null, null, 'Look into it', 'Deeper', null]);
    tree.take({ op: 'item.update', itemKey: key('task'), data: { kind: 'tool_call', toolKind: 'think', title: 'Look again', locations: [] } });
    assert.equal(tree.actor(key('inner')), 'Look again');
  });

  it('takes back what a sub-agent asks when its call comes to nothing, all the way down, and nothing else', () => {
    const tree = nested();
    tree.take(end('task', 'failed'));
    assert.deepEqual(['task', 'inner', 'deepest', 'own'].map((name) => tree.orphaned(key(name)).aborted), [false, true, true, false]);
  });

  it('leaves a sub-agent alone that goes on in the background', () => {
    const tree = nested();
    tree.take(end('task', 'completed'));
    assert.equal(tree.orphaned(key('inner')).aborted, false);
  });
});

describe('C42 acts that were not asked about', () => {
  const all = { calls: new CallTree(), marks: true, isAskedAbout: () => true, standing: () => null, newKey: () => key('notice') };

  /** Plays calls, each with what it was asked for, and says which ends were flagged. */
  function flagged(calls: readonly { readonly kind: string; readonly state?: Exclude<ItemState, 'started'>; readonly asked?: 'itself' | 'unknown' }[], options: Partial<typeof all> = {}): boolean[] {
    const tree = new CallTree();
    const acts = new UnaskedActs({ ...all, ...options, calls: tree });
    return calls.map(({ kind, state, asked }, index) => {
      const itemKey = `${kind}-${String(index)}`;
      tree.take(start(itemKey, kind));
      if (asked !== undefined) tree.asked(asked === 'itself' ? key(itemKey) : null, kind);
      tree.take(end(itemKey, state));
      const [op] = acts.flagged(end(itemKey, state));
      return op?.op === 'item.end' && op.data?.kind === 'tool_call' && op.data.unasked === true;
    });
  }

  it('are changes that were made and commands that were run, and nothing that only looks', () => {
    assert.deepEqual(flagged([{ kind: 'edit' }, { kind: 'delete' }, { kind: 'move' }, { kind: 'execute' }, { kind: 'execute', state: 'failed' }]), Array(5).fill(true));
    assert.deepEqual(flagged([{ kind: 'read' }, { kind: 'search' }, { kind: 'think' }, { kind: 'other' }, { kind: 'edit', state: 'failed' }, { kind: 'execute', state: 'declined' }, { kind: 'execute', state: 'cancelled' }]), Array(7).fill(false));
  });

  it('are none that were asked about, under their own name or under one that is not known', () => {
    assert.deepEqual(flagged([{ kind: 'edit', asked: 'itself' }, { kind: 'execute', asked: 'unknown' }, { kind: 'execute' }]), [false, false, true]);
  });

  it('a request under another id stands for one act with the same title, not for a second one', () => {
    const tree = new CallTree();
    const acts = new UnaskedActs({ ...all, calls: tree });
    const asked = key('asked');
    tree.take(start('asked', 'execute', 'touch a'));
    tree.asked(asked, 'execute');
    const marks = ['one', 'two'].map((name) => {
      tree.take(start(name, 'execute', 'touch a'));
      return acts.flagged(end(name)).some((op) => op.op === 'item.end' && op.data !== undefined);
    });
    assert.deepEqual(marks, [false, true]);
  });

  it('are told in words once in a turn, below the call, with the rule that the person gave the agent', () => {
    const tree = new CallTree();
    const acts = new UnaskedActs({ ...all, calls: tree, standing: (kind) => (kind === 'edit' ? 'Yes, allow all edits' : null) });
    const told = ['edit', 'execute'].map((kind) => {
      tree.take(start(kind, kind));
      return acts.flagged(end(kind)).flatMap((op) => (op.op === 'item.start' ? [op] : []));
    });
    assert.deepEqual(told.map(({ length }) => length), [1, 0]);
    const [notice] = told[0]!;
    assert.ok(notice!.data.kind === 'notice' && notice!.data.code === 'not_asked' && notice!.parent === ('edit' as ItemKey));
    assert.match(notice!.text ?? '', /without asking: edit\..*not kept.*“Yes, allow all edits”/);
  });

  it('are told in words alone where an older gateway would not take the mark', () => {
    const tree = new CallTree();
    const acts = new UnaskedActs({ ...all, calls: tree, marks: false });
    tree.take(start('e', 'edit'));
    const [ended, notice] = acts.flagged(end('e'));
    assert.deepEqual([ended, notice?.op], [end('e'), 'item.start']);
  });

  it('are none where a setting or the permission mode allows them', () => {
    assert.deepEqual([asksAbout('edit', {}, 'ask'), asksAbout('command', {}, undefined), asksAbout('edit', { edit: 'deny' }, 'ask')], [true, true, true]);
    assert.deepEqual([asksAbout('edit', { edit: 'allow' }, 'ask'), asksAbout('edit', {}, 'acceptEdits'), asksAbout('command', {}, 'acceptEdits')], [false, false, true]);
    assert.deepEqual([asksAbout('edit', { edit: 'allow' }, 'askAlways'), asksAbout('command', { command: 'allow' }, 'readOnly')], [true, true]);
  });
});
