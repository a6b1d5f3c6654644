import type { ItemKind, ItemState } from '../../protocol/item/state.ts';
import type { EndedTurnState } from '../../protocol/turn/state.ts';
import type { ApprovalEnds } from '../approvals/approvalEnds.ts';
import type { ApprovalStore } from '../approvals/approvalStore.ts';
import type { Change } from '../events/change.ts';
import type { Effects } from '../items/effects.ts';
import { kindOf, type ItemStore } from '../items/itemStore.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import { isCrash, isOneTooMany, MAX_CRASHES, QUARANTINED, quarantineNotice } from './quarantine.ts';
import type { TurnRow, TurnStore } from './turnStore.ts';
import type { WaitingClaims } from './waitingClaims.ts';

export interface TurnOutcome {
  readonly state: EndedTurnState;
  readonly cause?: string;
  readonly detail?: string;
  readonly stopReason?: string;
  /** The executor is gone with the turn. */
  readonly executorGone?: true;
}

export interface TurnEndsOptions {
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly effects: Effects;
  readonly sessions: SessionStore;
  readonly approvals: ApprovalStore;
  readonly approvalEnds: ApprovalEnds;
  readonly waiting: WaitingClaims;
}

const TEXTS: ReadonlySet<ItemKind> = new Set<ItemKind>(['agent_message', 'thought', 'plan', 'user_message', 'notice', 'error']);

/** What becomes of an item that its turn leaves open: words said are said, an act that nobody saw end is not called a success. */
function leftOpen(kind: ItemKind, turn: EndedTurnState): Exclude<ItemState, 'started'> {
  if (turn === 'cancelled') return 'cancelled';
  return turn === 'completed' && TEXTS.has(kind) ? 'completed' : 'interrupted';
}

/** The one place where turns end: requests first, then items, then the turn itself, then its session is released. */
export class TurnEnds {
  readonly #options: TurnEndsOptions;

  constructor(options: TurnEndsOptions) {
    this.#options = options;
  }

  end(change: Change, turn: TurnRow, outcome: TurnOutcome): TurnRow {
    this.#endApprovals(change, turn, outcome);
    this.#endItems(change, turn, outcome.state);
    const isHeld = this.#isOneTooMany(turn, outcome);
    if (isHeld) this.#options.items.insertOwn(change, turn, quarantineNotice(change));
    const ended = this.#options.turns.patch(change, turn, {
      state: outcome.state,
      cause: outcome.cause ?? null,
      detail: outcome.detail ?? null,
      stopReason: outcome.stopReason ?? null,
      endedAt: change.now,
    });
    this.#release(change, ended, { ...outcome, isHeld });
    change.after(() => this.#options.waiting.wake(turn.sessionId));
    return ended;
  }

  #endApprovals(change: Change, turn: TurnRow, { state, cause }: TurnOutcome): void {
    const { approvals, approvalEnds } = this.#options;
    for (const approval of approvals.pendingOfTurn(turn.turnId)) {
      approvalEnds.end(change, approval, state === 'interrupted' ? 'orphaned' : 'cancelled', { cause: cause ?? `turn_${state}` });
    }
  }

  #endItems(change: Change, turn: TurnRow, state: EndedTurnState): void {
    const { items, effects } = this.#options;
    for (const item of items.open(turn.turnId)) {
      const unknown = effects.isOpen(item.itemId);
      items.update(change, item, unknown ? { state: 'interrupted', outcome: 'unknown' } : { state: leftOpen(kindOf(item), state) });
    }
  }

  /** A session whose turns go down one after the other with what runs them gets no more of them. */
  #isOneTooMany(turn: TurnRow, { state, cause, stopReason }: TurnOutcome): boolean {
    const { sessions, turns } = this.#options;
    const end = { state, cause: cause ?? null, stopReason: stopReason ?? null };
    if (!isCrash(end) || sessions.get(turn.sessionId).activeTurnId !== turn.turnId) return false;
    return isOneTooMany(end, turns.lastEnds(turn.sessionId, MAX_CRASHES - 1));
  }

  /** Conditional: a session goes free only from the turn that holds it. */
  #release(change: Change, turn: TurnRow, outcome: TurnOutcome & { readonly isHeld: boolean }): void {
    const { sessions } = this.#options;
    const session = sessions.get(turn.sessionId);
    const failed = outcome.state === 'failed' || outcome.state === 'interrupted';
    const lastErrorCode = failed ? (outcome.cause ?? null) : outcome.state === 'completed' ? null : session.lastErrorCode;
    if (session.activeTurnId !== turn.turnId) {
      change.touch(session.sessionId);
      return;
    }
    const status = session.status === 'busy' ? (outcome.executorGone === true ? 'stale' : 'ready') : session.status;
    sessions.patch(change, session, { activeTurnId: null, status, lastErrorCode, ...(outcome.isHeld ? { lastErrorCode: QUARANTINED, queuePaused: 1 } : {}) });
  }
}
