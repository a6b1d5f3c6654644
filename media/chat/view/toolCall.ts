import { type VNode } from 'preact';
import { terminalText } from '../../../src/base/terminalText.ts';
import type { Item, ItemDataOf } from '../../../src/protocol/item/state.ts';
import { t } from '../l10n.ts';
import { DiffLines, changeHead, totals } from './diff.ts';
import { type Surroundings, SurroundingsContext, el, icon, draw, linkButton } from './dom.ts';
import { Fold } from './fold.ts';
import { RestOfText } from './items.ts';
import { Output } from './output.ts';
import { FileLink, code, words } from './shownText.ts';

const KIND_ICONS: Readonly<Record<string, string>> = {
  read: 'eye',
  edit: 'edit',
  delete: 'trash',
  move: 'move',
  search: 'search',
  execute: 'terminal',
  think: 'lightbulb',
  fetch: 'globe',
  switch_mode: 'arrow-swap',
};

interface ToolCallProps {
  readonly item: Item;
  readonly data: ItemDataOf<'tool_call'>;
  /** It waits for an answer, so it does not move. */
  readonly waits: boolean;
}

/** What the agent did with one of its tools: a quiet row that opens to the details. */
export function ToolCall({ item, data, waits }: ToolCallProps): VNode {
  const name = item.state === 'started' && !waits ? 'loading' : KIND_ICONS[data.toolKind] ?? 'tools';
  const changes = data.changes ?? [];
  const summary = [el('span', { class: 'tool-title', dir: 'auto' }, words(data.title)), changes.length > 0 && totals(changes), unaskedMark(data), endMark(item)];
  const hasMore = item.textLength > 0 || data.locations.length > 0 || data.input !== undefined || changes.length > 0;
  if (!hasMore) return el('div', { class: 'row tool' }, icon(name), el('span', { class: 'summary' }, summary));
  return draw(Fold, { className: 'tool', name: item.itemId, icon: icon(name), summary, body: () => draw(ToolDetails, { item, data, told: false }) });
}

interface ToolDetailsProps extends Omit<ToolCallProps, 'waits'> {
  /** Its changes are shown elsewhere. */
  readonly told: boolean;
}

/** Files, input and output of a tool call. */
export function ToolDetails({ item, data, told }: ToolDetailsProps, { actions }: Surroundings): VNode {
  const changes = told ? [] : data.changes ?? [];
  return el('div', { class: 'details' },
    data.locations.length > 0 && el('ul', { class: 'locations', 'aria-label': t('Files') }, data.locations.map(({ path, line }, index) =>
      el('li', { key: index }, draw(FileLink, { path, line: line ?? null, label: line === undefined ? path : `${path}:${line}` })))),
    data.input !== undefined && el('pre', { class: 'io', dir: 'ltr', tabIndex: 0, 'aria-label': t('Input') }, code(data.input)),
    changes.map((change) => el('div', { key: change.path }, changeHead(change), draw(DiffLines, { change, name: item.itemId }))),
    changes.length > 0 && el('p', { class: 'fold-actions' }, linkButton(t('Open Diff'), () => actions.post({ type: 'openChange', itemId: item.itemId }))),
    item.text !== '' && draw(Output, { itemId: item.itemId, text: terminalText(item.text), cut: 0 }),
    draw(RestOfText, { item }));
}
ToolDetails.contextType = SurroundingsContext;

const ENDS: Readonly<Record<string, readonly [string, string]>> = {
  failed: ['error', t('failed')],
  declined: ['circle-slash', t('rejected')],
  cancelled: ['circle-slash', t('stopped')],
  interrupted: ['warning', t('interrupted')],
};

/** It acted where a person was to be asked first. */
const unaskedMark = ({ unasked }: ItemDataOf<'tool_call'>): VNode | false =>
  unasked === true && el('span', { class: 'end unasked', title: t('The agent did this without asking. It decides by its own settings when it asks.') }, icon('warning'), t('did not ask'));

/** How an item ended, where that is worth a word. */
export function endMark({ state, outcome }: Item): VNode | null {
  const [name, word] = ENDS[state] ?? [];
  if (outcome === 'unknown') return el('span', { class: 'end unknown', title: t('It had begun to act when contact was lost; nobody saw how it ended.') }, icon('warning'), t('outcome unknown'));
  if (name === undefined || word === undefined) return null;
  return el('span', { class: `end ${state}` }, icon(name), word);
}
