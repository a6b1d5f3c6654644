import assert from 'node:assert/strict';
import fc from 'fast-check';
import { textOfPart } from '../../../src/execution/editPart.ts';
import { lineDiff } from '../../../src/execution/lineDiff.ts';
import { mergeText } from '../../../src/execution/mergeText.ts';
import { splitLines } from '../../../src/execution/textLines.ts';

const part = (before: string, after: string, chosen: readonly number[]): string | null => textOfPart(before, after, lineDiff(before, after).hunks, chosen);
const OLD = 'a\nb\nc\nd\ne\n';
const NEW = 'A\nb\nnew\nc\ne\n';

describe('a part of an edit', () => {
  it('is the old text with just the chosen places changed', () => {
    assert.equal(lineDiff(OLD, NEW).hunks.length, 3);
    assert.equal(part(OLD, NEW, [0]), 'A\nb\nc\nd\ne\n');
    assert.equal(part(OLD, NEW, [1]), 'a\nb\nnew\nc\nd\ne\n');
    assert.equal(part(OLD, NEW, [0, 2]), 'A\nb\nc\ne\n');
    assert.equal(part(OLD, NEW, [1, 2]), 'a\nb\nnew\nc\ne\n');
  });

  it('C10 keeps line ends, and a final newline that is missing stays missing', () => {
    const old = 'a\r\nb\r\nc';
    const wanted = mergeText(old, old, 'A\nb\nc\nd\n').after;
    assert.equal(wanted, 'A\r\nb\r\nc\r\nd');
    assert.equal(part(old, wanted, [0]), 'A\r\nb\r\nc');
    assert.equal(part(old, wanted, [1]), 'a\r\nb\r\nc\r\nd');
    const shorter = mergeText(old, old, 'A\nb\n').after;
    assert.equal(part(old, shorter, [1]), 'a\r\nb');
    assert.equal(part(old, shorter, [0]), 'A\r\nb\r\nc');
  });

  it('is nothing when the places are not those of the two texts', () => {
    const { hunks } = lineDiff(OLD, NEW);
    for (const [before, after] of [[`x\n${OLD}`, NEW], [OLD, `${NEW}x\n`], ['', NEW], [NEW, OLD]] as const) for (const chosen of [[0], [0, 1, 2]]) assert.equal(textOfPart(before, after, hunks, chosen), null);
    assert.equal(textOfPart(OLD, NEW, [...hunks].reverse(), [0]), null);
    assert.equal(textOfPart(OLD, NEW, hunks.map((hunk) => ({ ...hunk, fromEnd: hunk.fromEnd + 90 })), [0]), null);
  });

  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'dd'), { maxLength: 12 });
  const text = fc.tuple(lines, fc.constantFrom('\n', '\r\n'), fc.boolean()).map(([all, eol, final]) => all.join(eol) + (final && all.length > 0 ? eol : ''));

  it('keeps an empty line at the end of a file that had no final line end', () => {
    const [before, after] = ['a\n\na', 'b\na\na\n\n\n'];
    const { hunks } = lineDiff(before, after);
    assert.equal(textOfPart(before, after, hunks, [hunks.length - 1]), 'a\n\na\n\n\n');
  });

  it('is the whole for all places, the old text for none, and each place is independent of the others', () => {
    fc.assert(fc.property(text, text, fc.array(fc.nat(20)), (before, wish, picks) => {
      const after = mergeText(before, before, wish).after;
      const { hunks } = lineDiff(before, after);
      const all = hunks.map((_hunk, at) => at);
      assert.equal(textOfPart(before, after, hunks, all), after);
      if (hunks.length > 0) assert.equal(textOfPart(before, after, hunks, []), before);
      const chosen = all.filter((at) => picks.includes(at));
      const some = textOfPart(before, after, hunks, chosen);
      assert.ok(some !== null);
      // Its lines are those of the one text or the other, place by place.
      const [from, to] = [splitLines(before), splitLines(after)].map((side) => side.map((line) => line.text));
      const expected: string[] = [];
      let at = 0;
      for (const [place, hunk] of hunks.entries()) {
        expected.push(...from!.slice(at, hunk.fromStart), ...(chosen.includes(place) ? to!.slice(hunk.toStart, hunk.toEnd) : from!.slice(hunk.fromStart, hunk.fromEnd)));
        at = hunk.fromEnd;
      }
      expected.push(...from!.slice(at));
      assert.deepEqual(splitLines(some).map((line) => line.text), expected);
    }));
  });
});
