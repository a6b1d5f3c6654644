import { countLines } from '../format/text.ts';
import { codeText, setLines } from './inertNodes.ts';

// At the left edge only: deeper ones have their indentation taken off each line.
const OPENING = /^(`{3,}(?=[^`\n]*\n)|~{3,})[^\n]*\n/;

/**
 * A block of code at the end of a growing text whose fence is not closed yet. What comes is appended, so that a piece costs what it holds, not what
 * stands before it. Lines up to the last line break are there for good; the rest, and the line break a block always ends with, is drawn anew.
 */
export class OpenFence {
  readonly #frame: HTMLElement;
  readonly #code: HTMLElement;
  readonly #closing: RegExp;
  #raw: string;
  #lines: number;
  /** Where the line begins that has no end yet. */
  #lineStart: number;
  #open: readonly Node[] = [];

  /** Null unless `raw`, drawn as `node`, is such a block. */
  static of(raw: string, node: Node | undefined): OpenFence | null {
    const fence = OPENING.exec(raw);
    const code = node instanceof HTMLElement && node.matches('.code-block') ? node.querySelector('code') : null;
    if (fence === null || code === null || raw.includes('\r')) return null;
    const closing = new RegExp(`^ {0,3}${fence[1] ?? ''}${raw.charAt(0)}* *$`, 'm');
    const content = raw.slice(fence[0].length);
    return closing.test(content) ? null : new OpenFence(node as HTMLElement, code, closing, raw, fence[0].length);
  }

  private constructor(frame: HTMLElement, code: HTMLElement, closing: RegExp, raw: string, from: number) {
    this.#frame = frame;
    this.#code = code;
    this.#closing = closing;
    this.#raw = raw.slice(0, from);
    this.#lineStart = from;
    this.#lines = 0;
    code.replaceChildren();
    this.append(raw.slice(from));
  }

  get raw(): string {
    return this.#raw;
  }

  /** False, and nothing done, when the block may end in what comes. */
  append(piece: string): boolean {
    const raw = this.#raw + piece;
    const lines = raw.slice(this.#lineStart);
    if (piece.includes('\r') || this.#closing.test(lines)) return false;
    const whole = lines.lastIndexOf('\n') + 1;
    for (const node of this.#open) node.parentNode?.removeChild(node);
    appendText(this.#code, lines.slice(0, whole));
    this.#lines += countLines(lines.slice(0, whole)) - 1;
    this.#raw = raw;
    this.#lineStart += whole;
    const rest = lines.slice(whole);
    const isEmpty = this.#code.firstChild === null && rest === '';
    this.#open = rest === '' && !isEmpty ? [] : codeText(`${rest}\n`);
    this.#code.append(...this.#open);
    setLines(this.#frame, this.#lines + (this.#open.length > 0 ? 1 : 0));
    return true;
  }
}

/** Text goes on in the text that is there: a node for each piece would be one for each frame. */
function appendText(code: HTMLElement, text: string): void {
  if (text === '') return;
  const [first, ...others] = codeText(text);
  const last = code.lastChild;
  if (first instanceof Text && last instanceof Text) last.appendData(first.data);
  else if (first !== undefined) code.append(first);
  code.append(...others);
}
