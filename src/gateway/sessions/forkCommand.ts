import { LIMITS } from '../../protocol/limits.ts';
import { admitted } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Draining } from '../broker/draining.ts';
import { requireTurn } from '../broker/requireTurn.ts';
import type { TurnRow, TurnStore } from '../broker/turnStore.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { Handlers } from '../handlers.ts';
import { kindOf, type ItemStore, type StoredItem } from '../items/itemStore.ts';
import type { Receipts } from '../store/receipts.ts';
import { ITEM_KIND } from '../store/readJson.ts';
import type { Store } from '../store/store.ts';
import { newSessionRow } from './newSession.ts';
import { sessionFacts, type SessionStore } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';

export interface ForkCommandOptions {
  readonly store: Store;
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly goals: GoalRegistry;
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly draining: Draining;
}

const SPEAKERS: Readonly<Record<string, string>> = { user_message: 'User', agent_message: 'Agent' };
/** Items that are looked at for what was said, the newest. */
const CONTEXT_ITEMS = 200;

/** A new conversation that begins where another one was. Nothing is carried over by itself: what was said is handed to the person. */
export function forkCommand(options: ForkCommandOptions): Handlers<'session/fork'> {
  const { receipts, sessions, views, goals, draining } = options;
  return {
    'session/fork': ({ principal }, params) => receipts.once(principal, 'session/fork', params, (change) => {
      const { session: origin, turn } = requireTurn(options, principal, params.turnId);
      admitted(decideAdmission({ operation: 'fork', session: sessionFacts(principal, origin), goal: goals.facts(origin), draining: draining.active }));
      const { workspace, goalId, goalInstanceId: instanceId, lifetime, agentId } = origin;
      const row = newSessionRow(change, { ...params, workspace, goalId, instanceId, lifetime, agentId, sessionMode: 'attached_host' });
      sessions.insert(change, row);
      if (instanceId !== null) goals.recordStamped(row);
      return { workspace, result: { session: views.of(row), context: contextOf(options, turn) } };
    }),
  };
}

/** What was said up to a turn, without messages that were taken back; when that is too long, the end of it. */
function contextOf({ store, items }: ForkCommandOptions, last: TurnRow): string {
  const said = store.all<StoredItem>(
    `SELECT * FROM items WHERE sessionId = ?1 AND turnIdx <= ?2 AND ${ITEM_KIND} IN ('user_message', 'agent_message')
       AND turnId NOT IN (SELECT turnId FROM turns WHERE sessionId = ?1 AND state = 'cancelled' AND startedAt IS NULL)
     ORDER BY turnIdx DESC, idx DESC LIMIT ?3`, last.sessionId, last.turnIdx, CONTEXT_ITEMS);
  return said.reverse().flatMap((row) => lineOf(items, row)).join('\n\n').slice(-LIMITS.forkContextChars).toWellFormed();
}

function lineOf(items: ItemStore, row: StoredItem): string[] {
  const speaker = SPEAKERS[kindOf(row)];
  const text = speaker === undefined ? '' : items.textOf(row).trim();
  return text === '' ? [] : [`${speaker}: ${text}`];
}
