import type { StoreOutcome } from './commands.ts';
import { t } from '../../base/l10n.ts';

export type StoreLoss = Extract<StoreOutcome, { kind: 'recovered' }>;

/** What a person knows of a store, by the tables that hold it. */
const KINDS: Readonly<Record<string, (count: number) => string>> = {
  goals: (count) => t(count === 1 ? '{0} goal' : '{0} goals', count),
  sessions: (count) => t(count === 1 ? '{0} session' : '{0} sessions', count),
  turns: (count) => t(count === 1 ? '{0} message' : '{0} messages', count),
  items: (count) => t(count === 1 ? '{0} part of an answer' : '{0} parts of answers', count),
  approvals: (count) => t(count === 1 ? '{0} request' : '{0} requests', count),
  grants: (count) => t(count === 1 ? '{0} rule' : '{0} rules', count),
  blobs: (count) => t(count === 1 ? '{0} full text' : '{0} full texts', count),
};

/** What a damaged store has lost, in one sentence for people. */
export function storeLossWords({ at, reason, lost, incompleteSessions }: StoreLoss): string {
  const known = Object.entries(KINDS).flatMap(([table, words]) => ((lost[table] ?? 0) > 0 ? [words(lost[table] ?? 0)] : []));
  const what = known.length === 0 ? '' : t(', at least {0}', known.join(t(', ')));
  const marked = incompleteSessions === 0 ? '' : t(incompleteSessions === 1 ? '; {0} session says that it is incomplete' : '; {0} sessions say that they are incomplete', incompleteSessions);
  return t('The store was damaged and was repaired on {0} ({1}). What could not be read is lost{2}{3}.', new Date(at).toISOString().slice(0, 10), reason, what, marked);
}
