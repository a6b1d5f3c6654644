import type { VNode } from 'preact';
import type { FindState } from '../find/finder.ts';
import { amount } from '../format/time.ts';
import { t } from '../l10n.ts';
import { el, icon, iconButton } from './dom.ts';

interface FindActs {
  readonly find: (query: string) => void;
  readonly step: (direction: 1 | -1) => void;
  readonly close: () => void;
  readonly input: { current: HTMLInputElement | null };
}

/** Looks for words in the session; over the transcript, so that nothing moves. */
export function FindBar({ find, acts }: { readonly find: FindState; readonly acts: FindActs }): VNode {
  const none = find.query.trim() !== '' && find.total === 0;
  return el('div', { 'class': 'find', 'role': 'search', 'data-region': 'find' },
    el('input', {
      'ref': acts.input, 'class': `find-input${none && !find.searching ? ' none' : ''}`, 'type': 'text', 'aria-label': t('Find in Chat'), 'placeholder': t('Find in Chat'), 'value': find.query, 'spellcheck': false, 'autocomplete': 'off',
      // Words that are still being composed are not looked for yet.
      'onInput': (event: Event) => { if (!(event as InputEvent).isComposing) acts.find((event.currentTarget as HTMLInputElement).value); },
      'onCompositionEnd': (event: Event) => { acts.find((event.currentTarget as HTMLInputElement).value); },
    }),
    el('span', { 'class': 'find-count', 'role': 'status', 'aria-live': 'polite' }, find.searching && icon('loading'), el('span', null, countOf(find))),
    iconButton('arrow-up', t('Previous Match'), () => { acts.step(-1); }, { 'aria-disabled': find.total === 0 }),
    iconButton('arrow-down', t('Next Match'), () => { acts.step(1); }, { 'aria-disabled': find.total === 0 }),
    iconButton('close', t('Close'), () => { acts.close(); }));
}

function countOf({ query, total, current, searching }: FindState): string {
  if (query.trim() === '') return '';
  if (total === 0) return searching ? '' : t('No results');
  return current === 0 ? t('{0} found', amount(total)) : t('{0} of {1}', amount(current), amount(total));
}
