import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const GENEROUS_MS = 15_000;

/** What the screen shows after an act comes a moment later: looks again until it is what is expected, and fails with what was seen last. */
export async function comesTo<T>(expected: T, look: () => Promise<T>, message?: string): Promise<void> {
  assert.deepEqual(await lastLook(look, (seen) => isDeepStrictEqual(seen, expected)), expected, message);
}

/** The same for a text that is to match. */
export async function comesToMatch(expected: RegExp, look: () => Promise<string | null>, message?: string): Promise<void> {
  assert.match((await lastLook(look, (seen) => expected.test(seen ?? ''))) ?? '', expected, message);
}

async function lastLook<T>(look: () => Promise<T>, isEnough: (seen: T) => boolean): Promise<T> {
  for (const end = performance.now() + GENEROUS_MS; ; await sleep(20)) {
    const seen = await look();
    if (isEnough(seen) || performance.now() > end) return seen;
  }
}
