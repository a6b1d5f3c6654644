import type { FromPanel } from '../../src/protocol/panel.ts';

/** What was typed last on this page. */
export interface KeptDraft {
  readonly conversation: string;
  readonly text: string;
  /** ms since 1970. */
  readonly at: number;
}

interface DraftShelf {
  /** The newest that this page has kept of a conversation over its own reload. */
  readonly find: (conversation: string) => KeptDraft | null;
  /** With every key. */
  readonly keep: (draft: KeptDraft) => void;
  /** The extension has had time to store what it was told. */
  readonly stored: (conversation: string) => void;
}

const QUIET_MS = 100;
/** After this the editor has written down what it was told. */
const STORED_MS = 10_000;
/** More is not written down with every key; the extension has it a moment later. */
const MAX_KEPT = 100_000;

/** What stands in the composer: kept by the page at once, told to the extension with the first key and then at most so often, and whenever the page may go away. */
export class Draft {
  readonly #post: (message: FromPanel) => void;
  readonly #shelf: DraftShelf;
  #conversation = '';
  #text = '';
  #at = 0;
  #unsent = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #storing: ReturnType<typeof setTimeout> | undefined;

  constructor(post: (message: FromPanel) => void, shelf: DraftShelf) {
    this.#post = post;
    this.#shelf = shelf;
  }

  get text(): string {
    return this.#text;
  }

  /** Goes over to another conversation; what was typed in the last one is told first. The same one again changes nothing. */
  show(conversation: string, text: string, at: number): void {
    if (conversation === this.#conversation) return;
    this.flush();
    const isFirst = this.#conversation === '';
    this.#conversation = conversation;
    [this.#text, this.#at] = [text, at];
    const kept = isFirst ? this.#shelf.find(conversation) : null;
    // Typed just before the page went away, and never told.
    if (kept !== null && kept.at > at) this.set(kept.text);
  }

  set(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#at = Date.now();
    this.#unsent = true;
    if (text.length <= MAX_KEPT) this.#shelf.keep({ conversation: this.#conversation, text, at: this.#at });
    if (this.#timer !== undefined) return;
    this.#tell();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tell();
    }, QUIET_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#tell();
  }

  #tell(): void {
    if (!this.#unsent) return;
    this.#unsent = false;
    const conversation = this.#conversation;
    this.#post({ type: 'draft', conversation, text: this.#text, at: this.#at });
    clearTimeout(this.#storing);
    this.#storing = setTimeout(() => this.#shelf.stored(conversation), STORED_MS);
  }
}
