import type { Approval } from '../../protocol/approval/state.ts';
import type { Grant } from '../../protocol/grant/state.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import type { Item } from '../../protocol/item/state.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import { hasEnded } from '../../protocol/turn/phase.ts';

/** An item with its whole text and every request for consent that belongs to it, in the order they were asked. */
export interface TranscriptItem extends Omit<Item, 'rev' | 'textLength' | 'sessionId' | 'turnId' | 'turnIdx'> {
  readonly approvals: readonly Approval[];
}

export interface TranscriptTurn extends Omit<Turn, 'rev' | 'sessionId'> {
  readonly items: readonly TranscriptItem[];
}

/** What stays the same about a session: nothing of who is connected, and no times that move by themselves. */
export interface TranscriptSession {
  readonly sessionId: string;
  readonly title: string;
  readonly workspace: string;
  readonly goalId: string;
  readonly goalTitle: string;
  readonly lifetime: number;
  readonly objective: string;
  readonly agentId: string;
  readonly sessionMode: string;
  readonly channelId: string;
  readonly createdAt: number;
  readonly closedAt: number | null;
}

/** A rule that has answered requests of the session, or was made by an answer to one. How often it was used is no part of this history. */
export type TranscriptGrant = Omit<Grant, 'uses' | 'lastUsedAt'>;

/** Everything that was said, done, asked and decided in a session. The same history gives the same transcript, whoever reads it. */
export interface Transcript {
  readonly format: 'attache-transcript';
  readonly version: 1;
  readonly session: TranscriptSession;
  /** False while a turn is queued or runs: what follows may still change. */
  readonly settled: boolean;
  readonly turns: readonly TranscriptTurn[];
  /** In the order in which they were made. */
  readonly grants: readonly TranscriptGrant[];
}

export interface TranscriptParts {
  readonly session: Session;
  readonly goal: Goal | null;
  readonly turns: readonly Turn[];
  /** With their whole texts. */
  readonly items: readonly Item[];
  readonly approvals: readonly Approval[];
  /** Of the folder; those that have nothing to do with the session are left out. */
  readonly grants?: readonly Grant[];
}

/** Puts together what a client holds of a session, in whatever order it holds it. */
export function transcriptOf({ session, goal, turns, items, approvals, grants = [] }: TranscriptParts): Transcript {
  const asked = groupBy(approvals, ({ itemId }) => itemId);
  const itemsOf = groupBy(items, ({ turnId }) => turnId);
  return {
    format: 'attache-transcript',
    version: 1,
    session: sessionOf(session, goal),
    settled: turns.every(({ state }) => hasEnded(state)),
    turns: [...turns].sort((a, b) => a.turnIdx - b.turnIdx).map((turn) => turnOf(turn, itemsOf.get(turn.turnId) ?? [], asked)),
    grants: grantsOf(grants, approvals),
  };
}

function grantsOf(grants: readonly Grant[], approvals: readonly Approval[]): TranscriptGrant[] {
  const asked = new Set<string>(approvals.map(({ approvalId }) => approvalId));
  const rules = new Set(approvals.map(({ decidedBy }) => (decidedBy?.by === 'grant' ? decidedBy.rule : null)));
  return grants.filter(({ grantId, approvalId }) => rules.has(grantId) || asked.has(approvalId))
    .sort((a, b) => (a.grantId < b.grantId ? -1 : 1))
    .map(({ uses: _uses, lastUsedAt: _lastUsedAt, ...grant }) => grant);
}

function sessionOf(session: Session, goal: Goal | null): TranscriptSession {
  const { sessionId, title, workspace, goalId, goalTitle, lifetime, agentId, sessionMode, channelId, createdAt, closedAt } = session;
  const objective = goal !== null && goal.lifetime === lifetime ? goal.objective : '';
  return { sessionId, title, workspace, goalId, goalTitle, lifetime, objective, agentId, sessionMode, channelId, createdAt, closedAt };
}

function turnOf({ rev: _rev, sessionId: _sessionId, ...turn }: Turn, items: readonly Item[], asked: ReadonlyMap<string, readonly Approval[]>): TranscriptTurn {
  return { ...turn, items: [...items].sort((a, b) => a.idx - b.idx).map((item) => itemOf(item, asked.get(item.itemId) ?? [])) };
}

function itemOf(item: Item, approvals: readonly Approval[]): TranscriptItem {
  const { rev: _rev, textLength: _textLength, sessionId: _sessionId, turnId: _turnId, turnIdx: _turnIdx, ...kept } = item;
  // Their ids are in order of time.
  return { ...kept, approvals: [...approvals].sort((a, b) => (a.approvalId < b.approvalId ? -1 : 1)) };
}

/** Map.groupBy, which Node 20 does not have. */
function groupBy<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const known = groups.get(keyOf(value));
    if (known === undefined) groups.set(keyOf(value), [value]);
    else known.push(value);
  }
  return groups;
}
