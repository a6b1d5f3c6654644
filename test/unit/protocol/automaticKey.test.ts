import assert from 'node:assert/strict';
import { mintGoalKey } from '../../../src/gateway/mint.ts';
import { isAutomaticKey } from '../../../src/protocol/goal/automaticKey.ts';

describe('a goal’s key that nobody chose', () => {
  it('is told from one that a person did', () => {
    assert.deepEqual(Array.from({ length: 200 }, () => mintGoalKey()).filter((key: string) => !isAutomaticKey(key)), []);
    assert.deepEqual(['g-deployment', 'g-cart', 'cart', 'g-x3shc6wr54x', 'xg-x3shc6wr54'].filter(isAutomaticKey), []);
  });
});
