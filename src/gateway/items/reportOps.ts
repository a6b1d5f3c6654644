import { assertNever } from '../../base/assertNever.ts';
import { isRecord } from '../../base/isRecord.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { ReportOp } from '../../protocol/host/commands.ts';
import type { ItemId, ItemKey } from '../../protocol/ids.ts';
import type { ItemData } from '../../protocol/item/state.ts';
import type { Usage } from '../../protocol/turn/state.ts';
import type { ApprovalStore } from '../approvals/approvalStore.ts';
import { requireBounded } from '../bounded.ts';
import type { TurnRow, TurnStore } from '../broker/turnStore.ts';
import type { Change } from '../events/change.ts';
import { mintId } from '../mint.ts';
import { mergeAgent } from '../sessions/agentState.ts';
import type { AutomaticAnswers } from '../grants/automaticAnswers.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import { readJson } from '../store/readJson.ts';
import type { Effects } from './effects.ts';
import { kindOf, type ItemStore, type StoredItem } from './itemStore.ts';

export interface ReportOpsOptions {
  readonly items: ItemStore;
  readonly effects: Effects;
  readonly approvals: ApprovalStore;
  readonly turns: TurnStore;
  readonly sessions: SessionStore;
  readonly automaticAnswers: AutomaticAnswers;
}

type OpOf<K extends ReportOp['op']> = Extract<ReportOp, { op: K }>;

/** A report in the making. */
export interface Reporting {
  readonly change: Change;
  readonly turn: TurnRow;
  readonly reportSeq: number;
}

/** Carries out what an executor reports about its turn. All of a batch happens, or nothing: a refusal undoes it with its transaction. */
export class ReportOps {
  readonly #options: ReportOpsOptions;

  constructor(options: ReportOpsOptions) {
    this.#options = options;
  }

  /** True when nothing would be lost with the power but text that is still coming, also its first words: whoever waits for them does not wait for the disk. */
  static isStream(ops: readonly ReportOp[]): boolean {
    return ops.every((op) => op.op === 'item.delta' || op.op === 'item.update' || beginsText(op));
  }

  /** In order; pieces of one text that follow each other are told as one. */
  applyAll(reporting: Reporting, ops: readonly ReportOp[]): void {
    for (const op of mergeDeltas(ops)) this.#apply(reporting, op);
  }

  #apply(reporting: Reporting, op: ReportOp): void {
    switch (op.op) {
      case 'item.start':
        return this.#start(reporting, op);
      case 'item.delta':
        return this.#options.items.append(reporting.change, this.#open(reporting, op.itemKey), { text: op.text, reportSeq: reporting.reportSeq });
      case 'item.update':
        return this.#update(reporting, op);
      case 'item.end':
        return this.#end(reporting, op);
      case 'effect.begin':
        return this.#beginEffect(reporting, op);
      case 'effect.end':
        return this.#options.effects.end(this.#item(reporting, op.itemKey).itemId, reporting.change.now);
      case 'session.agent':
        return this.#describeAgent(reporting, op);
      case 'turn.usage':
        return this.#addUsage(reporting, op.usage);
      default:
        return assertNever(op);
    }
  }

  #start({ change, turn, reportSeq }: Reporting, { itemKey, data, text = '', state = 'started', parent }: OpOf<'item.start'>): void {
    const { items } = this.#options;
    if (items.byKey(turn.turnId, itemKey) !== undefined) throw new AttacheError('item_key_used');
    const parentId = parent === undefined ? null : this.#item({ turn }, parent).itemId;
    const { sessionId, turnId, turnIdx } = turn;
    items.insert(change, {
      itemId: mintId<ItemId>('itm', change.now), sessionId, turnId, turnIdx, idx: items.nextIdx(turnId), itemKey, reportSeq, state,
      outcome: 'known', rev: 1, data: requireBounded(data), text, textLength: text.length, parentId,
      startedAt: change.now, endedAt: state === 'started' ? null : change.now,
    });
  }

  #update(reporting: Reporting, { itemKey, data, text }: OpOf<'item.update'>): void {
    const item = this.#open(reporting, itemKey);
    this.#options.items.update(reporting.change, item, { ...sameKind(item, data), ...(text === undefined ? {} : { text }) });
  }

  /** An act without a record of its end is not called known, whatever the item says of itself. */
  #end(reporting: Reporting, { itemKey, state, data, text }: OpOf<'item.end'>): void {
    const item = this.#open(reporting, itemKey);
    const outcome = this.#options.effects.isOpen(item.itemId) ? 'unknown' : 'known';
    this.#options.items.update(reporting.change, item, { state, outcome, ...sameKind(item, data), ...(text === undefined ? {} : { text }) });
  }

  /** The last check before anything is touched: an approval recorded for exactly this act, in a turn that still goes on. */
  #beginEffect(reporting: Reporting, { itemKey, approvalId, actionDigest }: OpOf<'effect.begin'>): void {
    const { approvals, effects, automaticAnswers, sessions } = this.#options;
    const { turn, change } = reporting;
    const item = this.#open(reporting, itemKey);
    const approval = approvals.find(approvalId)?.approval;
    const granted = approval !== undefined && approval.turnId === turn.turnId && approval.actionDigest === actionDigest
      && (approval.status === 'approved' || approval.status === 'answered') && automaticAnswers.stands(sessions.get(turn.sessionId), approval);
    const goesOn = turn.state === 'running' || turn.state === 'waiting';
    if (!granted || !goesOn || effects.wasStartedBy(approvalId, item.itemId)) throw new AttacheError('approval_required');
    effects.begin({ itemId: item.itemId, turnId: turn.turnId, approvalId, actionDigest }, change.now);
  }

  #describeAgent({ change, turn }: Reporting, report: OpOf<'session.agent'>): void {
    const { sessions } = this.#options;
    const session = sessions.get(turn.sessionId);
    sessions.patch(change, session, mergeAgent(session, report));
  }

  #addUsage({ change, turn }: Reporting, usage: Usage): void {
    const { turns } = this.#options;
    const current = turns.get(turn.turnId);
    turns.patch(change, current, { usage: mergeUsage(current.usage, usage) });
  }

  #item({ turn }: Pick<Reporting, 'turn'>, itemKey: ItemKey): StoredItem {
    const item = this.#options.items.byKey(turn.turnId, itemKey);
    if (item === undefined) throw new AttacheError('item_not_found');
    return item;
  }

  #open(reporting: Reporting, itemKey: ItemKey): StoredItem {
    const item = this.#item(reporting, itemKey);
    if (item.state !== 'started') throw new AttacheError('item_ended');
    return item;
  }
}

/** The beginning of what an agent says or thinks. What it does is recorded for good before it is done. */
const beginsText = (op: ReportOp): boolean => op.op === 'item.start' && (op.state ?? 'started') === 'started' && (op.data.kind === 'agent_message' || op.data.kind === 'thought');

/** Newer figures replace older ones of the same name; those that cannot be read are given up. */
export const mergeUsage = (stored: string | null, usage: Usage): string =>
  JSON.stringify({ ...(stored === null ? {} : readJson<Usage>(stored, {}, isRecord)), ...usage });

function sameKind(item: StoredItem, data: ItemData | undefined): { data?: ItemData } {
  if (data === undefined) return {};
  if (data.kind !== kindOf(item)) throw new AttacheError('item_kind_changed');
  requireBounded(data);
  return { data };
}

function mergeDeltas(ops: readonly ReportOp[]): ReportOp[] {
  const merged: ReportOp[] = [];
  for (const op of ops) {
    const last = merged.at(-1);
    if (op.op === 'item.delta' && last?.op === 'item.delta' && last.itemKey === op.itemKey) merged[merged.length - 1] = { ...last, text: last.text + op.text };
    else merged.push(op);
  }
  return merged;
}
