import { t } from '../../base/l10n.ts';
import { isHeld } from '../../protocol/session/held.ts';
import type { Session } from '../../protocol/session/state.ts';

export type SessionGroup = 'needsYou' | 'working' | 'recent';

/** What a person has to know first about a session. */
export function groupOf(session: Session): SessionGroup {
  if (session.pendingApprovals > 0 || isHeld(session)) return 'needsYou';
  return session.activeTurnId !== null || session.status === 'busy' ? 'working' : 'recent';
}

/** It may get new work: messages, and forks of it. */
export const takesWork = ({ status, bindingMatch }: Session): boolean => status !== 'closed' && bindingMatch === 'current';

export function groupTitle(group: SessionGroup): string {
  if (group === 'needsYou') return t('Needs you');
  return group === 'working' ? t('Working') : t('Recent');
}

const ORDER: readonly SessionGroup[] = ['needsYou', 'working', 'recent'];

/** What is pinned, then what was last active; `at`: when that was, ms since 1970. */
export const newestFirst = (at: (session: Session) => number) => (a: Session, b: Session): number => Number(b.pinned) - Number(a.pinned) || at(b) - at(a) || (a.sessionId < b.sessionId ? 1 : -1);

/** The order in each group. */
export const byActivity = newestFirst(({ updatedAt }) => updatedAt);

/** Sessions by group; empty groups are left out. */
export function groupSessions(sessions: readonly Session[]): { readonly group: SessionGroup; readonly sessions: Session[] }[] {
  const sorted = [...sessions].sort(byActivity);
  return ORDER.map((group) => ({ group, sessions: sorted.filter((session) => groupOf(session) === group) })).filter((entry) => entry.sessions.length > 0);
}

/** The order of Next and Previous Session: by creation, so that it stays while sessions work. */
export function neighbour(sessions: readonly Session[], current: string | null, step: 1 | -1): Session | undefined {
  const ordered = [...sessions].sort((a, b) => a.createdAt - b.createdAt || (a.sessionId < b.sessionId ? -1 : 1));
  const at = ordered.findIndex((session) => session.sessionId === current);
  if (at < 0) return step === 1 ? ordered[0] : ordered.at(-1);
  return ordered[(at + step + ordered.length) % ordered.length];
}

const UNITS: readonly (readonly [size: number, words: (count: number) => string])[] = [
  [60, () => t('just now')],
  [60, (count) => t('{0} min', count)],
  [24, (count) => t('{0} h', count)],
  [7, (count) => t('{0} d', count)],
  [Number.POSITIVE_INFINITY, (count) => t('{0} w', count)],
];

/** "just now", "5 min", "3 h", "2 d", "4 w". */
export function age(since: number, now: number): string {
  let value = Math.max(0, Math.floor((now - since) / 1000));
  for (const [size, words] of UNITS) {
    if (value < size) return words(value);
    value = Math.floor(value / size);
  }
  return '';
}
