import { type ComponentChildren, type VNode } from 'preact';
import { terminalText } from '../../../src/base/terminalText.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { Item, ItemDataOf } from '../../../src/protocol/item/state.ts';
import { baseName, firstLine } from '../format/text.ts';
import { t, told } from '../l10n.ts';
import { ApprovalView, ReceiptRow } from './approval.ts';
import { DiffLines, totals } from './diff.ts';
import { el, icon, iconButton, draw, linkButton, type Surroundings, SurroundingsContext } from './dom.ts';
import { Fold } from './fold.ts';
import { RestOfText } from './items.ts';
import { Output } from './output.ts';
import { FileLink, around, code, shown } from './shownText.ts';
import { endMark } from './toolCall.ts';

interface WorkProps<K extends 'edit' | 'command'> {
  readonly item: Item;
  readonly data: ItemDataOf<K>;
  readonly approvals: readonly Approval[];
}

const CHANGED_SINCE = t('The file changed after you approved; this is what applying it now comes to.');

/** A change of a file. While it is asked for, and after, its request stands for it; without one it is a quiet row of its own. */
export function Edit({ item, data, approvals, askedAgain }: WorkProps<'edit'> & { readonly askedAgain: boolean }): VNode {
  // What is said about a request stands in its card.
  const after = [editState(item), data.note !== undefined && (approvals.length === 0 || item.state === 'failed') && el('p', { class: 'meta', dir: 'auto', key: 'note' }, told(data.note))];
  if (approvals.length > 0) return el('div', { class: 'work' }, approvals.map((approval, index) => draw(ApprovalView, {
    approval, key: approval.approvalId, warning: data.note !== undefined ? told(data.note) : (askedAgain || index > 0 ? CHANGED_SINCE : undefined), superseded: approval.status === 'approved' && index < approvals.length - 1,
  })), after);
  const name = item.state === 'started' ? 'loading' : 'diff';
  const summary = [el('span', { class: 'tool-title', dir: 'ltr' }, shown(data.change.label)), totals([data.change]), endMark(item)];
  return el('div', { class: 'work' }, draw(Fold, { className: 'edit', name: item.itemId, icon: icon(name), summary, body: () => draw(EditBody, { item, data }) }), after);
}

function EditBody({ item, data }: Omit<WorkProps<'edit'>, 'approvals'>, { actions }: Surroundings): VNode {
  return el('div', null,
    draw(DiffLines, { change: data.change, name: item.itemId }),
    el('p', { class: 'fold-actions' },
      draw(FileLink, { path: data.change.path, line: null, label: t('Open File') }),
      linkButton(t('Open Diff'), () => actions.post({ type: 'openChange', itemId: item.itemId }))));
}
EditBody.contextType = SurroundingsContext;

/** What is worth saying about the writing itself. */
function editState({ state, outcome }: Item): VNode | null {
  if (outcome === 'unknown') return el('p', { class: 'row end unknown', key: 'state' }, icon('warning'), t('It is not known whether this was written.'));
  if (state === 'failed') return el('p', { class: 'row end failed', key: 'state' }, icon('error'), t('This was not written.'));
  if (state === 'interrupted') return el('p', { class: 'row end interrupted', key: 'state' }, icon('warning'), t('Interrupted before it was written.'));
  return null;
}

/** A command: its request while it waits, then the command with its output; one line when it was never run. */
export function Command({ item, data, approvals }: WorkProps<'command'>): VNode {
  const request = approvals.at(-1);
  const ran = request === undefined || request.status === 'approved' || data.exitCode !== null || data.signal !== null || item.textLength > 0;
  if (!ran) return el('div', { class: 'work' }, approvals.map((approval) => draw(ApprovalView, { approval, key: approval.approvalId })));
  return el('div', { class: 'work' }, draw(CommandCard, { item, data, approvals }));
}

function CommandCard({ item, data, approvals }: WorkProps<'command'>, { actions }: Surroundings): VNode {
  const running = item.state === 'started';
  const oneLine = !data.command.trim().includes('\n');
  return el('div', { class: 'card command' },
    el('header', { class: 'card-head' },
      icon('terminal'),
      el('h3', { class: 'card-title command-line', title: data.command, dir: 'ltr' }, oneLine ? code(firstLine(data.command, 400)) : t('Command of several lines')),
      el('span', { class: 'card-side', title: data.cwd }, around(t('in {0}'), shown(baseName(data.cwd)))),
      running && iconButton('debug-stop', t('Kill this command'), () => actions.post({ type: 'killCommand', itemId: item.itemId })),
      commandState(item, data)),
    !oneLine && el('pre', { class: 'command-text', dir: 'ltr', tabIndex: 0 }, code(data.command)),
    outputOf(item, data),
    running && data.waitsForInput === true && el('p', { class: 'card-waits', dir: 'auto' }, icon('bell'), el('span', null, t('It reads from a terminal, where nobody can type. Stop it here; the turn goes on.'))),
    data.note !== undefined && el('p', { class: 'meta', dir: 'auto' }, told(data.note)),
    approvals.map((approval) => el('div', { class: 'approval settled', key: approval.approvalId, 'data-approval-id': approval.approvalId, 'data-status': approval.status }, draw(ReceiptRow, { approval }))));
}
CommandCard.contextType = SurroundingsContext;

function outputOf(item: Item, data: ItemDataOf<'command'>): ComponentChildren {
  const text = terminalText(item.text);
  if (text.trim() === '') return item.state === 'started' ? null : el('p', { class: 'meta quiet' }, t('no output'));
  return [draw(Output, { itemId: item.itemId, text, cut: data.cut, key: 'output' }), draw(RestOfText, { item, key: 'rest' })];
}

function commandState(item: Item, data: ItemDataOf<'command'>): VNode | null {
  if (item.state === 'started' && data.waitsForInput === true) return el('span', { class: 'run-state waits' }, icon('bell'), t('waiting for input'));
  if (item.state === 'started') return el('span', { class: 'run-state' }, icon('loading'), t('running'));
  if (data.signal !== null) return el('span', { class: 'run-state bad' }, data.signal);
  if (data.exitCode !== null) return el('span', { class: `run-state ${data.exitCode === 0 ? '' : 'bad'}` }, t('exit {0}', data.exitCode));
  return endMark(item);
}
