import assert from 'node:assert/strict';
import fc from 'fast-check';
import { occurrences, patternOf, sieveOf } from '../../../media/chat/find/pattern.ts';

describe('what is looked for in a chat', () => {
  const found = (query: string, text: string): string[] => occurrences(text, patternOf(query)!).map(({ from, to }) => text.slice(from, to));

  it('is found whatever signs are in it', () => {
    assert.deepEqual(found('read-only', 'It is Read-Only, not readXonly.'), ['Read-Only']);
    for (const query of ['a/b', 'f(x)', '[0]', 'a|b', '$5.00', '^', '\\d', '{1}', 'a*', '--flag', '?']) assert.deepEqual(found(query, `x ${query} y`), [query]);
    assert.deepEqual(found('a.c', 'abc'), []);
  });

  it('is found whichever way its accents are written', () => {
    for (const query of ['caf\u00e9', 'cafe\u0301']) for (const text of ['the caf\u00e9', 'the cafe\u0301']) {
      assert.equal(found(query, text).length, 1);
      assert.equal(occurrences(text, sieveOf(query)!).length, 1);
    }
  });

  it('is found in itself, and stands behind its sieve', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (query) => {
      fc.pre(query.trim() !== '');
      assert.notDeepEqual(found(query, query.normalize('NFC')), []);
      const sieve = sieveOf(query);
      assert.ok(sieve === null || occurrences(query.normalize('NFC'), sieve).length > 0);
    }));
  });

  it('is nothing where only blanks are given', () => {
    assert.deepEqual([patternOf(' \t'), sieveOf('--')], [null, null]);
  });
});
