import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskPlane } from '../../../src/execution/diskPlane.ts';
import { digestOf } from '../../../src/execution/digest.ts';
import { createProcessTools } from '../../../src/execution/processTools.ts';
import { applyRevert, changesOfTurn, planRevert, type TurnFile } from '../../../src/execution/revertPlan.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { FileChange, Item } from '../../../src/protocol/item/state.ts';
import { expectRefusal } from '../../support/expectRefusal.ts';
import { realClock } from '../../support/realClock.ts';
import { scratchFolder, type ScratchFolder } from '../../support/scratchFolder.ts';

const change = (path: string, before: string | null, after: string, kept?: string | null): FileChange => ({
  path, label: path.slice(1), before: before === null ? null : digestOf(before), after: digestOf(after), added: 0, removed: 0, lines: [], linesCut: false,
  ...(kept === undefined ? {} : { kept: kept === null ? null : digestOf(kept) }),
});
const item = (idx: number, data: unknown, state: Item['state'] = 'completed', outcome: Item['outcome'] = 'known'): Item => ({ itemId: `i${String(idx)}`, idx, state, outcome, data }) as unknown as Item;
const edit = (idx: number, of: FileChange, state?: Item['state'], outcome?: Item['outcome']): Item => item(idx, { kind: 'edit', mode: 'hosted', change: of }, state, outcome);
const approval = (itemId: string, changes: FileChange[], status = 'approved', mode = 'agentApplied'): Approval => ({ itemId, status, subject: { kind: 'edit', mode, changes } }) as unknown as Approval;

describe('what a turn changed', () => {
  it('is the first state and the last of each file', () => {
    assert.deepEqual(changesOfTurn([edit(3, change('/a', '2', '3', '1')), edit(1, change('/a', '1', '2', '1')), edit(2, change('/b', null, 'x', null))], []), [
      { path: '/a', label: 'a', before: digestOf('1'), after: digestOf('3'), exact: true, mixed: false, kept: digestOf('1') },
      { path: '/b', label: 'b', before: null, after: digestOf('x'), exact: true, mixed: false, kept: null },
    ]);
  });

  it('knows when somebody else came between two changes of one file', () => {
    assert.deepEqual(changesOfTurn([edit(1, change('/a', '1', '2')), edit(2, change('/a', 'person', '3')), edit(3, change('/a', '3', '4'))], []).map(({ mixed }) => mixed), [true]);
  });

  it('leaves out what was not done, and takes in what may have been', () => {
    const all = [edit(1, change('/a', '1', '2'), 'declined'), edit(2, change('/b', '1', '2'), 'cancelled'), edit(3, change('/c', '1', '2'), 'failed'), edit(4, change('/d', '1', '2'), 'interrupted', 'unknown')];
    assert.deepEqual(changesOfTurn(all, []).map(({ path }) => path), ['/d']);
  });

  it('what the agent wrote by itself counts when it was allowed', () => {
    const tools = [1, 2, 3, 4].map((idx) => item(idx, { kind: 'tool_call' }, idx === 2 ? 'declined' : 'completed'));
    const approvals = [approval('i1', [change('/a', '1', '2', '1')]), approval('i2', [change('/b', '1', '2')]), approval('i3', [change('/c', '1', '2')], 'rejected'), approval('i4', [change('/d', '1', '2')], 'approved', 'hosted')];
    assert.deepEqual(changesOfTurn(tools, approvals).map(({ path, exact }) => [path, exact]), [['/a', false]]);
  });
});

describe('taking a turn’s changes back', () => {
  let scratch: ScratchFolder;
  let plane: DiskPlane;
  let path: string;

  beforeEach(async () => {
    scratch = await scratchFolder();
    await mkdir(join(scratch.path, 'demo'));
    path = join(scratch.path, 'demo/file');
    plane = new DiskPlane({ root: join(scratch.path, 'demo'), processes: createProcessTools(realClock) });
  });
  afterEach(() => scratch.remove());

  const file = (before: string | null, after: string | null, more: Partial<TurnFile> = {}): TurnFile => ({ path, before, after, exact: true, mixed: false, ...more });
  const clean = (text: string | null): { text: string | null; dirty: boolean } => ({ text, dirty: false });

  /** Plans from what is on disk, carries it out, and gives what is there then. */
  async function revert(of: TurnFile, choice?: 'replace' | 'merge'): Promise<{ verdict: string; left: string | null }> {
    const step = planRevert(of, await plane.read(path), []);
    await applyRevert(plane, step, choice);
    return { verdict: step.verdict, left: await readFile(path, 'utf8').catch(() => null) };
  }

  it('an edit nobody touched since is taken back exactly', async () => {
    await writeFile(path, '\uFEFFa\r\nB\n');
    assert.deepEqual(await revert(file('a\r\nb\n', 'a\r\nB\n')), { verdict: 'clean', left: '\uFEFFa\r\nb\n' });
  });

  it('a file that was created goes, one that was deleted comes back with its bytes', async () => {
    await writeFile(path, 'new\n');
    assert.deepEqual(await revert(file(null, 'new\n')), { verdict: 'clean', left: null });
    assert.deepEqual(await revert(file('old\n', null, { kept: Buffer.from('\uFEFFold\n') })), { verdict: 'clean', left: '\uFEFFold\n' });
  });

  it('what is as before is done, also without a file', async () => {
    assert.deepEqual(await revert(file(null, 'x')), { verdict: 'done', left: null });
    await writeFile(path, 'a\n');
    assert.deepEqual(await revert(file('a\n', 'b\n')), { verdict: 'done', left: 'a\n' });
  });

  it('later work on other lines can be kept, and is not touched without a choice', async () => {
    await writeFile(path, 'person\n2\nagent\n');
    const turn = file('1\n2\n3\n', '1\n2\nagent\n');
    const step = planRevert(turn, clean('person\n2\nagent\n'), []);
    assert.ok(step.verdict === 'changed' && step.by === 'person' && step.merged === 'person\n2\n3\n');
    assert.deepEqual(await revert(turn, 'merge'), { verdict: 'changed', left: 'person\n2\n3\n' });
  });

  it('later work on the same lines, in a new file, and its deletion are told', () => {
    const same = planRevert(file('1\n', 'agent\n'), clean('person\n'), []);
    assert.ok(same.verdict === 'changed' && same.merged === null && same.act === 'restore');
    const created = planRevert(file(null, 'agent\n'), clean('agent\nperson\n'), []);
    assert.ok(created.verdict === 'changed' && created.act === 'delete' && created.target === null);
    const unsaved = planRevert(file(null, 'agent\n'), { text: 'agent\n', dirty: true }, []);
    assert.equal(unsaved.verdict, 'changed');
    const deleted = planRevert(file('1\n', 'agent\n', { kept: Buffer.from('1\n') }), clean(null), []);
    assert.ok(deleted.verdict === 'changed' && deleted.act === 'recreate');
  });

  it('a person’s work between two changes of the turn is not taken away without a choice', () => {
    const step = planRevert(file('1\n', '3\n', { mixed: true }), clean('3\n'), []);
    assert.ok(step.verdict === 'changed' && step.by === 'person' && step.merged === null);
  });

  it('the work of a later turn is told from a person’s', () => {
    const step = planRevert(file('1\n', '2\n'), clean('3\n'), [digestOf('3\n')]);
    assert.ok(step.verdict === 'changed' && step.by === 'turn');
  });

  it('what an agent wrote by itself is given back by its bytes, not under unsaved text', () => {
    const kept = Buffer.from('a\r\nb');
    const own = file('a\r\nb', 'a\nB\n', { exact: false, kept });
    const step = planRevert(own, clean('a\r\nB'), []);
    assert.ok(step.verdict === 'clean' && step.target !== null && 'bytes' in step.target && step.target.bytes === kept);
    const dirty = planRevert(own, { text: 'a\r\nB', dirty: true }, []);
    assert.ok(dirty.verdict === 'clean' && dirty.target !== null && 'text' in dirty.target);
  });

  it('a deleted file that was not kept is lost, and nothing happens', async () => {
    assert.deepEqual(await revert(file('x', null)), { verdict: 'lost', left: null });
  });

  it('a file that changes between plan and act is left alone', async () => {
    await writeFile(path, 'agent\n');
    const step = planRevert(file('1\n', 'agent\n'), await plane.read(path), []);
    await writeFile(path, 'person\n');
    await expectRefusal('edit_conflict', applyRevert(plane, step));
    await rm(path);
    await expectRefusal('file_deleted', applyRevert(plane, step));
    const created = planRevert(file(null, 'agent\n'), clean('agent\n'), []);
    await writeFile(path, 'agent\nperson\n');
    await expectRefusal('edit_conflict', applyRevert(plane, created));
    assert.equal(await readFile(path, 'utf8'), 'agent\nperson\n');
  });
});
