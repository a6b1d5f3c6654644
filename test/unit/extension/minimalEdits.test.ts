import assert from 'node:assert/strict';
import fc from 'fast-check';
import { minimalEdits, type OffsetEdit } from '../../../src/extension/editor/minimalEdits.ts';

function applied(text: string, edits: readonly OffsetEdit[]): string {
  return [...edits].reverse().reduce((result, { start, end, text: inserted }) => result.slice(0, start) + inserted + result.slice(end), text);
}

const someText = fc.array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 12 }).chain((lines) => fc.constantFrom('\n', '\r\n').map((eol) => lines.join(eol)));

describe('the edits that turn one text into another', () => {
  it('give exactly the other text, whatever the two are', () => {
    fc.assert(fc.property(someText, someText, (before, after) => {
      assert.equal(applied(before, minimalEdits(before, after)), after);
    }));
  });

  it('leave equal lines alone', () => {
    assert.deepEqual(minimalEdits('a\nb\nc\n', 'a\nB\nc\n'), [{ start: 2, end: 4, text: 'B\n' }]);
    assert.deepEqual(minimalEdits('same\n', 'same\n'), []);
  });

  it('see a final newline that comes or goes', () => {
    assert.equal(applied('a', minimalEdits('a', 'a\n')), 'a\n');
    assert.equal(applied('a\n', minimalEdits('a\n', 'a')), 'a');
  });
});
