const FIRST_MS = 250;
const CAP_MS = 10_000;

/** How long to wait before attempt number `attempt` (0, 1, 2 …): doubling, capped, with jitter so that clients do not come in step. Always 0.25 s..10 s. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(attempt + 1, 10));
  return Math.round(FIRST_MS + random() * (ceiling - FIRST_MS));
}
