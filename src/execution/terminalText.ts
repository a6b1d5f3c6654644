// Escape sequences: CSI, OSC and other strings up to their end, and short ones. A string goes over no line end: one that was
// never closed must not swallow what comes after it.
const sequence = /\x1b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\|(?=\n))|[ -/]+[0-~]|[0-OQ-WYZ\\\x60-~])/y;
// What may yet become one.
const unfinished = /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)$/;
const special = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const oneByte = /[\x80-\x9f]/g;
const maxSequence = 4096;
// No terminal is wider; a program that moves on and on must not make a line of any length.
const maxColumn = 10_000;

/**
 * Turns what a program writes to a terminal into the text that stays: carriage returns overwrite, erasures erase,
 * colours, titles and links vanish. Whole lines are settled for good; only the last one may still change.
 */
export class TerminalText {
  #line = '';
  #column = 0;
  /** The beginning of a sequence whose end has not come. */
  #held = '';

  /** Returns the text that will not change any more, line ends included. */
  push(chunk: string): string {
    const text = this.#held + inTwoBytes(chunk);
    this.#held = '';
    if (!special.test(text) && this.#column === this.#line.length) return this.#plain(text);
    return this.#interpret(text);
  }

  /** The last line as it stands. */
  get unsettled(): string {
    return this.#line;
  }

  /** What is left when nothing more comes. */
  end(): string {
    const rest = this.#line;
    this.#line = '';
    this.#column = 0;
    this.#held = '';
    return rest;
  }

  #plain(text: string): string {
    const at = text.lastIndexOf('\n') + 1;
    const settled = at === 0 ? '' : this.#line + text.slice(0, at);
    this.#line = at === 0 ? this.#line + text : text.slice(at);
    this.#column = this.#line.length;
    return settled;
  }

  #interpret(text: string): string {
    let settled = '';
    let at = 0;
    while (at < text.length) {
      const plain = this.#takePlain(text, at);
      if (plain > at) {
        at = plain;
        continue;
      }
      const char = text[at] ?? '';
      if (char === '\x1b') {
        const end = this.#takeSequence(text, at);
        if (end === null) break;
        at = end;
        continue;
      }
      at += 1;
      if (char === '\n') {
        settled += `${this.#line}\n`;
        this.#line = '';
        this.#column = 0;
      } else if (char === '\r') this.#column = 0;
      else if (char === '\b') this.#column = Math.max(0, this.#column - 1);
    }
    return settled;
  }

  #takePlain(text: string, from: number): number {
    let end = from;
    while (end < text.length && text[end] !== '\n' && !special.test(text[end] ?? '')) end += 1;
    if (end > from) this.#write(text.slice(from, end));
    return end;
  }

  #write(text: string, moves = true): void {
    const padded = this.#line.padEnd(this.#column);
    this.#line = padded.slice(0, this.#column) + text + padded.slice(this.#column + text.length);
    if (moves) this.#column += text.length;
  }

  /** The place behind the sequence, or null when its end has not come yet. Of what is none only the escape vanishes. */
  #takeSequence(text: string, at: number): number | null {
    sequence.lastIndex = at;
    const match = sequence.exec(text);
    if (match === null) {
      const rest = text.slice(at, at + maxSequence + 1);
      if (rest.length > maxSequence || !unfinished.test(rest)) return at + 1;
      this.#held = rest;
      return null;
    }
    if (match[2] !== undefined) this.#control(match[2], Number.parseInt(match[1] ?? '', 10));
    return at + match[0].length;
  }

  #control(final: string, given: number): void {
    const count = Number.isNaN(given) ? 0 : given;
    const steps = Math.min(Math.max(count, 1), maxColumn);
    if (final === 'K' || final === 'J') this.#erase(count);
    else if (final === 'H' || final === 'f') this.#column = 0;
    else if (final === 'X') this.#write(' '.repeat(steps), false);
    else if (final === '@' && this.#line.length < maxColumn) this.#line = this.#line.slice(0, this.#column) + ' '.repeat(steps) + this.#line.slice(this.#column);
    else if (final === 'G') this.#column = steps - 1;
    else if (final === 'C') this.#column = Math.max(this.#column, Math.min(this.#column + steps, maxColumn));
    else if (final === 'D') this.#column = Math.max(0, this.#column - steps);
    else if (final === 'P') this.#line = this.#line.slice(0, this.#column) + this.#line.slice(this.#column + steps);
  }

  #erase(mode: number): void {
    if (mode === 0) this.#line = this.#line.slice(0, this.#column);
    else if (mode === 1) this.#line = ' '.repeat(Math.min(this.#column, this.#line.length)) + this.#line.slice(this.#column);
    else this.#line = '';
  }
}

/** Controls of one byte in the form that every terminal knows. */
const inTwoBytes = (text: string): string => text.replaceAll(oneByte, (char) => `\x1b${String.fromCharCode(char.charCodeAt(0) - 0x40)}`);
