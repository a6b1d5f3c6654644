import assert from 'node:assert/strict';
import { lineDiff } from '../../../src/execution/lineDiff.ts';
import { approvalLenses, changedPlaces, type Mark } from '../../../src/protocol/approval/lenses.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { FileChange } from '../../../src/protocol/item/state.ts';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at}`);
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

function change(before: readonly string[] | null, after: readonly string[], label = 'a.ts'): FileChange {
  const { lines, added, removed, cut } = lineDiff(before === null ? null : text(before), text(after));
  return { path: `/w/${label}`, label, before: null, after: 'a'.repeat(64), added, removed, lines, linesCut: cut } as FileChange;
}

const approval = (changes: readonly FileChange[]): Approval => ({
  subject: { kind: 'edit', mode: 'hosted', changes },
  options: [
    { optionId: 'yes', name: 'Ja, bitte', kind: 'allow_once' },
    { optionId: 'always', name: 'Immer', kind: 'allow_always' },
    { optionId: 'no', name: 'Nein', kind: 'reject_once' },
    { optionId: 'odd', name: 'Who\nknows', kind: 'other' },
  ],
}) as unknown as Approval;

const linesOf = (before: readonly string[] | null, after: readonly string[]): number[] => changedPlaces(change(before, after)).map(({ line }) => line);

describe('the places of a change', () => {
  it('are the lines of the old text that it touches, each stretch by itself', () => {
    const old = numbered(40);
    assert.deepEqual(changedPlaces(change(old, old.flatMap((line, at) => (at === 3 ? [line, 'new'] : at === 6 || at === 30 ? [`${line}!`] : [line])))), [
      { line: 4, toLine: 4, added: 1, removed: 0 }, { line: 6, toLine: 7, added: 1, removed: 1 }, { line: 30, toLine: 31, added: 1, removed: 1 },
    ]);
  });

  it('are lines that exist: an insertion stands before the line that follows, and at the end on the last line', () => {
    const old = numbered(5);
    assert.deepEqual(linesOf(old, [...old.slice(0, 2), 'new', ...old.slice(2)]), [2]);
    assert.deepEqual(linesOf(old, ['new', ...old]), [0]);
    assert.deepEqual(linesOf(old, [...old, 'new', 'newer']), [4]);
  });

  it('of a removal are where it was, of a new or emptied file the first line', () => {
    const old = numbered(5);
    assert.deepEqual(linesOf(old, old.slice(0, 4)), [4]);
    assert.deepEqual(linesOf(old, []), [0]);
    assert.deepEqual(linesOf(null, ['only']), [0]);
  });

  it('agree with the numbers of the lines for every one-line change of a file', () => {
    const old = numbered(30);
    for (let at = 0; at < old.length; at += 1) assert.deepEqual(linesOf(old, old.map((line, own) => (own === at ? 'changed' : line))), [at]);
  });
});

describe('the lenses of a request', () => {
  const old = numbered(30);

  it('say what waits, then give every answer in the agent’s own words', () => {
    const lenses = approvalLenses(approval([]), change(old, old.map((line, at) => (at === 7 ? 'seven' : line))), true);
    assert.deepEqual(lenses.map(({ line, title, does }) => [line, title, does]), [
      [7, 'Attaché: change of a.ts waits, +1 −1', 'show'],
      [7, 'Ja, bitte', 'approve'],
      [7, 'Immer', 'approve'],
      [7, 'Nein', 'reject'],
      [7, 'Who ⏎ knows', 'reject'],
    ]);
  });

  it('stand at every place, and say that an answer is one for all of it', () => {
    const changed = change(old, old.map((line, at) => (at === 2 || at === 20 ? 'x' : line)));
    const lenses = approvalLenses(approval([changed, change(null, ['b'], 'b.ts')]), changed, true);
    assert.deepEqual(lenses.filter(({ does }) => does === 'show').map(({ title }) => title), [
      'Attaché: change 1 of 2 of a.ts waits, +1 −1, with 1 more file', 'Attaché: change 2 of 2 of a.ts waits, +1 −1, with 1 more file',
    ]);
    assert.equal(lenses.filter(({ title }) => title === 'Ja, bitte (all of it)').length, 2);
  });

  it('offer no answer to who may only look', () => {
    const lenses = approvalLenses(approval([]), change(old, []), false);
    assert.deepEqual(lenses.map(({ does }) => does), ['show']);
    assert.match(lenses[0]!.title, /not trusted/);
  });

  it('have one at the top when the lines were left out', () => {
    const bare = { ...change(old, []), lines: [], linesCut: true };
    assert.deepEqual(approvalLenses(approval([]), bare, false).map(({ line, title }) => [line, title.slice(0, 37)]), [[0, 'Attaché: change of a.ts waits, +0 −30']]);
  });

  it('keep a long label and a long answer on one short line', () => {
    const long = { ...change(old, []), label: 'x'.repeat(500) };
    for (const { title } of approvalLenses(approval([]), long, true)) assert.ok(title.length < 200 && !title.includes('\n'));
  });

  describe('of an edit that can be approved in part', () => {
    const changed = (): FileChange => {
      const { hunks } = lineDiff(text(old), text(old.map((line, at) => (at === 2 || at === 20 ? 'x' : line))));
      return { ...change(old, old.map((line, at) => (at === 2 || at === 20 ? 'x' : line))), hunks };
    };
    const shown = (marks?: Readonly<Record<number, Mark>>) => {
      const one = changed();
      return approvalLenses(approval([one]), one, true, marks === undefined ? undefined : ({ hunk }) => marks[hunk]).filter(({ does }) => does !== 'show');
    };

    it('have an answer for each place alone where no marks are kept', () => {
      assert.deepEqual(shown().filter(({ title }) => title.includes('only')).map((lens) => [lens.line, lens.title, lens.does === 'approve' && lens.part]), [
        [2, 'Ja, bitte (only this place)', [[0]]], [20, 'Ja, bitte (only this place)', [[1]]],
      ]);
      assert.equal(shown().filter(({ title }) => title === 'Ja, bitte (all of it)').length, 2);
    });

    it('have a mark for each place, and the answers for all of it once', () => {
      assert.deepEqual(shown({}).map((lens) => [lens.line, lens.title]), [
        [2, 'Approve Change'], [2, 'Reject Change'], [2, 'Ja, bitte (all)'], [2, 'Immer (all)'], [2, 'Nein (all)'], [2, 'Who ⏎ knows (all)'],
        [20, 'Approve Change'], [20, 'Reject Change'],
      ]);
    });

    it('say what is marked, how it is undone, and what an answer would come to', () => {
      assert.deepEqual(shown({ 0: 'approve', 1: 'reject' }).map(({ title }) => title), [
        'To be written · Undo', 'Ja, bitte (1 of 2)', 'Immer (all)', 'Nein (all)', 'Who ⏎ knows (all)', 'Left out · Undo',
      ]);
    });

    it('are none of these where the agent writes, or nobody may answer', () => {
      const one = changed();
      const own = { ...approval([one]), subject: { kind: 'edit', mode: 'agentApplied', changes: [one] } } as Approval;
      assert.deepEqual(approvalLenses(own, one, true, () => undefined).filter(({ does }) => does === 'mark'), []);
      assert.deepEqual(approvalLenses(approval([one]), one, false, () => undefined).map(({ does }) => does), ['show', 'show']);
    });

    it('have the places of hunks of which the lines were left out', () => {
      const bare = { ...changed(), lines: [], linesCut: true };
      assert.deepEqual(changedPlaces(bare).map(({ line }) => line), [2, 20]);
    });
  });
});
