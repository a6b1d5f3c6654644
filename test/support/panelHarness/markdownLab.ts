import '../../../media/chat/markdown/highlightMain.ts';
import { StreamedMarkdown } from '../../../media/chat/markdown/streamedMarkdown.ts';

/** The page's markdown alone, for tests that would take too long through the whole page. Bundled by openMarkdownLab. */
export interface MarkdownLab {
  /** What a message looks like that came in these pieces, at its end. */
  streamed(pieces: readonly string[]): string;
  /** And one that was there at once. */
  once(text: string): string;
  /** Whether the first element that a selector finds after the first piece is still there after all. */
  stays(pieces: readonly string[], selector: string): boolean;
  /** How many nodes were put in for it. */
  work(pieces: readonly string[]): { readonly added: number };
}

declare global {
  var markdownLab: MarkdownLab;
}

function draw(pieces: readonly string[], element: HTMLElement): void {
  const message = new StreamedMarkdown(element);
  let text = '';
  for (const piece of pieces) message.update(text += piece, false);
  message.update(text, true);
}

const html = (pieces: readonly string[]): string => {
  const element = document.createElement('div');
  document.body.replaceChildren(element);
  draw(pieces, element);
  return element.innerHTML;
};

globalThis.markdownLab = {
  streamed: html,
  once(text) {
    const element = document.createElement('div');
    new StreamedMarkdown(element).update(text, true);
    return element.innerHTML;
  },
  stays([first = '', ...others], selector) {
    const element = document.createElement('div');
    const message = new StreamedMarkdown(element);
    let text = first;
    message.update(text, false);
    const found = element.querySelector(selector);
    for (const piece of others) message.update(text += piece, false);
    return found !== null && element.contains(found);
  },
  work(pieces) {
    const element = document.createElement('div');
    document.body.replaceChildren(element);
    const observer = new MutationObserver(() => undefined);
    observer.observe(element, { childList: true, subtree: true });
    draw(pieces, element);
    return { added: observer.takeRecords().reduce((sum, { addedNodes }) => sum + addedNodes.length, 0) };
  },
};
