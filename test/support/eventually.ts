import { setTimeout as sleep } from 'node:timers/promises';

const GENEROUS_MS = 20_000;

/** Looks until there is something, and gives it back; what it waits for is named when it never comes. */
export async function eventually<T>(what: string, look: () => T | Promise<T>, timeoutMs = GENEROUS_MS): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`gave up waiting for: ${what}`);
    await sleep(5);
  }
}
