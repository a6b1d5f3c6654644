import type { Output } from '../output/output.ts';
import type { Style } from '../output/spans.ts';

/** Writes running text piece by piece, each of its lines behind a prefix. */
export class StreamedText {
  readonly #output: Output;
  #isLineOpen = false;
  /** The end of a piece whose other half may come with the next. */
  #held: { text: string; style: Style } | null = null;

  constructor(output: Output) {
    this.#output = output;
  }

  async say(text: string, prefix: string, style: Style): Promise<void> {
    const whole = (this.#held?.text ?? '') + text;
    this.#held = null;
    const kept = splitsAtEnd(whole) ? whole.slice(-1) : '';
    const lines = whole.slice(0, whole.length - kept.length).replaceAll('\r\n', '\n').split('\n');
    for (const [at, line] of lines.entries()) {
      if (at > 0) await this.#breakLine(prefix, style);
      if (line === '') continue;
      if (!this.#isLineOpen) await this.#output.piece({ text: prefix, style });
      this.#isLineOpen = true;
      await this.#output.piece({ text: line, style });
    }
    if (kept !== '') this.#held = { text: kept, style };
  }

  /** The next thing begins on a line of its own. */
  async endLine(): Promise<void> {
    if (this.#held !== null) await this.#output.piece(this.#held);
    const wasOpen = this.#isLineOpen || this.#held !== null;
    this.#held = null;
    this.#isLineOpen = false;
    if (wasOpen) await this.#output.line();
  }

  async #breakLine(prefix: string, style: Style): Promise<void> {
    if (!this.#isLineOpen && prefix.trim() !== '') await this.#output.piece({ text: prefix, style });
    this.#isLineOpen = false;
    await this.#output.line();
  }
}

/** A line end of two characters, or a character of two halves, may be cut between them. */
const splitsAtEnd = (text: string): boolean => /[\r\ud800-\udbff]$/.test(text);
