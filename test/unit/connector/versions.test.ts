import assert from 'node:assert/strict';
import { isOlderVersion } from '../../../src/connector/versions.ts';

describe('isOlderVersion', () => {
  for (const [a, b] of [['0.1.0', '0.2.0'], ['0.9.0', '0.10.0'], ['1.2', '1.2.1'], ['0.1.0', '1'], ['1.0.0-beta', '1.0.1']] as const) {
    it(`${a} is older than ${b}, and not the reverse`, () => {
      assert.deepEqual([isOlderVersion(a, b), isOlderVersion(b, a)], [true, false]);
    });
  }

  it('no version is older than itself, however it is written', () => {
    assert.deepEqual([isOlderVersion('1.2.0', '1.2'), isOlderVersion('1.2', '1.2.0'), isOlderVersion('', '')], [false, false, false]);
  });
});
