import { loadScript } from '../loadScript.ts';

declare global {
  /** Set by the script of highlightMain: colours a block of code, of a folded one what is seen. `rest`: only one that was coloured so far, and is unfolded now. */
  var attacheHighlight: ((block: HTMLElement, rest?: true) => void) | undefined;
}

const PLAIN = '.code-block[data-language]:not([data-coloured])';

/** Blocks for which the script has not come yet; null before it was asked for. */
let waiting: Set<HTMLElement> | null = null;

/** Colours the blocks of code below an element, all of them closed; at once, or as soon as the script for it has come. Changes no character and no size. */
export function highlight(root: Element | DocumentFragment): void {
  const blocks = [...root.querySelectorAll<HTMLElement>(PLAIN)];
  if (root instanceof HTMLElement && root.matches(PLAIN)) blocks.push(root);
  if (blocks.length > 0) colourAll(blocks);
}

function colourAll(blocks: readonly HTMLElement[]): void {
  const colour = globalThis.attacheHighlight;
  if (colour !== undefined) for (const block of blocks) colour(block);
  else if (waiting === null) load(blocks);
  else {
    for (const block of waiting) if (!block.isConnected) waiting.delete(block);
    for (const block of blocks) waiting.add(block);
  }
}

function load(blocks: readonly HTMLElement[]): void {
  const all = (waiting = new Set(blocks));
  // Each in a task of its own, and none in that of the script itself.
  const colourNext = (): void => {
    const [block] = all;
    if (block === undefined) return;
    all.delete(block);
    globalThis.attacheHighlight?.(block);
    setTimeout(colourNext);
  };
  loadScript('highlight.js', () => setTimeout(colourNext));
}
