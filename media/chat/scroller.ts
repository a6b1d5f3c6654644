import type { ScrollPlace } from '../../src/protocol/panel.ts';

const AT_END_PX = 2;
const TELL_AFTER_MS = 150;
const LOAD_EARLIER_PX = 400;
// Nearer to an edge than this, words may be covered or cut.
const SHOWN_PX = 40;
/** What was looked for stands so far below the upper edge. */
const ABOVE_FOUND_PX = 24;

interface ScrollerEvents {
  /** Following the end, or not; and whether something new came while not. */
  readonly onFollowing: (following: boolean, unseen: boolean) => void;
  readonly onPlace: (place: ScrollPlace | null) => void;
  readonly onNearTop: () => void;
  /** The view shows another part, or its rows have other heights. */
  readonly onMoved: () => void;
}

/** What must not move: a part of the page and, where that reaches over the upper edge, the character there, for lines break anew in a part of another width. */
interface Anchor {
  readonly element: Element;
  readonly top: number;
  /** The item it is in, which may be drawn anew in another row. */
  readonly item: { readonly id: string; readonly top: number } | null;
  readonly line: { readonly text: Text; readonly offset: number; readonly top: number } | null;
}

// Keys that move a view upwards.
const UPWARDS: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);

/** Decides what the transcript's scroll position does. The reader's own movement always wins; nothing else moves what is being read. */
export class Scroller {
  readonly #view: HTMLElement;
  readonly #events: ScrollerEvents;
  readonly #resizes: ResizeObserver;
  readonly #listening = new AbortController();
  #following = true;
  #unseen = false;
  #lastTop = 0;
  #anchor: Anchor | null = null;
  #height = 0;
  /** What a press on it opened or closed. */
  #toggled: Element | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: HTMLElement, content: HTMLElement, events: ScrollerEvents) {
    this.#view = view;
    this.#events = events;
    const options = { passive: true, signal: this.#listening.signal };
    view.addEventListener('scroll', () => this.#scrolled(), options);
    view.addEventListener('wheel', (event) => event.deltaY < 0 && this.#leaveEnd(), options);
    view.addEventListener('keydown', (event) => this.#pressed(event), options);
    view.addEventListener('click', (event) => { this.#toggled = (event.target as Element).closest('[aria-expanded]'); }, { ...options, capture: true });
    this.#resizes = new ResizeObserver(() => this.#resized());
    this.#resizes.observe(content);
    this.#resizes.observe(view);
  }

  /** The page may go away: where its reader is is told now. */
  flush(): void {
    if (this.#timer !== undefined) this.#tell();
  }

  dispose(): void {
    this.flush();
    this.#listening.abort();
    this.#resizes.disconnect();
  }

  /** Remembers what the reader looks at, before the page is changed. */
  before(): void {
    if (this.#following) this.#anchor = null;
    // What has moved since, as by letters of another size, is put back; only the reader's own movement counts.
    else if (Math.abs(this.#view.scrollTop - this.#lastTop) <= 0.5) this.#hold();
    else this.#anchor = this.#topmost();
    this.#height = this.#following ? 0 : this.#view.scrollHeight;
  }

  /** Puts what the reader looks at back to where it was, or stays at the end. */
  after(hasNews: boolean): void {
    if (this.#following) return this.#toEnd();
    this.#hold();
    // A card that became a line may leave nothing below.
    if (this.#view.scrollHeight < this.#height && this.#isAtEnd()) this.#setFollowing(true, false);
    else if (hasNews) this.#setFollowing(false, true);
  }

  #hold(): void {
    const moved = this.#anchor === null ? null : movement(this.#anchor);
    if (moved !== null && Math.abs(moved) > 0.5) this.#moveTo(this.#view.scrollTop + moved);
    // It stays the same as long as it is there: another one each time would go astray by a line here and there.
    const isHeld = this.#anchor !== null && Math.abs(movement(this.#anchor) ?? Infinity) <= 1;
    if (!isHeld) this.#anchor = this.#topmost();
  }

  /** Another session is shown: go where its reader was. */
  restore(place: ScrollPlace | null): void {
    const element = place === null ? null : this.#view.querySelector(`[data-item-id="${CSS.escape(place.itemId)}"]`);
    if (place === null || element === null) {
      this.#setFollowing(true, false);
      return this.#toEnd();
    }
    this.#setFollowing(false, false);
    const top = element.getBoundingClientRect().top - this.#view.getBoundingClientRect().top;
    this.#moveTo(this.#view.scrollTop + top - place.offset);
    this.#anchor = this.#topmost();
  }

  jumpToEnd(): void {
    this.#setFollowing(true, false);
    this.#toEnd();
    this.#tellSoon();
  }

  reveal(element: Element, block: 'nearest' | 'start' = 'nearest'): void {
    if (block === 'nearest') element.scrollIntoView({ block });
    else this.#moveTo(this.#view.scrollTop + element.getBoundingClientRect().top - this.#view.getBoundingClientRect().top - ABOVE_FOUND_PX);
    if (!this.#isAtEnd()) this.#setFollowing(false, this.#unseen);
  }

  /** Brings words into view, with what is around them. */
  show(range: Range): void {
    const frame = range.startContainer.parentElement?.closest('pre') ?? null;
    const [at, view] = [range.getBoundingClientRect(), this.#view.getBoundingClientRect()];
    if (frame !== null && (at.left < frame.getBoundingClientRect().left || at.right > frame.getBoundingClientRect().right)) frame.scrollLeft += at.left - frame.getBoundingClientRect().left - frame.clientWidth / 3;
    if (at.top < view.top + SHOWN_PX || at.bottom > view.bottom - SHOWN_PX) this.#moveTo(this.#view.scrollTop + at.top - view.top - view.height / 3);
    if (!this.#isAtEnd()) this.#setFollowing(false, this.#unseen);
    this.#anchor = this.#topmost();
    this.#events.onMoved();
    this.#tellSoon();
  }

  #scrolled(): void {
    const top = this.#view.scrollTop;
    const up = top < this.#lastTop - 0.5;
    const down = top > this.#lastTop + 0.5;
    this.#lastTop = top;
    // A view that became too short for where it was is moved up to its end by the browser.
    const isShortened = up && this.#isAtEnd() && !this.#following;
    if (isShortened) this.#hold();
    else if (up && !this.#isAtEnd()) this.#setFollowing(false, this.#unseen);
    else if (down && this.#isAtEnd()) this.#setFollowing(true, false);
    // Else only the reader moves the view away from what is held.
    if (this.#following) this.#anchor = null;
    else if (!isShortened && (up || down)) this.#anchor = this.#topmost();
    if (up && top < LOAD_EARLIER_PX) this.#events.onNearTop();
    this.#events.onMoved();
    this.#tellSoon();
  }

  /** A wheel turned upwards counts before the view has moved, so that new text cannot win the race. */
  #leaveEnd(): void {
    if (this.#view.scrollTop > 0) this.#setFollowing(false, this.#unseen);
  }

  /** So does a key, which moves the view only by and by. */
  #pressed({ key, shiftKey, target, defaultPrevented }: KeyboardEvent): void {
    const isText = target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
    const isSpace = key === ' ' && shiftKey && target === this.#view;
    if (!defaultPrevented && !isText && (UPWARDS.has(key) || isSpace)) this.#leaveEnd();
  }

  #resized(): void {
    const pressed = this.#toggled;
    this.#toggled = null;
    // The browser's own way of keeping things in place is switched off: two that correct the same movement make another.
    if (!this.#following) this.#hold();
    this.#events.onMoved();
    if (!this.#following) return;
    this.#toEnd();
    if (pressed !== null) this.#keepInView(pressed);
  }

  /** What was opened is being read: its beginning stays in view, even where the end then is not. */
  #keepInView(element: Element): void {
    const above = this.#view.getBoundingClientRect().top - element.getBoundingClientRect().top;
    if (!element.isConnected || above <= 0) return;
    this.#moveTo(this.#view.scrollTop - above);
    this.#setFollowing(false, false);
  }

  #isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#view;
    return scrollHeight - scrollTop - clientHeight <= AT_END_PX;
  }

  #toEnd(): void {
    this.#moveTo(this.#view.scrollHeight);
  }

  #moveTo(top: number): void {
    this.#view.scrollTop = top;
    this.#lastTop = this.#view.scrollTop;
  }

  #setFollowing(following: boolean, unseen: boolean): void {
    if (following === this.#following && unseen === this.#unseen) return;
    this.#following = following;
    this.#unseen = unseen;
    this.#events.onFollowing(following, unseen);
  }

  #topmost(): Anchor | null {
    const edge = this.#view.getBoundingClientRect().top;
    for (const turn of this.#view.querySelectorAll(':scope .turn')) {
      if (turn.getBoundingClientRect().bottom <= edge) continue;
      const items = [...turn.querySelectorAll('[data-item-id]'), turn];
      const item = items.find((entry) => entry.getBoundingClientRect().bottom > edge) ?? turn;
      const element = innermost(item, edge);
      const id = (item as HTMLElement).dataset['itemId'];
      const { top } = element.getBoundingClientRect();
      return { element, top, item: id === undefined ? null : { id, top: item.getBoundingClientRect().top }, line: top < edge ? lineAt(element, edge) : null };
    }
    return null;
  }

  #tellSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell(), TELL_AFTER_MS);
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#events.onPlace(this.#following ? null : this.#place());
  }

  #place(): ScrollPlace | null {
    const edge = this.#view.getBoundingClientRect().top;
    for (const item of this.#view.querySelectorAll<HTMLElement>('[data-item-id]')) {
      const box = item.getBoundingClientRect();
      const itemId = item.dataset['itemId'];
      if (box.bottom > edge && itemId !== undefined) return { itemId, offset: Math.round(box.top - edge) };
    }
    return null;
  }
}

/** Of a tall item, the block that is at the edge: the item's own top is far above and moves when something above the block grows. */
function innermost(element: Element, edge: number): Element {
  for (const block of element.querySelectorAll('.markdown > *, .diff, .output, .fold, .bubble')) {
    if (block.getBoundingClientRect().bottom > edge) return block;
  }
  return element;
}

/** The line of text at a height. */
function lineAt(element: Element, edge: number): Anchor['line'] {
  const { left, width } = element.getBoundingClientRect();
  const place = document.caretPositionFromPoint(left + Math.min(8, width / 2), edge + 2);
  const text = place?.offsetNode;
  if (!(text instanceof Text) || !element.contains(text) || text.length === 0) return null;
  const offset = Math.min(place?.offset ?? 0, text.length - 1);
  return { text, offset, top: topOf(text, offset) };
}

function topOf(text: Text, offset: number): number {
  const range = document.createRange();
  range.setStart(text, offset);
  range.setEnd(text, offset + 1);
  return range.getBoundingClientRect().top;
}

/** How far down it has gone; null when it is there no more. */
function movement({ element, top, item, line }: Anchor): number | null {
  if (line !== null && line.text.isConnected && line.offset < line.text.length) return topOf(line.text, line.offset) - line.top;
  if (element.isConnected) return element.getBoundingClientRect().top - top;
  const again = item === null ? null : document.querySelector(`[data-item-id="${CSS.escape(item.id)}"]`);
  return again === null || item === null ? null : again.getBoundingClientRect().top - item.top;
}
