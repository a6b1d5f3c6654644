import type { Token } from 'marked';
import { highlight } from './highlighter.ts';
import { setUnfolded } from './inertNodes.ts';
import { OpenFence } from './openFence.ts';
import { patchBlock } from './patchBlock.ts';
import { blocksOf, renderBlock } from './renderMarkdown.ts';

// Beyond these, parsing or breaking the lines would stall the page; the text is then shown as it came.
const MAX_CHARS = 250_000;
const MAX_LINE = 20_000;
// What is still being written may reach back over a blank line (lists, quotes), so the last blocks stay open.
const OPEN_BLOCKS = 3;

interface Block {
  readonly raw: string;
  readonly token: Token;
  readonly nodes: readonly Node[];
}

/** One message in its element: while it grows only the blocks that changed are drawn again; at its end it equals a one-shot rendering. */
export class StreamedMarkdown {
  readonly #element: HTMLElement;
  #text = '';
  #ended = false;
  /** How much of the text stands in blocks that cannot change any more. */
  #settled = 0;
  #open: Block[] = [];
  /** The last of them, while it is a block of code that only grows. */
  #fence: OpenFence | null = null;
  #plain: Text | null = null;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  update(text: string, ended: boolean): void {
    if (text === this.#text && ended === this.#ended) return;
    // Not startsWith, which the engine does character by character.
    const grown = this.#text !== '' && text.slice(0, this.#text.length) === this.#text;
    const staysPlain = grown && this.#plain !== null;
    if (staysPlain || text.length > MAX_CHARS || hasLongLine(text, grown ? this.#text.length : 0)) this.#drawPlain(text, staysPlain);
    else this.#tryToDraw(text, grown, ended);
    this.#text = text;
    this.#ended = ended;
  }

  /** Which blocks of code, counted from the first, the reader has opened. */
  get unfolded(): readonly number[] {
    return unfolded(blocksIn(this.#element));
  }

  unfold(blocks: readonly number[]): void {
    reopen(blocksIn(this.#element), blocks);
  }

  /** What the parser cannot take, such as thousands of levels, is shown as it came. */
  #tryToDraw(text: string, grown: boolean, ended: boolean): void {
    try {
      if (ended && (!grown || mayDefineLinks(text))) this.#drawWhole(text);
      else this.#drawOpen(text, grown, ended);
    } catch {
      this.#drawPlain(text, false);
    }
  }

  #drawPlain(text: string, goesOn: boolean): void {
    if (goesOn) return this.#plain?.appendData(text.slice(this.#text.length));
    this.#startOver();
    const block = document.createElement('div');
    block.className = 'plain-text';
    block.dir = 'auto';
    this.#plain = document.createTextNode(text);
    block.append(this.#plain);
    this.#element.replaceChildren(block);
  }

  /** A link defined at the end of a text holds for all of it, so such a text is drawn in one piece; where that changes nothing, nothing is touched. */
  #drawWhole(text: string): void {
    const whole = document.createElement('div');
    whole.append(...blocksOf(text).flatMap(renderBlock));
    reopen(blocksIn(whole), unfolded(blocksIn(this.#element)));
    highlight(whole);
    if (this.#text !== '' && whole.innerHTML === this.#element.innerHTML) return;
    this.#startOver();
    this.#element.replaceChildren(...whole.childNodes);
  }

  #drawOpen(text: string, grown: boolean, ended: boolean): void {
    if (!grown || this.#ended) this.#startOver();
    if (this.#goesOn(text.slice(this.#text.length)) && !ended) return;
    const blocks = blocksOf(text.slice(this.#settled));
    const same = this.#open.findIndex(({ raw }, index) => raw !== blocks[index]?.raw);
    const kept = same < 0 ? this.#open : [...this.#open.slice(0, same), ...patched(this.#open[same], blocks[same])];
    const left = this.#open.slice(kept.length).flatMap(({ nodes }) => nodes);
    const made = blocks.slice(kept.length).map((token) => ({ raw: token.raw, token, nodes: renderBlock(token) }));
    for (const node of left) this.#element.removeChild(node);
    this.#element.append(...made.flatMap(({ nodes }) => nodes));
    reopen(made.flatMap(({ nodes }) => nodes.flatMap(blocksIn)), unfolded(left.flatMap(blocksIn)));
    this.#open = [...kept, ...made];
    this.#colourClosed(ended);
    this.#settle(text);
    this.#fence = ended ? null : fenceAt(this.#open.at(-1), text);
  }

  /** True when what came only belongs to the open block of code, and stands there now. */
  #goesOn(piece: string): boolean {
    const last = this.#open.at(-1);
    if (last === undefined || this.#fence?.append(piece) !== true) return false;
    this.#open = this.#open.with(-1, { ...last, raw: this.#fence.raw });
    return true;
  }

  /** The last block may still grow, unless it is a block of code that has its end. */
  #colourClosed(ended: boolean): void {
    const last = this.#open.at(-1);
    const closed = ended || (last !== undefined && isClosedCode(last.raw)) ? this.#open : this.#open.slice(0, -1);
    for (const { nodes } of closed) for (const node of nodes) if (node instanceof Element) highlight(node);
  }

  /** Lets go of blocks that are far enough from the end, if they are the text letter by letter. */
  #settle(text: string): void {
    const done = this.#open.slice(0, -OPEN_BLOCKS);
    const length = done.reduce((sum, { raw }) => sum + raw.length, 0);
    if (length === 0 || text.slice(this.#settled, this.#settled + length) !== done.map(({ raw }) => raw).join('')) return;
    this.#settled += length;
    this.#open = this.#open.slice(done.length);
  }

  #startOver(): void {
    this.#plain = null;
    this.#fence = null;
    this.#settled = 0;
    this.#open = [];
    this.#element.replaceChildren();
  }
}

/** The block as it is now, where it could be brought there. */
function patched(old: Block | undefined, token: Token | undefined): readonly Block[] {
  if (old === undefined || token === undefined) return [];
  const open = unfolded(old.nodes.flatMap(blocksIn));
  if (!patchBlock(old.nodes[0], old.token, token)) return [];
  reopen(old.nodes.flatMap(blocksIn), open);
  return [{ raw: token.raw, token, nodes: old.nodes }];
}

const isClosedCode = (raw: string): boolean => /^ {0,3}(`{3,}|~{3,}).*\n(?:[\s\S]*\n)? {0,3}\1[`~]*\s*$/.test(raw);

/** Only of a text that ends as the block does: what comes next is then a piece of it. */
const fenceAt = (last: Block | undefined, text: string): OpenFence | null => (last !== undefined && text.endsWith(last.raw) ? OpenFence.of(last.raw, last.nodes[0]) : null);

// A line that begins with a label and a colon, perhaps inside lists and quotes.
const DEFINITION = /(?:^|[\r\n])[\s>*+\-\d.)]*\[(?:\\[\s\S]|[^[\]\\])+\]:/;

const mayDefineLinks = (text: string): boolean => text.includes(']:') && DEFINITION.test(text);

function blocksIn(node: Node): HTMLElement[] {
  if (!(node instanceof HTMLElement)) return [];
  return node.matches('.code-block') ? [node] : [...node.querySelectorAll<HTMLElement>('.code-block')];
}

const buttonOf = (block: HTMLElement | undefined): HTMLElement | null => block?.querySelector<HTMLElement>('[data-unfold]') ?? null;

const unfolded = (blocks: readonly HTMLElement[]): number[] => blocks.flatMap((block, index) => (buttonOf(block)?.ariaExpanded === 'true' ? [index] : []));

/** What is drawn anew stays open. */
function reopen(blocks: readonly HTMLElement[], open: readonly number[]): void {
  for (const index of open) {
    const button = buttonOf(blocks[index]);
    if (button !== null) setUnfolded(button, true);
  }
}

/** Looks at what came since `from`, and back to the beginning of the line it continues. */
function hasLongLine(text: string, from: number): boolean {
  let start = text.lastIndexOf('\n', from - 1) + 1;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    if ((end < 0 ? text.length : end) - start > MAX_LINE) return true;
    if (end < 0) return false;
    start = end + 1;
  }
  return false;
}
