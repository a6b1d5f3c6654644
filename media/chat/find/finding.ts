import type { VNode } from 'preact';
import { draw } from '../view/dom.ts';
import { FindBar } from '../view/findBar.ts';
import { isFindKey, isOwnKey, keep } from './findKey.ts';
import { Finder, type FinderParts } from './finder.ts';

interface FindingParts extends FinderParts {
  /** Draws the page at once. */
  readonly draw: () => void;
}

/** Finding as a person has it: its keys, its bar, and where the focus goes. Owned by the page. */
export class Finding {
  readonly finder: Finder;
  readonly #draw: () => void;
  readonly #input: { current: HTMLInputElement | null } = { current: null };
  #before: Element | null = null;

  constructor(parts: FindingParts, signal: AbortSignal) {
    this.finder = new Finder(parts);
    this.#draw = parts.draw;
    document.addEventListener('keydown', (event) => this.#onKey(event), { signal, capture: true });
    // Code that is unfolded is coloured anew, and what was marked in it is gone.
    document.addEventListener('click', () => this.finder.isOpen && setTimeout(() => this.finder.drawn()), { signal });
  }

  bar(): VNode | null {
    const { finder } = this;
    const find = finder.state;
    return find === null ? null : draw(FindBar, { find, acts: { input: this.#input, find: (query) => finder.find(query), step: (direction) => finder.step(direction), close: () => this.#close() } });
  }

  open(): void {
    if (!this.finder.isOpen) this.#before = document.activeElement;
    const marked = document.getSelection()?.toString().trim() ?? '';
    this.finder.open(marked.includes('\n') || marked.length > 200 ? '' : marked);
    this.#draw();
    this.#input.current?.focus();
    this.#input.current?.select();
  }

  #close(): void {
    this.finder.close();
    this.#draw();
    if (this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus({ preventScroll: true });
    else document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
  }

  #onKey(event: KeyboardEvent): void {
    const act = actOf(event, this.finder.isOpen, event.target === this.#input.current);
    if (act === null) return;
    keep(event);
    if (act === 'open') this.open();
    else if (act === 'close') this.#close();
    else this.finder.step(act);
  }
}

/** What a key does; null: nothing here. */
function actOf(event: KeyboardEvent, isOpen: boolean, inInput: boolean): 'open' | 'close' | 1 | -1 | null {
  const { key, shiftKey } = event;
  if (isFindKey(event)) return 'open';
  if (!isOpen || !isOwnKey(event) || event.ctrlKey || event.metaKey) return null;
  if (key === 'F3' || (key === 'Enter' && inInput)) return shiftKey ? -1 : 1;
  return key === 'Escape' && inInput ? 'close' : null;
}
