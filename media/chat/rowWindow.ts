import type { Row } from './rows.ts';

// Beyond the edges of the view, so that an ordinary movement finds its rows drawn.
const OVERSCAN_PX = 600;
// A movement that comes nearer to the edge of what is drawn than this draws more.
const MARGIN_PX = 200;
const GUESS_PX = 120;
// What is selected stays drawn as a whole up to this many rows; of more only its ends.
const MAX_SELECTED = 200;
// A transcript of no more items than this is drawn whole: searches in the page and screen readers then reach all of it.
const SHORT_ITEMS = 60;

/** What the reader looks at: a row and how far its top is below that of the view; or the end, wherever that is. Never pixels of the whole, for those of what is left out are guessed. */
export type Sight =
  | { readonly at: 'end'; readonly height: number }
  | { readonly at: 'row'; readonly index: number; readonly offset: number; readonly height: number };

/** A row, or the space of those that are left out. */
export type Entry = { readonly row: Row } | { readonly gap: number; readonly key: string };

/** Chooses which rows are drawn, so that their number does not grow with the transcript. Knows the height of each row that was drawn once; owned by the page. */
export class RowWindow {
  #heights = new Map<string, number>();
  /** For rows never drawn: the mean of the first that were. */
  #guess: number | null = null;
  #rows: readonly Row[] = [];
  /** Where each row begins, and the last one ends; right up to `#known`. */
  #tops: number[] = [0];
  #known = 0;
  /** What was chosen last, in its own pixels. */
  #drawn: readonly [number, number] = [0, 0];

  /** Another conversation: nothing is known of its rows. */
  forget(): void {
    this.#heights = new Map();
    this.#guess = null;
    this.#known = 0;
  }

  /** `kept`: keys of rows that must not go, in order; what lies between them stays too when it was selected. */
  choose(rows: readonly Row[], sight: Sight, kept: KeptRows): Entry[] {
    const tops = this.#topsOf(rows);
    const [from, to] = edges(sight, tops);
    this.#drawn = isShort(rows) ? [-Infinity, Infinity] : [from - OVERSCAN_PX, to + OVERSCAN_PX];
    const entries: Entry[] = [];
    let next = 0;
    for (const index of this.#indexes(kept)) {
      const row = rows[index];
      if (row === undefined || index < next) continue;
      const gap = (tops[index] ?? 0) - (tops[next] ?? 0);
      if (gap > 0) entries.push({ gap, key: `gap:${rows[next - 1]?.key ?? 'top'}` });
      entries.push({ row });
      next = index + 1;
    }
    return entries;
  }

  /** Which rows are drawn, in order: those in sight, what must not go, and the last two. */
  #indexes({ focused, selected }: KeptRows): number[] {
    const rows = this.#rows;
    const indexes = new Set([rows.length - 2, rows.length - 1]);
    const [first, end] = [this.#at(this.#drawn[0]), this.#at(this.#drawn[1])];
    for (let index = first; index <= end; index += 1) indexes.add(index);
    for (let index = 0; index < rows.length; index += 1) if (rows[index]?.isWaiting === true || (focused !== null && rows[index]?.key === focused)) indexes.add(index);
    for (const index of selection(rows, selected)) indexes.add(index);
    return [...indexes].filter((index) => index >= 0).sort((a, b) => a - b);
  }

  /** False when the reader has moved so far that more has to be drawn. */
  covers(sight: Sight): boolean {
    if (sight.at === 'end') return true;
    const [from, to] = edges(sight, this.#tops);
    return from - MARGIN_PX >= this.#drawn[0] && to + MARGIN_PX <= this.#drawn[1];
  }

  /** The row at a height where nothing is drawn. */
  rowAt(top: number): { readonly index: number; readonly offset: number } {
    const index = this.#at(top);
    return { index, offset: (this.#tops[index] ?? 0) - top };
  }

  /** Takes the heights of the rows that are drawn; true when one was not what was thought. */
  measure(container: HTMLElement): boolean {
    const heights = new Map<string, number>();
    for (const child of container.children) {
      const key = (child as HTMLElement).dataset['row'];
      if (key !== undefined) heights.set(key, child.getBoundingClientRect().height);
    }
    let differs = false;
    for (const [key, height] of heights) differs = this.#learn(key, height) || differs;
    if (differs) this.#known = Math.min(this.#known, Math.max(0, this.#rows.findIndex(({ key }) => heights.has(key))));
    if (this.#guess === null && this.#heights.size > 0) {
      this.#guess = [...this.#heights.values()].reduce((sum, height) => sum + height) / this.#heights.size;
      this.#known = 0;
    }
    return differs;
  }

  #learn(key: string, height: number): boolean {
    const known = this.#heights.get(key);
    if (known !== undefined && Math.abs(known - height) < 0.5) return false;
    this.#heights.set(key, height);
    return true;
  }

  /** The row at a height, the first or the last where there is none. */
  #at(top: number): number {
    let [low, high] = [0, Math.max(0, this.#rows.length - 1)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#tops[middle] ?? 0) <= top) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #topsOf(rows: readonly Row[]): readonly number[] {
    if (rows !== this.#rows) {
      const same = rows.findIndex(({ key }, index) => key !== this.#rows[index]?.key);
      this.#known = Math.min(this.#known, same < 0 ? rows.length : same);
      this.#rows = rows;
    }
    this.#tops.length = rows.length + 1;
    const guess = this.#guess ?? GUESS_PX;
    let top = this.#tops[this.#known] ?? 0;
    for (let index = this.#known; index < rows.length; index += 1) {
      top += (this.#heights.size === 0 ? undefined : this.#heights.get(rows[index]?.key ?? '')) ?? guess;
      this.#tops[index + 1] = top;
    }
    this.#known = rows.length;
    return this.#tops;
  }
}

/** What must stay drawn wherever the reader is. */
export interface KeptRows {
  readonly focused: string | null;
  /** The rows in which a selection begins and ends. */
  readonly selected: readonly [string, string] | null;
}

function isShort(rows: readonly Row[]): boolean {
  let items = 0;
  for (const { part, slice } of rows) {
    items += slice?.length ?? part.items.length;
    if (items > SHORT_ITEMS) return false;
  }
  return true;
}

function edges(sight: Sight, tops: readonly number[]): readonly [number, number] {
  const end = tops.at(-1) ?? 0;
  if (sight.at === 'end') return [end - sight.height, end];
  const top = (tops[sight.index] ?? end) - sight.offset;
  return [top, top + sight.height];
}

/** The places of rows that stay because they are selected. */
function selection(rows: readonly Row[], selected: KeptRows['selected']): readonly number[] {
  if (selected === null) return [];
  const [a, b] = selected.map((key) => rows.findIndex((row) => row.key === key)).sort((x, y) => x - y);
  if (a === undefined || b === undefined || a < 0) return [];
  return b - a <= MAX_SELECTED ? Array.from({ length: b - a + 1 }, (_, n) => a + n) : [a, b];
}
