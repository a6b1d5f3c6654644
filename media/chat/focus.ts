interface FocusParts {
  readonly root: HTMLElement;
  readonly input: { readonly current: HTMLTextAreaElement | null };
  /** Something else is about to have the focus. */
  readonly isTaken: () => boolean;
}

/** What has the focus before the page is drawn. */
interface Held {
  readonly element: Element | null;
  /** The request it is part of. */
  readonly card: string | undefined;
}

/** As long as the editor may take to answer a key of its own, such as F1, and to move the keyboard there. */
const LEAVING_MS = 500;

/** A key by which a person goes elsewhere in the editor. */
const leads = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => /^F\d+$/.test(key) || ((ctrlKey || metaKey) && key.length === 1);

/** Where the keyboard is. A person who opens the chat writes at once, and nobody who reads, presses or is elsewhere loses the focus to it. Owned by the page. */
export class Focus {
  readonly #parts: FocusParts;
  /** Where the caret is to be once the composer has the focus. */
  #wantsInput: 'start' | 'end' | null = null;
  #pressing = false;
  /** The keyboard is elsewhere in the editor. */
  #isAway = !document.hasFocus();
  #leavesUntil = 0;

  constructor(parts: FocusParts, signal: AbortSignal) {
    this.#parts = parts;
    window.addEventListener('blur', () => { this.#isAway = true; }, { signal });
    window.addEventListener('focus', () => { this.#isAway = false; this.catch(); }, { signal });
    document.addEventListener('keydown', (event) => { this.#leavesUntil = leads(event) ? performance.now() + LEAVING_MS : 0; }, { signal, capture: true });
    document.addEventListener('pointerdown', () => { this.#pressing = true; }, { signal, capture: true });
    for (const end of ['pointerup', 'pointercancel'] as const) document.addEventListener(end, () => { this.#pressing = false; }, { signal, capture: true });
  }

  wantInput(caret: 'start' | 'end'): void {
    this.#wantsInput = caret;
  }

  /** The editor has given the page the keyboard and no part of it: a person opened the chat to write. Never takes it from elsewhere. */
  catch(): void {
    const isFree = document.hasFocus() && (document.activeElement === document.body || document.activeElement === null);
    const isReading = this.#pressing || document.getSelection()?.isCollapsed === false;
    if (isFree && !isReading && !this.#parts.isTaken()) this.#parts.input.current?.focus({ preventScroll: true });
  }

  /** To be kept over a drawing, and given to `keep` after it. */
  held(): Held {
    const element = document.activeElement;
    return { element, card: element?.closest<HTMLElement>('[data-approval-id]')?.dataset['approvalId'] };
  }

  /** What had the focus may be gone. A card that became a receipt hands it to the receipt; from anywhere else a person goes on where they write. */
  keep(held: Held): void {
    const { element, card } = held;
    if (element?.isConnected !== false || document.activeElement !== document.body || this.#isAway) return;
    const left = this.#leavesUntil - performance.now();
    // Whoever has just called for the command palette would lose it: the page hears only later that the keyboard has gone there.
    if (left > 0) return void setTimeout(() => this.keep(held), left);
    const receipt = card === undefined ? null : this.#parts.root.querySelector<HTMLElement>(`[data-approval-id="${CSS.escape(card)}"] button`);
    (receipt ?? this.#parts.input.current)?.focus({ preventScroll: true });
  }

  /** Goes to the composer, where that was wanted and it is there. */
  serve(): void {
    const { current } = this.#parts.input;
    if (this.#wantsInput === null || current === null) return;
    const at = this.#wantsInput === 'start' ? 0 : current.value.length;
    this.#wantsInput = null;
    current.focus();
    current.setSelectionRange(at, at);
    if (at === 0) current.scrollTop = 0;
  }
}
