import { assertNever } from '../../base/assertNever.ts';
import type { Approval } from '../approval/state.ts';
import type { Item } from '../item/state.ts';
import type { Turn } from '../turn/state.ts';
import type { SessionEvent, WorkspaceEvent } from './events.ts';
import type { SessionSnapshot, WorkspaceSnapshot } from './state.ts';

/** What an event touched, so that a view repaints only that. */
export interface Touched {
  readonly session?: true;
  readonly turnId?: string;
  readonly itemId?: string;
  readonly approvalId?: string;
  /** Set for item.delta: the text that was appended. */
  readonly appended?: string;
}

export type ApplyResult = { readonly kind: 'applied'; readonly touched: Touched } | { readonly kind: 'duplicate' } | { readonly kind: 'gap' };

/** The order of items in a transcript. */
export const byPlace = (a: Item, b: Item): number => a.turnIdx - b.turnIdx || a.idx - b.idx;

function put<T>(list: T[], value: T, same: (entry: T) => boolean, before?: (a: T, b: T) => number): void {
  const at = list.findLastIndex(same);
  if (at >= 0) {
    list[at] = value;
    // A reordered queue gives its turns and their messages other places.
    const [previous, next] = [list[at - 1], list[at + 1]];
    if (before && ((previous !== undefined && before(previous, value) > 0) || (next !== undefined && before(value, next) > 0))) list.sort(before);
    return;
  }
  const last = list.at(-1);
  list.push(value);
  if (before && last !== undefined && before(last, value) > 0) list.sort(before);
}

const putItem = (view: SessionSnapshot, item: Item): void => put(view.items, item, (entry) => entry.itemId === item.itemId, byPlace);
const putTurn = (view: SessionSnapshot, turn: Turn): void =>
  put(view.turns, turn, (entry) => entry.turnId === turn.turnId, (a, b) => a.turnIdx - b.turnIdx);
const putApproval = (view: SessionSnapshot, approval: Approval): void =>
  put(view.approvals, approval, (entry) => entry.approvalId === approval.approvalId);

/** Appends streamed text. False when the piece does not follow what is held: the item must be read again. */
function appendDelta(view: SessionSnapshot, event: Extract<SessionEvent, { type: 'item.delta' }>): boolean {
  const at = view.items.findLastIndex((entry) => entry.itemId === event.itemId);
  const item = view.items[at];
  // An item of a page that is not loaded: nothing shown depends on it.
  if (item === undefined) return true;
  if (event.offset !== item.textLength) return false;
  const whole = item.text.length === item.textLength;
  view.items[at] = { ...item, rev: event.rev, text: whole ? item.text + event.text : item.text, textLength: item.textLength + event.text.length };
  return true;
}

/**
 * Brings a session's state one event forward, in place. The rule of every client: last + 1 applies, lower is a duplicate
 * and dropped, higher is a gap and the client subscribes again.
 */
export function applySessionEvent(view: SessionSnapshot, event: SessionEvent): ApplyResult {
  if (event.seq <= view.head) return { kind: 'duplicate' };
  if (event.seq !== view.head + 1) return { kind: 'gap' };
  const touched = applyBody(view, event);
  if (touched === null) return { kind: 'gap' };
  view.head = event.seq;
  return { kind: 'applied', touched };
}

function applyBody(view: SessionSnapshot, event: SessionEvent): Touched | null {
  switch (event.type) {
    case 'session.updated':
      view.session = event.session;
      return { session: true };
    case 'goal.updated':
      view.goal = event.goal;
      return { session: true };
    case 'turn.updated':
    case 'turn.ended':
      putTurn(view, event.turn);
      return { turnId: event.turn.turnId };
    case 'item.started':
    case 'item.updated':
    case 'item.ended':
      putItem(view, event.item);
      return { itemId: event.item.itemId };
    case 'item.delta':
      return appendDelta(view, event) ? { itemId: event.itemId, appended: event.text } : null;
    case 'approval.requested':
    case 'approval.updated':
      putApproval(view, event.approval);
      return { approvalId: event.approval.approvalId, itemId: event.approval.itemId };
    default:
      return assertNever(event);
  }
}

/** The same rule for a workspace's goals and sessions. Closed sessions stay in the list, marked closed. */
export function applyWorkspaceEvent(view: WorkspaceSnapshot, event: WorkspaceEvent): ApplyResult {
  if (event.seq <= view.head) return { kind: 'duplicate' };
  if (event.seq !== view.head + 1) return { kind: 'gap' };
  view.head = event.seq;
  switch (event.type) {
    case 'goal.updated':
      put(view.goals, event.goal, (entry) => entry.goalId === event.goal.goalId);
      break;
    case 'session.updated':
      put(view.sessions, event.session, (entry) => entry.sessionId === event.session.sessionId);
      break;
    // Rules are no part of the snapshot: who shows them asks for them.
    case 'grant.updated':
      break;
    default:
      assertNever(event);
  }
  return { kind: 'applied', touched: { session: true } };
}
