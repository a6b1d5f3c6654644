import type { SQLOutputValue } from 'node:sqlite';
import { approval } from '../../protocol/approval/state.ts';
import { goal } from '../../protocol/goal/state.ts';
import { item } from '../../protocol/item/state.ts';
import { agentState, session } from '../../protocol/session/state.ts';
import { turn } from '../../protocol/turn/state.ts';
import { decisionOf } from '../approvals/decisionColumn.ts';
import { decodeRow } from './sqlText.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

const parsed = (json: SQLOutputValue | undefined): unknown => (json === null || json === undefined ? null : JSON.parse(String(json)));

/** The columns of a row that a public entity has, too. */
function columns(row: Row, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]]));
}

const storedSession = session.pick({ sessionId: true, workspace: true, goalId: true, lifetime: true, agentId: true, channelId: true, title: true, createdAt: true, updatedAt: true, closedAt: true });

/** Each table by what a client would get of a row of it. */
const POSSIBLE: Readonly<Record<string, (row: Row) => boolean>> = {
  goals: (row) => goal.safeParse(columns(row, Object.keys(goal.shape))).success,
  sessions: (row) => storedSession.safeParse(columns(row, Object.keys(storedSession.shape))).success && agentState.partial().safeParse(parsed(row['agent'])).success,
  turns: (row) => {
    const { attachments, usage } = row;
    return turn.omit({ attachments: true }).safeParse({ ...columns(row, Object.keys(turn.omit({ attachments: true }).shape)), usage: parsed(usage) }).success
      && turn.shape.attachments.safeParse(parsed(attachments)).success;
  },
  items: (row) => item.safeParse({ ...columns(row, Object.keys(item.shape)), data: parsed(row['data']) }).success
    && (row['state'] === 'started' || String(row['text']).length === row['textLength']),
  approvals: (row) => approval.safeParse({
    ...columns(row, Object.keys(approval.shape)), subject: parsed(row['subject']), options: parsed(row['options']), ...decisionOf(typeof row['decidedBy'] === 'string' ? row['decidedBy'] : null),
  }).success,
};

export const JUDGED_TABLES: readonly string[] = Object.keys(POSSIBLE);

/** Whether a row can be what the gateway wrote, as far as one row can tell. */
export function isPossible(table: string, row: Record<string, SQLOutputValue>): boolean {
  try {
    return POSSIBLE[table]?.(decodeRow(row)) ?? true;
  } catch {
    return false;
  }
}
