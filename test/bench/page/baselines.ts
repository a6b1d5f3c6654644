import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from '@tanstack/virtual-core';
import DOMPurify from 'dompurify';
import hljs from 'highlight.js/lib/core';
import typescript from 'highlight.js/lib/languages/typescript';
import { Marked } from 'marked';
import { type ComponentChildren, h, render } from 'preact';
import { default_renderer, parser, parser_end, parser_write } from 'streaming-markdown';
import { RowSplitter } from '../../../media/chat/rows.ts';
import { Transcript } from '../../../media/chat/transcript.ts';
import { type Surroundings, SurroundingsContext, draw } from '../../../media/chat/view/dom.ts';
import { RowView } from '../../../media/chat/view/turn.ts';
import type { Item } from '../../../src/protocol/item/state.ts';
import type { PanelState } from '../../../src/protocol/panel.ts';
import { eachFrame, longMarkdown, longState, nextFrame, painted, watchTasks } from './fixture.ts';

/** What the page is compared with, in a page of the same looks. */
export interface Baselines {
  prepare(seed: PanelState, messages: number): void;
  longTasks(): number;
  /** Every row of the product in the page. */
  fullDom(): Promise<void>;
  /** Rows with nothing but their words, windowed by @tanstack/virtual-core, at the end. */
  windowedPlain(): Promise<void>;
  /** Parses, cleans and colours the whole message anew with each frame. */
  perFrame(deltas: number, perFrame: number): Promise<void>;
  /** The streaming-markdown package, with each delta; neither cleaned nor coloured. The intervals between frames, in ms. */
  streaming(deltas: number, perFrame: number): Promise<readonly number[]>;
}

declare global {
  var baselines: Baselines;
}

hljs.registerLanguage('typescript', typescript);
hljs.registerAliases('ts', { languageName: 'typescript' });
const marked = new Marked({ gfm: true, breaks: true });
let prepared: PanelState | null = null;

const box = (className: string, children: ComponentChildren) => h('div', { class: className }, children);

function page(content: ComponentChildren): void {
  render(box('panel', box('middle', h('main', { class: 'scroll' }, box('content', content)))), document.body);
  const view = document.querySelector('main');
  if (view !== null) view.scrollTop = view.scrollHeight;
}

function drawPlain(window: Virtualizer<HTMLElement, HTMLElement>, items: readonly Item[], content: HTMLElement): void {
  const shown = window.getVirtualItems();
  render(h('div', { style: { height: `${window.getTotalSize()}px`, position: 'relative' } }, shown.map(({ index, start }) => {
    const item = items[index];
    return h('section', { 'class': 'turn', 'key': index, 'data-index': index, 'ref': (element: HTMLElement | null) => { window.measureElement(element); }, 'style': { position: 'absolute', top: `${start}px`, left: 0, right: 0 } },
      item?.data.kind === 'user_message' ? box('bubble', item.text) : box('agent-message', h('p', null, item?.text)));
  })), content);
}

function message(): HTMLElement {
  page(h('section', { class: 'turn' }, box('agent-message', box('markdown', null))));
  return document.querySelector<HTMLElement>('.markdown') ?? document.body;
}

function stream(deltas: number, perFrame: number, write: (delta: string) => void, draw: () => void): Promise<readonly number[]> {
  const text = longMarkdown(deltas * 20);
  const view = document.querySelector('main');
  return eachFrame(Math.ceil(deltas / perFrame), (frame) => {
    for (let n = frame * perFrame; n < (frame + 1) * perFrame; n += 1) write(text.slice(n * 20, n * 20 + 20));
    draw();
    if (view !== null) view.scrollTop = view.scrollHeight;
  });
}

const tasks = watchTasks();

// The product's own script takes it away, too.
document.querySelector('.not-loaded')?.remove();

globalThis.baselines = {
  longTasks: tasks,
  prepare(seed, messages) {
    prepared = longState(seed, messages, 1);
  },
  async fullDom() {
    const view = prepared?.view;
    if (view === null || view === undefined) throw new Error('nothing is prepared');
    const surroundings = { actions: { post: () => undefined }, windowClientId: '', windowId: '', agentLabel: '', deciding: new Map(), retrying: new Set(), marked: null, pending: [] } as unknown as Surroundings;
    const rows = new RowSplitter().rows(new Transcript().parts(view));
    page(draw(SurroundingsContext.Provider, { value: surroundings, children: box('rows', rows.map((row) => draw(RowView, { row, stopping: false, turnCount: view.turns.length, key: row.key }))) }));
    await painted();
  },
  async windowedPlain() {
    const items = prepared?.view?.items ?? [];
    render(box('panel', box('middle', h('main', { class: 'scroll' }, box('content', null)))), document.body);
    const [view, content] = [document.querySelector('main'), document.querySelector<HTMLElement>('.content')];
    if (view === null || content === null) throw new Error('no page');
    const window = new Virtualizer<HTMLElement, HTMLElement>({
      count: items.length, getScrollElement: () => view, estimateSize: () => 60, overscan: 10, scrollToFn: elementScroll, observeElementRect, observeElementOffset, onChange: () => drawPlain(window, items, content),
    });
    window._didMount();
    window._willUpdate();
    drawPlain(window, items, content);
    window.scrollToIndex(items.length - 1, { align: 'end' });
    await nextFrame();
    await painted();
    window._didMount()();
    render(null, document.body);
  },
  async perFrame(deltas, perFrame) {
    const element = message();
    let text = '';
    await stream(deltas, perFrame, (delta) => { text += delta; }, () => {
      element.innerHTML = DOMPurify.sanitize(marked.parse(text, { async: false }));
      for (const code of element.querySelectorAll<HTMLElement>('pre code[class]')) hljs.highlightElement(code);
    });
  },
  streaming(deltas, perFrame) {
    const writer = parser(default_renderer(message()));
    return stream(deltas, perFrame, (delta) => { parser_write(writer, delta); }, () => undefined).then((times) => { parser_end(writer); return times; });
  },
};
