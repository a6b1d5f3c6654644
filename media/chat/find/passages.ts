import { occurrences } from './pattern.ts';

/** Words that stand in one block, with the nodes that hold them. */
interface Passage {
  readonly text: string;
  readonly nodes: readonly Text[];
}

// What is said about the words, and is none of them.
const ASIDE = '.code-bar, .unfold, .output-more, .more, .spoken, .codicon, [aria-hidden="true"], button.icon-button';
const BLOCKS = 'p, li, td, th, h1, h2, h3, h4, h5, h6, pre, .plain-text, .bubble, .summary, .row, .line, .card-title, .step, div, section';

/** Where a pattern stands in what is drawn of an item, in order, without what belongs to others in it. */
export function rangesIn(root: Element, pattern: RegExp): Range[] {
  return passagesIn(root).flatMap(({ text, nodes }) => occurrences(text, pattern).map(({ from, to }) => rangeOf(nodes, from, to)));
}

export const textsIn = (root: Element): string[] => passagesIn(root).map(({ text }) => text);

function passagesIn(root: Element): Passage[] {
  const owner = root.closest('[data-item-id]');
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const passages: { block: Element | null; text: string; nodes: Text[] }[] = [];
  while (walker.nextNode() !== null) {
    const node = walker.currentNode as Text;
    const parent = node.parentElement;
    if (node.data === '' || parent === null || parent.closest(ASIDE) !== null || parent.closest('[data-item-id]') !== owner) continue;
    const block = parent.closest(BLOCKS);
    const last = passages.at(-1);
    if (last !== undefined && last.block === block) {
      last.text += node.data;
      last.nodes.push(node);
    } else passages.push({ block, text: node.data, nodes: [node] });
  }
  return passages;
}

function rangeOf(nodes: readonly Text[], from: number, to: number): Range {
  const range = document.createRange();
  let at = 0;
  for (const node of nodes) {
    const end = at + node.length;
    if (from >= at && from < end) range.setStart(node, from - at);
    if (to > at && to <= end) range.setEnd(node, to - at);
    at = end;
  }
  return range;
}
