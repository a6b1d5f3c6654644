import type { VNode } from 'preact';
import type { Item, RevertedFile, RevertNote } from '../../../src/protocol/item/state.ts';
import { whereOf } from '../format/receipts.ts';
import { clockTime } from '../format/time.ts';
import { t } from '../l10n.ts';
import { el, icon, linkButton, type Surroundings, SurroundingsContext } from './dom.ts';
import { shown } from './shownText.ts';

interface RevertNoticeProps {
  readonly item: Item;
  readonly revert: RevertNote;
}

const NAMED = 5;
const PLACES = { elsewhere: t('elsewhere'), here: t('here'), editor: t('in the editor'), cli: t('in CLI'), window: t('in another window'), client: t('in another client') };

/** What a person took back by hand, who and when, and the way to undo that. */
export function RevertNotice({ item, revert }: RevertNoticeProps, { actions, windowClientId: clientId, windowId }: Surroundings): VNode {
  const { turnIdx, again, files, by } = revert;
  const names = files.slice(0, NAMED).map(nameOf).join(', ');
  const all = files.length > NAMED ? t('{0} and {1} more', names, files.length - NAMED) : names;
  const said = again ? t('The revert of turn {0} was undone: {1}', turnIdx, all) : t('The changes of turn {0} were taken back: {1}', turnIdx, all);
  return el('div', { class: 'row notice info' }, icon('discard'),
    el('span', { dir: 'auto' }, shown(said), el('span', { class: 'meta' }, ` · ${PLACES[whereOf(by, { clientId, windowId })]} · ${clockTime(item.startedAt, Date.now())} `),
      linkButton(t('Undo'), () => actions.post({ type: 'run', command: 'undoRevert', about: item.itemId }))));
}
RevertNotice.contextType = SurroundingsContext;

const nameOf = ({ label, before, after }: RevertedFile): string => (after === null ? t('{0} (deleted)', label) : before === null ? t('{0} (created again)', label) : label);
