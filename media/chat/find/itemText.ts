import { terminalText } from '../../../src/base/terminalText.ts';
import type { FileChange, Item } from '../../../src/protocol/item/state.ts';
import { blocksOf, renderBlock } from '../markdown/renderMarkdown.ts';
import { textsIn } from './passages.ts';
import { occurrences } from './pattern.ts';

// May stand within a word without being seen.
const MARKS = /[*_~`\\]/g;

/** How often a pattern stands in what an item shows, or would show if all of it were opened. `sieve`: what its source must hold for that. */
export function countOf(item: Item, pattern: RegExp, sieve: RegExp | null): number {
  const isMarkdown = item.data.kind === 'agent_message' || item.data.kind === 'thought';
  if (isMarkdown && sieve !== null && item.text.replaceAll(MARKS, '').search(sieve) < 0) return 0;
  let texts = known.get(item);
  if (texts === undefined) known.set(item, texts = isMarkdown ? renderedTexts(item) : textsOf(item));
  return texts.reduce((sum, text) => sum + occurrences(text, pattern).length, 0);
}

/** What stands in an item: the same for every letter that is typed. */
const known = new WeakMap<Item, readonly string[]>();

function renderedTexts(item: Item): string[] {
  const element = document.createElement('div');
  try {
    element.append(...blocksOf(item.text).flatMap(renderBlock));
  } catch {
    element.textContent = item.text;
  }
  return textsIn(element);
}

const linesOf = ({ lines }: FileChange): string[] => lines.map(({ text }) => text);

/** What stands on the page for an item, line by line where it is shown so. */
function textsOf({ data, text }: Item): string[] {
  switch (data.kind) {
    case 'tool_call':
      return [data.title, ...data.locations.map(({ path }) => path), ...(data.input === undefined ? [] : [data.input]), ...(data.changes ?? []).flatMap((change) => [change.label, ...linesOf(change)]), terminalText(text)];
    case 'edit':
      return [data.change.label, ...linesOf(data.change)];
    case 'command':
      return [data.command, terminalText(text)];
    case 'plan':
      return data.entries.map(({ content }) => content);
    case 'error':
      return [text, data.next];
    default:
      return [text];
  }
}
