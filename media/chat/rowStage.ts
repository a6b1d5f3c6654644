import { type Entry, type KeptRows, RowWindow, type Sight } from './rowWindow.ts';
import { type Row, RowSplitter, rowOf } from './rows.ts';
import type { TurnPart } from './transcript.ts';

/** Where the rows are on the page, once they are. */
interface RowElements {
  readonly scroll: { current: HTMLElement | null };
  readonly rows: { current: HTMLElement | null };
}

/** Which rows of the transcript are on the page, from where its reader is. Owned by the page. */
export class RowStage {
  readonly #elements: RowElements;
  readonly #splitter = new RowSplitter();
  readonly #window = new RowWindow();
  #rows: readonly Row[] = [];
  #entries: readonly Entry[] = [];
  #aim: number | null = null;

  constructor(elements: RowElements) {
    this.#elements = elements;
  }

  take(parts: readonly TurnPart[]): void {
    this.#rows = this.#splitter.rows(parts);
  }

  /** Another conversation is shown. */
  forget(): void {
    this.#window.forget();
  }

  /** Draws what is there next time, wherever the view is. False when no row has it. */
  aimAt(target: { readonly itemId?: string; readonly approvalId?: string }): boolean {
    const index = rowOf(this.#rows, target);
    this.#aim = index < 0 ? null : index;
    return index >= 0;
  }

  arrived(): void {
    this.#aim = null;
  }

  entries(following: boolean): readonly Entry[] {
    this.#entries = this.#choose(following);
    return this.#entries;
  }

  /** True when other rows have to be drawn, now that the view has moved or heights are known. */
  lacks(following: boolean): boolean {
    const { current } = this.#elements.rows;
    const differs = current !== null && this.#window.measure(current);
    if (!differs && this.#window.covers(this.#sight(following))) return false;
    return keysOf(this.#choose(following)) !== keysOf(this.#entries);
  }

  #choose(following: boolean): Entry[] {
    return this.#window.choose(this.#rows, this.#sight(following), keptRows());
  }

  #sight(following: boolean): Sight {
    const { scroll, rows } = this.#elements;
    const height = scroll.current?.clientHeight ?? window.innerHeight;
    if (this.#aim !== null) return { at: 'row', index: this.#aim, offset: height / 2, height };
    if (following || scroll.current === null || rows.current === null) return { at: 'end', height };
    return { at: 'row', ...this.#rowInView(scroll.current, rows.current), height };
  }

  /** The first drawn row that can be seen; where there is none, the one that would be. */
  #rowInView(scroll: HTMLElement, container: HTMLElement): { readonly index: number; readonly offset: number } {
    const view = scroll.getBoundingClientRect();
    for (const child of container.children) {
      const { top, bottom } = child.getBoundingClientRect();
      const key = (child as HTMLElement).dataset['row'];
      if (key === undefined || bottom <= view.top || top >= view.bottom) continue;
      const index = this.#rows.findIndex((row) => row.key === key);
      if (index >= 0) return { index, offset: top - view.top };
    }
    return this.#window.rowAt(view.top - container.getBoundingClientRect().top);
  }
}

const keysOf = (entries: readonly Entry[]): string => entries.map((entry) => ('gap' in entry ? entry.key : entry.row.key)).join(' ');

const keyAt = (node: Node | null): string | null => (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? null;

/** What has the focus or is selected would lose it. */
function keptRows(): KeptRows {
  const selection = document.getSelection();
  const ends = selection === null || selection.isCollapsed ? [] : [keyAt(selection.anchorNode), keyAt(selection.focusNode)];
  const [from, to] = ends.filter((key) => key !== null);
  return { focused: keyAt(document.activeElement), selected: from === undefined ? null : [from, to ?? from] };
}
