import type { VNode } from 'preact';
import { foldLines } from '../format/text.ts';
import { amount } from '../format/time.ts';
import { t } from '../l10n.ts';
import { type Surroundings, SurroundingsContext, el, kept, linkButton } from './dom.ts';
import { shown } from './shownText.ts';

const HEAD_LINES = 5;
const TAIL_LINES = 8;
// One line of a million characters must not be laid out by default.
const MAX_SHOWN = 20_000;

interface OutputProps {
  /** Whose it is. */
  readonly itemId: string;
  readonly text: string;
  /** Characters that were left out of its middle before it came here. */
  readonly cut: number;
}

/** What a command or tool printed: its beginning and its end, the middle on request. */
export function Output({ itemId, text, cut }: OutputProps, { actions }: Surroundings): VNode {
  return kept(false, (all, setAll) => {
    const { head, hidden, tail } = foldLines(text, HEAD_LINES, TAIL_LINES);
    const long = text.length > MAX_SHOWN;
    return el('div', { class: 'output' },
      el('pre', { dir: 'ltr', tabIndex: 0, role: 'group', 'aria-label': t('Output') }, all ? shown(text) : [shown(clip(head)), hidden > 0 && el('span', { class: 'gap' }, `\n⋯ ${leftOut(hidden, cut)} ⋯\n`), hidden > 0 && shown(clip(tail))]),
      cut > 0 && (all || hidden === 0) && el('p', { class: 'meta' }, t('{0} characters were left out of the middle.', amount(cut))),
      (hidden > 0 || long) && el('div', { class: 'output-more' },
        linkButton(all ? t('Show less') : t('Show all output'), () => setAll(!all), { 'aria-expanded': all }),
        linkButton(t('Open in Editor'), () => actions.post({ type: 'openOutput', itemId }))));
  }, `${itemId}/output`);
}
Output.contextType = SurroundingsContext;

/** The line that stands for the missing middle is none of the command's own; how many lines that middle had nobody knows. */
const leftOut = (hidden: number, cut: number): string =>
  cut === 0 ? t('{0} lines', amount(hidden)) : t('{0} lines and {1} characters that were not kept', amount(hidden - 1), amount(cut));

const clip = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN / 2)}\n⋯\n${text.slice(-MAX_SHOWN / 2)}` : text);
