import type { SessionSnapshot } from '../../src/protocol/subscription/state.ts';

// Of a session that was followed for a day no more than this stays in the page; older messages are loaded again when somebody scrolls up to them.
const MAX_CHARS = 16_000_000;
const MIN_TURNS = 10;

/** Lets go of the oldest turns of a view that has grown too large; true when it did. What waits or runs is never among them. */
export function trimView(view: SessionSnapshot, maxChars = MAX_CHARS): boolean {
  const last = view.turns.at(-MIN_TURNS);
  if (last === undefined) return false;
  let chars = 0;
  const over = view.items.findLastIndex(({ text }) => (chars += text.length) > maxChars);
  const pending = view.approvals.filter(({ status }) => status === 'pending').map(({ turnId }) => turnId as string);
  const busy = view.turns.find(({ turnId, endedAt }) => endedAt === null || pending.includes(turnId));
  const first = Math.min((view.items[over]?.turnIdx ?? 0) + 1, last.turnIdx, busy?.turnIdx ?? Infinity);
  if (over < 0 || (view.turns[0]?.turnIdx ?? Infinity) >= first) return false;
  view.turns = view.turns.filter(({ turnIdx }) => turnIdx >= first);
  view.items = view.items.filter(({ turnIdx }) => turnIdx >= first);
  const kept = new Set<string>(view.turns.map(({ turnId }) => turnId));
  view.approvals = view.approvals.filter(({ turnId }) => kept.has(turnId));
  view.earlier = view.turns[0]?.turnIdx ?? null;
  delete view.earlierItem;
  return true;
}
