import assert from 'node:assert/strict';
import { backoffMs } from '../../../src/client/backoff.ts';

describe('the pause before another attempt to connect', () => {
  it('is never under 0.25 s nor over 10 s, however often it failed', () => {
    for (let attempt = 0; attempt < 2_000; attempt += 1) {
      for (const random of [0, 0.5, 0.999_999]) {
        const ms = backoffMs(attempt, () => random);
        assert.ok(ms >= 250 && ms <= 10_000, `${attempt}: ${ms}`);
      }
    }
  });

  it('grows, and differs between windows', () => {
    assert.ok(backoffMs(0, () => 1) < backoffMs(3, () => 1));
    assert.equal(backoffMs(20, () => 1), 10_000);
    assert.notEqual(backoffMs(5, () => 0.1), backoffMs(5, () => 0.9));
  });
});
