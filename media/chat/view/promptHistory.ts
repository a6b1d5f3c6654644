/** What the caret of a text field is like. */
interface Caret {
  readonly selectionStart: number;
  readonly selectionEnd: number;
  readonly value: string;
}

/** The prompts of the shown session, walked with the arrow keys; what was being written comes back at the end. */
export class PromptHistory {
  #shown: readonly string[] = [];
  #prompts: readonly string[] | null = [];
  /** Counts back from the newest; 0 is the text being written. */
  #back = 0;
  #own = '';

  /** Another session's prompts are never offered. */
  show(prompts: readonly string[]): void {
    this.#shown = prompts;
    this.#prompts = null;
  }

  /** Made when a key asks for it: there may be thousands. */
  get #all(): readonly string[] {
    return (this.#prompts ??= this.#shown.filter((prompt, index) => prompt !== this.#shown[index - 1]));
  }

  reset(): void {
    this.#back = 0;
  }

  /** The text to show instead, or null when the key is the caret's own. */
  step(direction: -1 | 1, { value: text, selectionStart, selectionEnd }: Caret): string | null {
    if (this.#back > 0 && text !== this.#at(this.#back)) this.#back = 0;
    if (selectionStart !== selectionEnd || !this.#mayLeave(direction, text, selectionStart)) return null;
    const next = this.#back - direction;
    if (next < 0 || next > this.#all.length) return null;
    if (this.#back === 0) this.#own = text;
    this.#back = next;
    return next === 0 ? this.#own : this.#at(next);
  }

  #mayLeave(direction: -1 | 1, text: string, at: number): boolean {
    if (direction === 1) return this.#back > 0 && !text.slice(at).includes('\n');
    // In a text of one's own the key moves the caret; only from its very beginning does it leave.
    return this.#back > 0 ? !text.slice(0, at).includes('\n') : at === 0;
  }

  #at(back: number): string {
    return this.#all.at(-back) ?? '';
  }
}
