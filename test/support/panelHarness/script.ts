import type { Approval, ApprovalOption, ApprovalSubject, ApprovalStatus } from '../../../src/protocol/approval/state.ts';
import type { ClientTurnId } from '../../../src/protocol/ids.ts';
import type { Item, ItemData, ItemState } from '../../../src/protocol/item/state.ts';
import type { PanelState } from '../../../src/protocol/panel.ts';
import type { Session } from '../../../src/protocol/session/state.ts';
import type { SessionEvent, SessionEventBody } from '../../../src/protocol/subscription/events.ts';
import { applySessionEvent } from '../../../src/protocol/subscription/reducer.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { ids } from './ids.ts';
import { NOON, THIS_WINDOW, fresh, goal, session } from './states.ts';

export const ONCE_OR_NOT: readonly ApprovalOption[] = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
export const WITH_ALWAYS: readonly ApprovalOption[] = [
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always in this session', kind: 'allow_always' },
];

/** Plays the gateway's part for one session: every step is a list of real events, and `view` is what they add up to. */
export class SessionScript {
  readonly view: SessionSnapshot;
  #events: SessionEvent[] = [];
  #items = 0;
  #approvals = 0;
  #turns: number;

  constructor(change: Partial<Session> = {}, firstTurn = 0) {
    this.#turns = firstTurn;
    this.view = { session: session(change), goal: goal(), turns: [], items: [], approvals: [], earlier: null, head: 0 };
  }

  /** The events since the last call. */
  take(): SessionEvent[] {
    return this.#events.splice(0);
  }

  /** The whole of it as the page gets it first. */
  state(change: Partial<PanelState> = {}): PanelState {
    return fresh({ view: structuredClone(this.view), ...change });
  }

  emit(body: SessionEventBody): void {
    const event: SessionEvent = { ...body, seq: this.view.head + 1, at: NOON, causedBy: { clientId: THIS_WINDOW } };
    if (applySessionEvent(this.view, event).kind !== 'applied') throw new Error(`the script made an event that does not apply: ${body.type}`);
    this.#events.push(structuredClone(event));
  }

  updateSession(change: Partial<Session>): void {
    this.emit({ type: 'session.updated', session: { ...this.view.session, ...change } });
  }

  queue(text: string, { userData = { kind: 'user_message' }, ...change }: Partial<Turn> & { readonly userData?: ItemData } = {}): Turn {
    const number = ++this.#turns;
    const turn: Turn = {
      turnId: ids.turn(number), sessionId: this.view.session.sessionId, turnIdx: number, clientTurnId: `client-${number}` as ClientTurnId, state: 'queued', origin: 'vscode', text,
      userItemId: ids.item(10_000 + number), retryOf: null, stopReason: null, cause: null, detail: null, usage: null, rev: 1, queuedAt: NOON, startedAt: null, endedAt: null, ...change,
    };
    this.emit({ type: 'turn.updated', turn });
    this.emit({ type: 'item.ended', item: this.#item(turn, userData, { itemId: turn.userItemId, idx: 0, text, textLength: text.length, state: 'completed', endedAt: NOON }) });
    return turn;
  }

  start(text: string, change: Parameters<SessionScript['queue']>[1] = {}): Turn {
    const turn = this.queue(text, change);
    return this.updateTurn(turn, { state: 'running', startedAt: NOON });
  }

  updateTurn(turn: Turn, change: Partial<Turn>): Turn {
    const now = this.view.turns.find(({ turnId }) => turnId === turn.turnId) ?? turn;
    const next = { ...now, ...change, rev: now.rev + 1 };
    this.emit({ type: 'turn.updated', turn: next });
    this.updateSession({ activeTurnId: next.turnId, status: 'busy' });
    return next;
  }

  endTurn(turn: Turn, state: Turn['state'] = 'completed', change: Partial<Turn> = {}): void {
    const now = this.view.turns.find(({ turnId }) => turnId === turn.turnId) ?? turn;
    this.emit({ type: 'turn.ended', turn: { ...now, state, endedAt: NOON + 5000, rev: now.rev + 1, ...change } });
    this.updateSession({ activeTurnId: null, status: 'ready' });
  }

  /** An item that is open unless `change` says otherwise. */
  item(turn: Turn, data: ItemData, text = '', change: Partial<Item> = {}): Item {
    const item = this.#item(turn, data, { text, textLength: text.length, ...change });
    this.emit({ type: item.state === 'started' ? 'item.started' : 'item.ended', item });
    return item;
  }

  /** An item with its end, four seconds later. */
  done(turn: Turn, data: ItemData, text = '', change: Partial<Item> = {}): Item {
    return this.item(turn, data, text, { state: 'completed', endedAt: NOON + 4000, ...change });
  }

  delta(item: Item, text: string): void {
    const now = this.view.items.find(({ itemId }) => itemId === item.itemId) ?? item;
    this.emit({ type: 'item.delta', itemId: item.itemId, turnId: item.turnId, rev: now.rev + 1, offset: now.textLength, text });
  }

  endItem(item: Item, state: ItemState = 'completed', change: Partial<Item> = {}): void {
    const now = this.view.items.find(({ itemId }) => itemId === item.itemId) ?? item;
    this.emit({ type: 'item.ended', item: { ...now, state, rev: now.rev + 1, endedAt: NOON + 4000, ...change } });
  }

  ask(item: Item, subject: ApprovalSubject, change: Partial<Approval> = {}): Approval {
    const number = ++this.#approvals;
    const approval: Approval = {
      approvalId: ids.approval(number), sessionId: item.sessionId, turnId: item.turnId, itemId: item.itemId, title: titleOf(subject), subject, options: [...ONCE_OR_NOT],
      actionDigest: ids.digest(number), status: 'pending', optionId: null, comment: null, decidedBy: null, cause: null, expiresAt: null, createdAt: NOON + number, decidedAt: null, ...change,
    };
    this.emit({ type: 'approval.requested', approval });
    this.updateSession({ pendingApprovals: this.view.approvals.filter(({ status }) => status === 'pending').length });
    return approval;
  }

  settle(approval: Approval, status: ApprovalStatus, change: Partial<Approval> = {}): void {
    const by = { by: 'client' as const, clientId: THIS_WINDOW, clientKind: 'editor', rule: null };
    const decided = status === 'approved' || status === 'rejected' || status === 'answered';
    this.emit({ type: 'approval.updated', approval: { ...approval, status, decidedAt: NOON, decidedBy: decided ? by : null, ...change } });
    this.updateSession({ pendingApprovals: this.view.approvals.filter((entry) => entry.status === 'pending').length });
  }

  #item(turn: Turn, data: ItemData, change: Partial<Item>): Item {
    const number = ++this.#items;
    return {
      itemId: ids.item(number), sessionId: turn.sessionId, turnId: turn.turnId, turnIdx: turn.turnIdx, idx: number, rev: 1, state: 'started', outcome: 'known',
      text: '', textLength: 0, data, parentId: null, startedAt: NOON, endedAt: null, ...change,
    };
  }
}

const titleOf = (subject: ApprovalSubject): string => {
  if (subject.kind === 'edit') { return `Edit ${subject.changes[0]?.label ?? ''}`; }
  return subject.kind === 'command' ? `Run \`${subject.command}\`` : 'A request';
};
