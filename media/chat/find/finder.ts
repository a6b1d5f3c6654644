import type { Item } from '../../../src/protocol/item/state.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import { countOf } from './itemText.ts';
import { rangesIn } from './passages.ts';
import { patternOf, sieveOf } from './pattern.ts';

// A slice of work between two of anything else the page has to do.
const SLICE_MS = 8;
// Folds within folds: a tool's row, its output, a long diff.
const MAX_OPENED = 6;

/** What the find bar shows. */
export interface FindState {
  readonly query: string;
  /** How many there are in what has been looked at. */
  readonly total: number;
  /** Which of them is shown, from 1; 0: none. */
  readonly current: number;
  /** Not all of the session has been looked at yet. */
  readonly searching: boolean;
}

export interface FinderParts {
  readonly view: () => SessionSnapshot | null;
  /** The drawn transcript. */
  readonly scroll: () => HTMLElement | null;
  /** Draws the row of an item, now. */
  readonly drawItem: (itemId: string) => void;
  readonly bringIntoView: (range: Range) => void;
  readonly loadEarlier: () => void;
  readonly changed: () => void;
}

interface Hit {
  readonly itemId: string;
  /** Which of those in its item, from 0. */
  readonly n: number;
}

/** Looks for words in the whole session: in what is drawn, in what is left out, and in older messages, which it has loaded. Owned by the page. */
export class Finder {
  readonly #parts: FinderParts;
  #isOpen = false;
  #query = '';
  #pattern: RegExp | null = null;
  #sieve: RegExp | null = null;
  #counts = new WeakMap<Item, number>();
  #total = 0;
  #hit: Hit | null = null;
  #isWhole = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The first hit near the reader is gone to as soon as there is one. */
  #wants = false;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get state(): FindState | null {
    if (!this.#isOpen) return null;
    return { query: this.#query, total: this.#total, current: this.#hit === null ? 0 : this.#placeOf(this.#hit), searching: this.#pattern !== null && (!this.#isWhole || (this.#parts.view()?.earlier ?? null) !== null) };
  }

  open(query: string): void {
    this.#isOpen = true;
    if (query === '' || query === this.#query) this.#look();
    else this.find(query);
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.drawn();
    this.#parts.changed();
  }

  find(query: string): void {
    this.#query = query;
    [this.#pattern, this.#sieve] = [patternOf(query), sieveOf(query)];
    this.#counts = new WeakMap();
    [this.#hit, this.#total, this.#wants] = [null, 0, true];
    this.#look();
  }

  /** The session has changed, or more of it is here. */
  update(): void {
    if (!this.#isOpen || this.#pattern === null || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#look(), 150);
  }

  /** Another session is shown. */
  forget(): void {
    this.#counts = new WeakMap();
    [this.#hit, this.#total, this.#wants] = [null, 0, true];
    if (this.#isOpen) this.#look();
  }

  /** Goes to the next hit, or the one before; from the last to the first. */
  step(direction: 1 | -1): void {
    const hits = this.#hits();
    if (hits.length === 0) return;
    const at = this.#hit === null ? -1 : hits.findIndex(({ itemId, n }) => itemId === this.#hit?.itemId && n === this.#hit.n);
    const next = at < 0 ? this.#nearest(hits) : (at + direction + hits.length) % hits.length;
    this.#go(hits[next] ?? null);
  }

  /** Marks what is drawn; called when the page has been drawn. */
  drawn(): void {
    const [all, current]: [Range[], Range[]] = [[], []];
    const scroll = this.#parts.scroll();
    if (this.#isOpen && this.#pattern !== null && scroll !== null) {
      for (const element of scroll.querySelectorAll<HTMLElement>('[data-item-id]')) {
        const ranges = rangesIn(element, this.#pattern);
        const chosen = element.dataset['itemId'] === this.#hit?.itemId ? ranges[Math.min(this.#hit?.n ?? 0, ranges.length - 1)] : undefined;
        for (const range of ranges) (range === chosen ? current : all).push(range);
      }
    }
    CSS.highlights.set('found', new Highlight(...all));
    CSS.highlights.set('found-current', new Highlight(...current));
  }

  /** Counts in slices, so that whoever types goes on typing; then older messages are asked for, until there are none. */
  #look(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pattern = this.#pattern;
    this.#isWhole = pattern === null || this.#countSlice(pattern);
    if (!this.#isWhole) this.#timer = setTimeout(() => this.#look());
    else if (pattern !== null && this.#parts.view()?.earlier !== null) this.#parts.loadEarlier();
    if (this.#wants && this.#total > 0 && this.#isWhole) {
      this.#wants = false;
      this.step(1);
    }
    this.#parts.changed();
  }

  /** The newest first; true when all that is here has been looked at. */
  #countSlice(pattern: RegExp): boolean {
    const until = performance.now() + SLICE_MS;
    let isWhole = true;
    this.#total = 0;
    for (const item of (this.#parts.view()?.items ?? []).toReversed()) {
      let count = this.#counts.get(item);
      if (count === undefined && performance.now() < until) this.#counts.set(item, count = countOf(item, pattern, this.#sieve));
      isWhole &&= count !== undefined;
      this.#total += count ?? 0;
    }
    return isWhole;
  }

  #hits(): Hit[] {
    return (this.#parts.view()?.items ?? []).flatMap((item) => Array.from({ length: this.#counts.get(item) ?? 0 }, (_, n) => ({ itemId: item.itemId as string, n })));
  }

  #placeOf(hit: Hit): number {
    let place = 0;
    for (const item of this.#parts.view()?.items ?? []) {
      if (item.itemId === hit.itemId) return place + hit.n + 1;
      place += this.#counts.get(item) ?? 0;
    }
    return 0;
  }

  /** The first at or below the upper edge of what the reader sees; else the last. */
  #nearest(hits: readonly Hit[]): number {
    const scroll = this.#parts.scroll();
    const edge = scroll?.getBoundingClientRect().top ?? 0;
    const seen = [...scroll?.querySelectorAll<HTMLElement>('[data-item-id]') ?? []].find((element) => element.getBoundingClientRect().bottom > edge)?.dataset['itemId'];
    const order = new Map((this.#parts.view()?.items ?? []).map(({ itemId }, index) => [itemId as string, index]));
    const from = order.get(seen ?? '') ?? 0;
    const found = hits.findIndex(({ itemId }) => (order.get(itemId) ?? 0) >= from);
    return found < 0 ? hits.length - 1 : found;
  }

  #go(hit: Hit | null): void {
    this.#hit = hit;
    if (hit === null || this.#pattern === null) return;
    this.#parts.drawItem(hit.itemId);
    const element = this.#parts.scroll()?.querySelector(`[data-item-id="${CSS.escape(hit.itemId)}"]`) ?? null;
    if (element !== null) void this.#show(element, hit, this.#pattern);
    this.#parts.changed();
  }

  /** What is folded is opened, as a person would, as far as it takes. */
  async #show(element: Element, hit: Hit, pattern: RegExp): Promise<void> {
    const { itemId, n } = hit;
    let ranges = rangesIn(element, pattern);
    for (let opened = 0; ranges.length <= n && opened < MAX_OPENED; opened += 1) {
      const fold = [...element.querySelectorAll<HTMLElement>('button[aria-expanded="false"]')].find((button) => button.closest('[data-item-id]') === element && button.closest('.code-block') === null);
      if (fold === undefined) break;
      fold.click();
      // It is drawn in a moment.
      await new Promise((resolve) => { setTimeout(resolve); });
      if (this.#hit !== hit) return;
      this.#parts.drawItem(itemId);
      ranges = rangesIn(element, pattern);
    }
    let range = ranges[Math.min(n, ranges.length - 1)];
    if (range === undefined) return this.#parts.bringIntoView(wholeOf(element));
    const block = range.startContainer.parentElement?.closest('.code-block');
    const isHidden = block !== null && block !== undefined && range.getBoundingClientRect().bottom > (block.querySelector('pre')?.getBoundingClientRect().bottom ?? 0);
    if (isHidden) {
      block.querySelector<HTMLElement>('[data-unfold][aria-expanded="false"]')?.click();
      // What is coloured now has other nodes.
      range = rangesIn(element, pattern)[Math.min(n, ranges.length - 1)] ?? range;
    }
    this.#parts.bringIntoView(range);
    this.drawn();
  }
}

function wholeOf(element: Element): Range {
  const range = document.createRange();
  range.selectNode(element);
  return range;
}
