import assert from 'node:assert/strict';
import { oneLine } from '../../../src/base/oneLine.ts';

describe('oneLine', () => {
  it('marks where lines begin and drops what only holds them apart', () => {
    assert.equal(oneLine('  one\n\n   two \r\nthree\n'), 'one ⏎ two ⏎ three');
  });

  it('takes no longer for blanks than for anything else', () => {
    assert.equal(oneLine(`a${' '.repeat(1_000_000)}b`).length, 1_000_002);
  });
});
