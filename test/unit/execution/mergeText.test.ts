import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergeText } from '../../../src/execution/mergeText.ts';
import { lineDiff } from '../../../src/execution/lineDiff.ts';

describe('mergeText', () => {
  it('C10 CRLF stays CRLF when the new text comes with LF', () => {
    assert.deepEqual(mergeText('a\r\nb\r\nc\r\n', 'a\r\nb\r\nc\r\n', 'a\nB\nb2\nc\n'), { after: 'a\r\nB\r\nb2\r\nc\r\n', conflict: false });
  });

  it('C10 LF stays LF when the new text comes with CRLF', () => {
    assert.equal(mergeText('a\nb\n', 'a\nb\n', 'a\r\nB\r\n').after, 'a\nB\n');
  });

  it('C10 mixed ends: only the touched lines change, and no final newline appears', () => {
    const text = 'a\r\nb\nc\r\nd';
    assert.equal(mergeText(text, text, 'a\nb\nX\nd').after, 'a\r\nb\nX\r\nd');
    assert.equal(mergeText(text, text, 'a\nb\nX\nd\n').after, 'a\r\nb\nX\r\nd');
    assert.equal(mergeText(text, text, 'a\nb\nc\nd\ne').after, 'a\r\nb\nc\r\nd\r\ne');
  });

  it('a final newline stays when the new text lacks it', () => {
    assert.equal(mergeText('a\nb\n', 'a\nb\n', 'a\nc').after, 'a\nc\n');
  });

  it('a file without any line end takes those of the new text', () => {
    assert.equal(mergeText('a', 'a', 'a\r\nb').after, 'a\r\nb');
    assert.equal(mergeText('', '', 'x\ny\n').after, 'x\ny\n');
  });

  it('an empty result is possible', () => {
    assert.equal(mergeText('a\n', 'a\n', '').after, '');
  });

  it('C09 changes on other lines are carried over', () => {
    const base = '1\n2\n3\n4\n5\n';
    assert.deepEqual(mergeText(base, '1\nmine\n3\n4\n5\n', '1\n2\n3\n4\nagent\n'), { after: '1\nmine\n3\n4\nagent\n', conflict: false });
  });

  it('C09 changes on neighbouring lines are carried over', () => {
    assert.deepEqual(mergeText('1\n2\n', '1\nmine\n', 'agent\n2\n'), { after: 'agent\nmine\n', conflict: false });
  });

  it('C09 the same line changed by both is a conflict, shown as the wanted text', () => {
    assert.deepEqual(mergeText('1\n2\n3\n', '1\nmine\n3\n', '1\nagent\n3\n'), { after: '1\nagent\n3\n', conflict: true });
  });

  it('two insertions at one place are a conflict, the same insertion is not', () => {
    assert.equal(mergeText('1\n2\n', '1\nmine\n2\n', '1\nagent\n2\n').conflict, true);
    assert.deepEqual(mergeText('1\n2\n', '1\nsame\n2\n', '1\nsame\n2\n'), { after: '1\nsame\n2\n', conflict: false });
  });

  it('a file that was deleted or created meanwhile is a conflict', () => {
    assert.equal(mergeText('a\n', null, 'b\n').conflict, true);
    assert.equal(mergeText(null, 'a\n', 'b\n').conflict, true);
    assert.deepEqual(mergeText(null, null, 'b\r\n'), { after: 'b\r\n', conflict: false });
  });

  it('an unchanged base gives the wanted lines, whatever the line ends', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 });
    fc.assert(fc.property(lines, lines, fc.constantFrom('\n', '\r\n'), (from, to, eol) => {
      const current = from.map((line) => line + eol).join('');
      const wanted = to.map((line) => `${line}\n`).join('');
      const { after } = mergeText(current, current, wanted);
      assert.equal(after.replaceAll('\r\n', '\n'), wanted);
      if (from.length > 0) assert.equal(after.replaceAll(eol, '').includes('\n'), false);
    }));
  });

  it('an untouched side never loses the other side’s change', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 }).map((list) => list.map((line) => `${line}\n`).join(''));
    fc.assert(fc.property(lines, lines, (base, current) => {
      assert.deepEqual(mergeText(base, current, base), { after: current, conflict: false });
    }));
  });
});

describe('lineDiff', () => {
  it('shows the change with three lines of context and counts it', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${String(index + 1)}\n`).join('');
    const diff = lineDiff(before, before.replace('line 10\n', 'line ten\nand more\n'));
    assert.deepEqual([diff.added, diff.removed, diff.cut], [2, 1, false]);
    assert.deepEqual(diff.lines.map(({ t, text }) => t + text), [
      '@@@ -7,7 +7,8 @@', ' line 7', ' line 8', ' line 9', '-line 10', '+line ten', '+and more', ' line 11', ' line 12', ' line 13',
    ]);
  });

  it('a new file is all added', () => {
    assert.deepEqual(lineDiff(null, 'a\nb\n').lines.map(({ t, text }) => t + text), ['@@@ -0,0 +1,2 @@', '+a', '+b']);
  });

  it('is bounded, says so, and still counts all of it', () => {
    const diff = lineDiff('', 'x\n'.repeat(5_000));
    assert.equal(diff.lines.length, 400);
    assert.equal(diff.cut, true);
    assert.equal(diff.added, 5_000);
    assert.ok(JSON.stringify(lineDiff('', `${'y'.repeat(300_000)}\n`.repeat(20)).lines).length < 64 * 1024);
  });

  it('C10 line ends alone are no change', () => {
    assert.deepEqual(lineDiff('a\r\nb\r\n', 'a\nb\n'), { lines: [], added: 0, removed: 0, cut: false, hunks: [] });
  });

  it('C09 joins both sides of a file of very many lines', () => {
    const lines = Array.from({ length: 300_000 }, (_, n) => String(n));
    const text = (changes: Record<number, string>): string => lines.map((line, n) => changes[n] ?? line).join('\n');
    const { after, conflict } = mergeText(text({}), text({ 10: 'person' }), text({ 299_000: 'agent' }));
    assert.deepEqual([after === text({ 10: 'person', 299_000: 'agent' }), conflict], [true, false]);
  });
});
