import { type Segment, showHidden, showReordering } from '../format/text.ts';
import { t } from '../l10n.ts';
import { type LinkTarget, linkTarget } from './linkTarget.ts';
import { pathInCode } from './pathInCode.ts';

const LONG_LINES = 40;
const OWN_IMAGE = /^data:image\/(?:png|gif|jpe?g|webp);base64,[\da-z+/=\s]+$/i;
// What a picture of a screen needs; more would be decoded on every repaint.
const MAX_IMAGE_CHARS = 8_000_000;

export function make<T extends keyof HTMLElementTagNameMap>(tag: T, className = '', ...children: readonly (Node | string)[]): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}

/** Words of an agent; what would reorder those around it is shown by its number. */
export const words = (text: string): Node[] => showReordering(text).map(nodeOf);

/** Code; what would reorder or hide it is shown by its number. */
export const codeText = (text: string): Node[] => showHidden(text).map(nodeOf);

function nodeOf({ text, mark }: Segment): Node {
  return mark ? make('mark', 'hidden-char', text) : document.createTextNode(text);
}

const readable = (text: string): string => showHidden(text.slice(0, 500)).map(({ text: part, mark }) => (mark ? `[${part}]` : part)).join('');

/** Words that send a message to the editor when they are pressed; where a link leads nowhere, its words. No button: those do not break over lines. */
export function link(href: string, children: readonly Node[]): HTMLElement {
  const target = linkTarget(href);
  if (target.kind === 'none') {
    const dead = make('span', 'dead-link', ...children);
    dead.title = readable(href);
    return dead;
  }
  return linkTo(target, href, children);
}

function linkTo(target: Exclude<LinkTarget, { kind: 'none' }>, title: string, children: readonly Node[]): HTMLElement {
  const words = make('span', 'link', ...children);
  words.title = readable(title);
  words.setAttribute('role', 'link');
  words.tabIndex = 0;
  if (target.kind === 'web') words.dataset['href'] = target.href;
  else {
    words.dataset['path'] = target.path;
    for (const [name, number] of Object.entries(target.place)) words.dataset[name] = String(number);
  }
  return words;
}

/** Code among words; one that names a file leads to it. */
export function inlineCode(text: string): HTMLElement {
  const code = make('code', '', ...codeText(text));
  const target = pathInCode(text);
  return target === null ? code : linkTo(target, text, [code]);
}

/** An image whose data the agent sent; every other one is named and not loaded. */
export function image(source: string, alt: string): HTMLElement {
  if (OWN_IMAGE.test(source) && source.length <= MAX_IMAGE_CHARS) {
    const picture = make('img');
    picture.src = source;
    picture.alt = alt;
    return picture;
  }
  const note = make('span', 'no-image', ...words(alt === '' ? t('[image]') : t('[image: {0}]', alt)));
  note.title = t('Not loaded: {0}', readable(source));
  return note;
}

export function checkbox(checked: boolean): HTMLElement {
  const box = make('input');
  box.type = 'checkbox';
  box.disabled = true;
  box.setAttribute('aria-label', checked ? t('done') : t('to do'));
  // The attribute too: it is what a copy of the node keeps.
  box.toggleAttribute('checked', checked);
  return box;
}

const CODE_ACTIONS = [['copy', t('Copy Code'), 'copy'], ['insert', t('Insert at Cursor'), 'insert'], ['newFile', t('Open as New File'), 'new-file']] as const;

/** A block of code with its language and what can be done with it; its buttons are served by watchClicks. */
export function codeBlock(text: string, language: string): HTMLElement {
  const block = make('pre', '', make('code', '', ...codeText(`${text}\n`)));
  block.dir = 'ltr';
  block.tabIndex = 0;
  const bar = make('div', 'code-bar', make('span', 'code-language', language === '' ? t('text') : language), ...CODE_ACTIONS.map(([act, title, icon]) => codeButton(act, title, icon)));
  const frame = make('div', 'code-block', bar, block);
  if (language !== '') frame.dataset['language'] = language;
  setLines(frame, text.split('\n').length);
  return frame;
}

/** Says how many lines a block of code has; a long one begins folded. */
export function setLines(frame: HTMLElement, lines: number): void {
  if (lines <= LONG_LINES) return;
  const last = frame.lastElementChild;
  const button = last instanceof HTMLElement && last.dataset['unfold'] !== undefined ? last : unfoldButton();
  button.dataset['unfold'] = String(lines);
  setUnfolded(button, button.ariaExpanded === 'true');
  if (button !== last) frame.append(button);
}

function codeButton(act: string, title: string, iconName: string): HTMLElement {
  const icon = make('span', `codicon codicon-${iconName}`);
  icon.setAttribute('aria-hidden', 'true');
  const button = make('button', 'icon-button', icon);
  button.type = 'button';
  button.title = title;
  button.setAttribute('aria-label', title);
  button.dataset['code'] = act;
  return button;
}

function unfoldButton(): HTMLElement {
  const button = make('button', 'link unfold');
  button.type = 'button';
  return button;
}

/** Opens or closes a long block of code. */
export function setUnfolded(button: HTMLElement, open: boolean): void {
  button.setAttribute('aria-expanded', String(open));
  if (open && button.parentElement !== null) globalThis.attacheHighlight?.(button.parentElement, true);
  button.textContent = open ? t('Show fewer lines') : t('Show all {0} lines', button.dataset['unfold'] ?? '');
}
