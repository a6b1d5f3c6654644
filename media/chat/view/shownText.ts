import type { ComponentChildren, VNode } from 'preact';
import { type Segment, showHidden, showReordering } from '../format/text.ts';
import { t } from '../l10n.ts';
import { el, type Surroundings, SurroundingsContext, kept } from './dom.ts';

const drawn = (segments: readonly Segment[]): ComponentChildren =>
  segments.map((segment) => (segment.mark ? el('mark', { class: 'hidden-char' }, segment.text) : segment.text));

/** Code, a path or a command in which characters that could reorder or hide it are shown by their number. */
export const shown = (text: string): ComponentChildren => drawn(showHidden(text));

/** Words of an agent: what could reorder them is shown by its number. */
export const words = (text: string): ComponentChildren => drawn(showReordering(text));

/** Code, a path or a command: kept left to right and apart from the words around it. */
export const code = (text: string, className = ''): VNode => el('code', { class: className, dir: 'ltr' }, shown(text));

/** A sentence whose `{0}` is a piece of the page and no plain text. */
export function around(sentence: string, piece: ComponentChildren): ComponentChildren {
  const [before = '', after = ''] = sentence.split('{0}');
  return [before, piece, after];
}

const LONG_CHARS = 4000;
const LONG_LINES = 30;

/** A person's own words: the whole of them, folded when they are many. */
export function LongText({ name, text, className }: { readonly name: string; readonly text: string; readonly className: string }): VNode {
  return kept(false, (open, setOpen) => {
    const head = headOf(text);
    return el('div', { class: className, dir: 'auto' },
      open ? text : head,
      head.length < text.length && el('button', { class: 'link more', type: 'button', 'aria-expanded': open, onClick: () => setOpen(!open) }, open ? t('Show less') : t('Show all')));
  }, `${name}/text`);
}

function headOf(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= LONG_LINES && text.length <= LONG_CHARS) return text;
  return `${lines.slice(0, LONG_LINES).join('\n').slice(0, LONG_CHARS)}… `;
}

/** A path that opens its file in the editor. */
export function FileLink({ path, line, label }: { readonly path: string; readonly line: number | null; readonly label: string }, { actions }: Surroundings): VNode {
  const title = line === null ? path : `${path}:${line}`;
  return el('button', { class: 'link file', type: 'button', title: t('Open {0}', title), dir: 'ltr', onClick: () => actions.openFile(path, line === null ? {} : { line }) }, shown(label));
}
FileLink.contextType = SurroundingsContext;
