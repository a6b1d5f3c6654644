import { Emitter } from '../../src/base/event.ts';
import type { FromPanel, PanelState, ToPanel, TryAgain } from '../../src/protocol/panel.ts';
import type { ToComposer } from '../../src/protocol/panelAttachment.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import { applySessionEvent, byPlace } from '../../src/protocol/subscription/reducer.ts';
import type { SessionSnapshot } from '../../src/protocol/subscription/state.ts';

/** A quiet line at the bottom. */
export interface Toast {
  readonly message: string;
  readonly next: string;
  readonly again?: TryAgain | undefined;
}

/** A request, or a part of the transcript, that a person wants to see. */
export interface Reveal {
  readonly approvalId?: string;
  readonly itemId?: string;
  readonly focus: boolean;
}

/** What exists only on this page. */
export interface PageState {
  readonly stoppingTurnId: string | null;
  /** Requests answered here whose answer is on its way, with the option pressed. */
  readonly deciding: ReadonlyMap<string, string>;
  /** Turns whose Retry was pressed: a second press would run the message twice. */
  readonly retrying: ReadonlySet<string>;
  readonly toast: Toast | null;
  readonly loadingEarlier: boolean;
  /** The request that was revealed last; it is marked for a moment. */
  readonly markedApprovalId: string | null;
}

const FRESH: PageState = { stoppingTurnId: null, deciding: new Map(), retrying: new Set(), toast: null, loadingEarlier: false, markedApprovalId: null };

/** What one message from the extension did, for those who do more than draw. */
export type StoreChange =
  | { readonly kind: 'replaced'; readonly before: PanelState | null; readonly after: PanelState }
  | { readonly kind: 'event'; readonly event: SessionEvent }
  | { readonly kind: 'reveal'; readonly reveal: Reveal }
  | { readonly kind: 'prefill'; readonly text: string; readonly caret: 'start' | 'end' }
  | { readonly kind: 'composer'; readonly message: ToComposer }
  | { readonly kind: 'focusInput' }
  | { readonly kind: 'other' };

/** The state goes on changing in place: the requests that waited with it are kept beside it. */
export function asItIs(change: StoreChange): StoreChange {
  if (change.kind !== 'replaced' || change.after.view === null) return change;
  return { ...change, after: { ...change.after, view: { ...change.after.view, approvals: [...change.after.view.approvals] } } };
}

/** What stands in the transcript and was not there before. Bookkeeping, one's own answers and messages that only wait are no news to a reader. */
export function bringsNews({ event }: Extract<StoreChange, { kind: 'event' }>, state: PanelState | null): boolean {
  if (event.type === 'approval.requested' || event.type === 'turn.ended') return true;
  if (event.type === 'item.delta') return true;
  if (event.type !== 'item.started' && event.type !== 'item.ended') return false;
  return state?.view?.turns.find(({ turnId }) => turnId === event.item.turnId)?.state !== 'queued';
}

/** The one place where the page's state changes. It never asks the DOM and never guesses: the transcript comes only from the extension. */
export class PanelStore {
  readonly #post: (message: FromPanel) => void;
  readonly #changed = new Emitter<StoreChange>();
  #state: PanelState | null = null;
  #page: PageState = FRESH;
  #resyncing = false;

  readonly onChange = this.#changed.event;

  constructor(post: (message: FromPanel) => void) {
    this.#post = post;
  }

  get state(): PanelState | null {
    return this.#state;
  }

  get page(): PageState {
    return this.#page;
  }

  update(change: Partial<PageState>): void {
    this.#page = { ...this.#page, ...change };
    this.#changed.fire({ kind: 'other' });
  }

  receive(message: ToPanel): void {
    if (isForComposer(message)) return this.#changed.fire({ kind: 'composer', message });
    switch (message.type) {
      case 'state':
        return this.#replace(message.state);
      case 'events':
        return this.#applyAll(message.generation, message.events);
      case 'chrome':
        if (this.#state !== null) this.#state = { ...this.#state, chrome: message.chrome };
        return this.#changed.fire({ kind: 'other' });
      case 'history':
        return this.#prepend(message);
      case 'item':
        return this.#putItem(message);
      case 'toast':
        return this.update({ toast: message, stoppingTurnId: null, loadingEarlier: false, retrying: new Set() });
      case 'decideFailed':
        return this.#undecide(message.approvalId);
      case 'reveal':
        return this.#changed.fire({ kind: 'reveal', reveal: message });
      case 'revealItem':
        return this.#changed.fire({ kind: 'reveal', reveal: { itemId: message.itemId, focus: false } });
      case 'prefill':
        return this.#changed.fire({ kind: 'prefill', text: message.text, caret: message.caret ?? 'end' });
      case 'focusInput':
        return this.#changed.fire({ kind: 'focusInput' });
    }
  }

  #replace(after: PanelState): void {
    const before = this.#state;
    this.#state = after;
    this.#resyncing = false;
    const same = before?.conversation === after.conversation;
    this.#page = same ? { ...this.#page, loadingEarlier: false, stoppingTurnId: null, retrying: new Set(), deciding: stillPending(this.#page.deciding, after.view) } : FRESH;
    this.#changed.fire({ kind: 'replaced', before, after });
  }

  #applyAll(generation: number, events: readonly SessionEvent[]): void {
    const view = this.#viewOf(generation);
    if (view === null) return;
    for (const event of events) {
      const result = applySessionEvent(view, event);
      if (result.kind === 'gap') return this.#resync();
      if (result.kind === 'applied') this.#applied(event);
    }
  }

  #applied(event: SessionEvent): void {
    if (event.type === 'approval.updated') this.#page = { ...this.#page, deciding: without(this.#page.deciding, event.approval.approvalId) };
    if (event.type === 'turn.ended' && event.turn.turnId === this.#page.stoppingTurnId) this.#page = { ...this.#page, stoppingTurnId: null };
    this.#changed.fire({ kind: 'event', event });
  }

  /** Something is missing: the extension is asked for everything, once. */
  #resync(): void {
    if (this.#resyncing) return;
    this.#resyncing = true;
    this.#post({ type: 'ready' });
  }

  #prepend({ generation, page }: Extract<ToPanel, { type: 'history' }>): void {
    const view = this.#viewOf(generation);
    if (view === null) return;
    // A long turn comes in several pieces, and what of it still grows is here already.
    view.turns = joined(page.turns, view.turns, ({ turnId }) => turnId);
    view.items = joined(page.items, view.items, ({ itemId }) => itemId).sort(byPlace);
    view.approvals = joined(page.approvals, view.approvals, ({ approvalId }) => approvalId);
    view.earlier = page.earlier;
    if (page.earlierItem === undefined) delete view.earlierItem;
    else view.earlierItem = page.earlierItem;
    this.update({ loadingEarlier: false });
  }

  #putItem({ generation, item }: Extract<ToPanel, { type: 'item' }>): void {
    const view = this.#viewOf(generation);
    const at = view?.items.findIndex((entry) => entry.itemId === item.itemId) ?? -1;
    // An answer that is older than what is shown would take text away.
    if (view === null || at < 0 || (view.items[at]?.rev ?? 0) > item.rev) return;
    view.items[at] = item;
    this.#changed.fire({ kind: 'other' });
  }

  #undecide(approvalId: string): void {
    this.update({ deciding: without(this.#page.deciding, approvalId) });
  }

  #viewOf(generation: number): SessionSnapshot | null {
    return this.#state?.generation === generation ? this.#state.view : null;
  }
}

const isForComposer = (message: ToPanel): message is ToComposer => ['attachments', 'attachFailed', 'mentions', 'picture'].includes(message.type);

/** What is here is newer than the same thing in an answer. */
function joined<T>(before: readonly T[], here: readonly T[], keyOf: (entry: T) => string): T[] {
  const known = new Set(here.map(keyOf));
  return [...before.filter((entry) => !known.has(keyOf(entry))), ...here];
}

function without(deciding: ReadonlyMap<string, string>, approvalId: string): ReadonlyMap<string, string> {
  if (!deciding.has(approvalId)) return deciding;
  const left = new Map(deciding);
  left.delete(approvalId);
  return left;
}

function stillPending(deciding: ReadonlyMap<string, string>, view: SessionSnapshot | null): ReadonlyMap<string, string> {
  const pending = new Set<string>(view?.approvals.filter(({ status }) => status === 'pending').map(({ approvalId }) => approvalId));
  return new Map([...deciding].filter(([approvalId]) => pending.has(approvalId)));
}
