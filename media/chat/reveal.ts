import type { Actions } from './actions.ts';
import { t } from './l10n.ts';
import type { RowStage } from './rowStage.ts';
import type { Scroller } from './scroller.ts';
import type { PanelStore, Reveal } from './store.ts';

const MARK_MS = 2500;
const MAX_AIMS = 3;

interface RevealingParts {
  readonly root: HTMLElement;
  readonly store: PanelStore;
  readonly actions: Actions;
  readonly rows: RowStage;
  readonly scroller: () => Scroller | null;
  readonly drawSoon: () => void;
}

/** Brings one request, or one part of the transcript, to where a person sees it, wherever in the session it is. Owned by the page, which serves it when it has drawn. */
export class Revealing {
  readonly #parts: RevealingParts;
  #wanted: Reveal | null = null;
  /** How often its row was drawn and the card was not in it: a card that cannot be drawn is not looked for for ever. */
  #aims = 0;
  /** Up to where older messages were asked for on its behalf; null: nowhere yet. */
  #sought: string | null = null;

  constructor(parts: RevealingParts) {
    this.#parts = parts;
  }

  get isWanted(): boolean {
    return this.#wanted !== null;
  }

  want(reveal: Reveal): void {
    [this.#wanted, this.#aims, this.#sought] = [reveal, 0, null];
  }

  serve(): void {
    if (this.#wanted === null) return;
    const { approvalId, itemId, focus } = this.#wanted;
    const { root, scroller, store } = this.#parts;
    const [name, id] = approvalId === undefined ? ['item', itemId ?? ''] : ['approval', approvalId];
    const element = root.querySelector<HTMLElement>(`[data-${name}-id="${CSS.escape(id)}"]`);
    if (element === null) return this.#seek(this.#wanted);
    this.#wanted = null;
    scroller()?.reveal(element, approvalId === undefined ? 'start' : 'nearest');
    // The card and not its first button: who goes on typing a moment longer must not press it.
    if (focus) element.focus({ preventScroll: true });
    if (approvalId === undefined) return this.#markFound(element);
    store.update({ markedApprovalId: approvalId });
    setTimeout(() => store.page.markedApprovalId === approvalId && store.update({ markedApprovalId: null }), MARK_MS);
  }

  /** It is not drawn: its row is, next time; where there is no such row, older messages are asked for until there is. */
  #seek(reveal: Reveal): void {
    const { rows, store, actions, drawSoon } = this.#parts;
    if (rows.aimAt(reveal)) {
      this.#aims += 1;
      if (this.#aims <= MAX_AIMS) drawSoon();
      // A part of the transcript that has no place of its own on the page, such as a message that was taken back.
      else if (reveal.itemId !== undefined) this.#wanted = null;
      return;
    }
    const { state, page } = store;
    if (reveal.itemId === undefined || page.loadingEarlier || state === null || state.view === null) return;
    const { earlier, earlierItem } = state.view;
    const place = `${earlier}/${earlierItem}`;
    // The same place again: nothing came of it.
    if (earlier === null || place === this.#sought) {
      this.#wanted = null;
      return store.update({ toast: { message: t('The message was not found in this session.'), next: '' } });
    }
    if (this.#sought === null) store.update({ toast: { message: t('Looking for the message…'), next: '' } });
    this.#sought = place;
    actions.loadEarlier();
  }

  #markFound(element: HTMLElement): void {
    element.classList.add('found');
    setTimeout(() => element.classList.remove('found'), MARK_MS);
    if (this.#sought !== null) this.#parts.actions.hideToast();
  }
}
