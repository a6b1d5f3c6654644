import type { VNode } from 'preact';
import type { DiffLine, FileChange } from '../../../src/protocol/item/state.ts';
import { t } from '../l10n.ts';
import { draw, el, icon, kept } from './dom.ts';
import { FileLink, shown } from './shownText.ts';

const SHOWN_LINES = 16;
const CLASSES: Readonly<Record<DiffLine['t'], string>> = { ' ': 'same', '-': 'removed', '+': 'added', '@': 'hunk' };

/** Where each hunk of a change can be left out. */
export interface HunkChoice {
  /** The number of its first hunk among all of the request, from 1, and how many there are in all. */
  readonly first: number;
  readonly of: number;
  readonly isLeftOut: (hunk: number) => boolean;
  /** Null: it is decided. */
  readonly choose: ((hunk: number, chosen: boolean) => void) | null;
}

interface DiffLinesProps {
  readonly change: FileChange;
  readonly name?: string;
  readonly choice?: HunkChoice | undefined;
}

/** The lines of a change. Long ones begin folded. */
export function DiffLines({ change, name, choice }: DiffLinesProps): VNode {
  return kept(false, (all, setAll) => {
    const { linesCut } = change;
    // That something is left out before the first line goes without saying.
    const lines = change.lines[0]?.t === '@' ? change.lines.slice(1) : change.lines;
    const fits = lines.length <= SHOWN_LINES + 3;
    const visible = all || fits ? lines : lines.slice(0, SHOWN_LINES);
    return el('div', { class: 'diff' },
      el('div', { class: 'diff-lines', dir: 'ltr', tabIndex: 0, role: 'group', 'aria-label': t('Changes in {0}', change.label) },
        el('div', { class: 'diff-sheet' }, drawLines(visible, choice))),
      !fits && el('button', { class: 'link more', type: 'button', 'aria-expanded': all, onClick: () => setAll(!all) }, all ? t('Show fewer lines') : t('Show {0} more lines', lines.length - SHOWN_LINES)),
      linesCut && el('p', { class: 'meta' }, t('Only the first part of this change is shown. Open Diff shows all of it.')));
  }, name === undefined ? undefined : `${name}/${change.path}`);
}

function drawLines(lines: readonly DiffLine[], choice: HunkChoice | undefined): VNode[] {
  let hunk = -1;
  let isOpen = false;
  return lines.flatMap(({ t: sign, text }, index) => {
    const changes = sign === '-' || sign === '+';
    const begins = changes && !isOpen;
    isOpen = changes;
    if (begins) hunk += 1;
    const left = changes && choice?.isLeftOut(hunk) === true ? ' left' : '';
    const line = el('div', { class: `line ${CLASSES[sign]}${left}`, key: index }, el('span', { class: 'sign' }, sign === '@' ? '' : sign), sign === '@' ? '⋯' : shown(text));
    return begins && choice !== undefined ? [hunkToggle(hunk, choice), line] : [line];
  });
}

/** Says which change follows, and leaves it out or takes it in again. */
function hunkToggle(hunk: number, { first, of, isLeftOut, choose }: HunkChoice): VNode {
  const left = isLeftOut(hunk);
  const which = t('Change {0} of {1}', first + hunk, of);
  return el(choose === null ? 'div' : 'label', { class: `hunk-choice${left ? ' left' : ''}`, key: `hunk-${hunk}`, 'data-hunk': hunk },
    choose === null ? icon(left ? 'circle-slash' : 'check') : el('input', { type: 'checkbox', checked: !left, onChange: (event) => choose(hunk, event.currentTarget.checked) }),
    el('span', null, left ? t('{0}: left out', which) : which));
}

/** How much a change adds and takes away. */
export const counts = (added: number, removed: number): VNode =>
  el('span', { class: 'counts', title: `${t(added === 1 ? '{0} line added' : '{0} lines added', added)}, ${t(removed === 1 ? '{0} line removed' : '{0} lines removed', removed)}` },
    el('span', { class: 'plus' }, `+${added}`), ' ', el('span', { class: 'minus' }, `−${removed}`));

export const totals = (changes: readonly FileChange[]): VNode =>
  counts(changes.reduce((sum, { added }) => sum + added, 0), changes.reduce((sum, { removed }) => sum + removed, 0));

/** Above the lines of one change among several: its file, and how much of it changes. */
export const changeHead = (change: FileChange): VNode => el('div', { class: 'change-head' }, draw(FileLink, { path: change.path, line: null, label: change.label }), totals([change]));
