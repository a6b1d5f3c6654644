type Carets = Readonly<Record<string, readonly [number, number]>>;

const MAX_KEPT = 30;

/** Where the caret was in each conversation's draft. */
export class CaretMemory {
  readonly #save: (carets: Carets) => void;
  #carets: Carets;

  constructor(carets: Carets, save: (carets: Carets) => void) {
    this.#carets = carets;
    this.#save = save;
  }

  keep(conversation: string, input: Pick<HTMLTextAreaElement, 'selectionStart' | 'selectionEnd'>): void {
    const { [conversation]: _, ...others } = this.#carets;
    const entries = [...Object.entries(others), [conversation, [input.selectionStart, input.selectionEnd]] as const].slice(-MAX_KEPT);
    this.#carets = Object.fromEntries(entries);
    this.#save(this.#carets);
  }

  /** Moves the caret of a field that already holds the draft; it does not take the focus. */
  restore(conversation: string, input: Pick<HTMLTextAreaElement, 'setSelectionRange'>): void {
    const caret = this.#carets[conversation];
    if (caret !== undefined) input.setSelectionRange(caret[0], caret[1]);
  }
}
