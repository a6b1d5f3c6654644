import { type ComponentChildren, type VNode } from 'preact';
import { choosableChanges, hunkKey } from '../../../src/protocol/approval/part.ts';
import type { Approval, ApprovalSubject } from '../../../src/protocol/approval/state.ts';
import type { Item, ItemDataOf } from '../../../src/protocol/item/state.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import type { Actions } from '../actions.ts';
import { receipt, subjectName } from '../format/receipts.ts';
import { firstLine } from '../format/text.ts';
import { clockTime } from '../format/time.ts';
import { t, told } from '../l10n.ts';
import { AnswerButtons } from './answerButtons.ts';
import { answerOfKey } from './cardKeys.ts';
import { DiffLines, changeHead, totals, type HunkChoice } from './diff.ts';
import { el, icon, draw, linkButton, spoken, TurnContext, type Surroundings, SurroundingsContext } from './dom.ts';
import { Fold } from './fold.ts';
import { ToolDetails, endMark } from './toolCall.ts';
import { FileLink, around, code, shown, words } from './shownText.ts';

interface ApprovalProps {
  readonly approval: Approval;
  /** The tool call it stands for: what came of it is told with the receipt. */
  readonly tool?: { readonly item: Item; readonly data: ItemDataOf<'tool_call'> };
  /** What must be known before it is answered. */
  readonly warning?: string | undefined;
  /** It was asked again, since the file had changed in the meantime. */
  readonly superseded?: boolean;
}

/** A request: a card with buttons while it waits, one quiet line once it does not. It is the same element before and after. */
export function ApprovalView(props: ApprovalProps, { marked, actions }: Surroundings): VNode {
  const { approval } = props;
  const pending = approval.status === 'pending';
  const onKeyDown = (event: KeyboardEvent): void => {
    const option = pending && answerOfKey(event, approval);
    if (!option) return;
    event.preventDefault();
    event.stopPropagation();
    actions.decide(approval, option.optionId, '');
  };
  return el('section', {
    class: `approval ${pending ? 'card need' : 'settled'}${marked === approval.approvalId ? ' marked' : ''}`,
    'data-approval-id': approval.approvalId,
    'data-status': approval.status,
    tabIndex: -1,
    onKeyDown,
    'aria-label': pending ? t('Request: {0}', subjectName(approval.subject, approval.title)) : t('Settled request: {0}', subjectName(approval.subject, approval.title)),
  }, draw(pending ? PendingCard : ReceiptRow, props));
}
ApprovalView.contextType = SurroundingsContext;

const ICONS: Readonly<Record<ApprovalSubject['kind'], string>> = { edit: 'diff', command: 'terminal', tool: 'tools', plan: 'checklist', question: 'question' };

function PendingCard({ approval, warning }: ApprovalProps, { pending, leftOut, actions, agentLabel }: Surroundings): VNode {
  const place = pending.length > 1 ? t('{0} of {1}', pending.indexOf(approval.approvalId) + 1, pending.length) : null;
  return el('div', { class: 'card-inside' },
    el('header', { class: 'card-head' },
      icon(ICONS[approval.subject.kind]),
      el('h3', { class: 'card-title', dir: 'auto' }, heading(approval)),
      el('span', { class: 'card-side' }, side(approval.subject)),
      place !== null && el('span', { class: 'badge', title: t('Request {0} that wait for you', place) }, place)),
    fromLine(approval.subject),
    subjectBody(approval.subject, hunkChoices(approval, leftOut[approval.approvalId] ?? [], actions)),
    warning !== undefined && el('p', { class: 'card-warning', dir: 'auto' }, icon('warning'), el('span', null, warning)),
    remarks(approval, agentLabel),
    draw(AnswerButtons, { approval }));
}
PendingCard.contextType = SurroundingsContext;

function heading({ subject, title }: Approval): ComponentChildren {
  switch (subject.kind) {
    case 'edit': {
      const [first, ...more] = subject.changes;
      if (first === undefined || more.length > 0) return t('Edit {0} files', subject.changes.length);
      return [spoken(`${first.before === null ? t('New file') : t('Edit')} `), draw(FileLink, { path: first.path, line: null, label: first.label })];
    }
    case 'command':
      return t('Run a command');
    case 'plan':
    case 'question':
    case 'tool':
      return words(title);
  }
}

function side(subject: ApprovalSubject): ComponentChildren {
  if (subject.kind !== 'edit') return null;
  const isNew = subject.changes.length === 1 && subject.changes[0]?.before === null;
  return [isNew && `${t('new')} `, totals(subject.changes)];
}

/** Who asks, where it is not the agent itself. */
const fromLine = ({ from }: ApprovalSubject): VNode | null =>
  (from === undefined ? null : el('p', { class: 'row meta asker', dir: 'auto' }, icon('type-hierarchy-sub'), el('span', { class: 'summary' }, around(t('Asked by a sub-agent: {0}'), words(from)))));

/** For each change of an edit how its hunks are chosen; nothing for what is answered whole. */
const hunkChoices = ({ approvalId, subject }: Approval, left: readonly string[], actions: Actions): readonly HunkChoice[] => hunksOf(subject, (change) => ({
  isLeftOut: (hunk) => left.includes(hunkKey(change, hunk)),
  choose: (hunk, chosen) => actions.post({ type: 'chooseHunk', approvalId, change, hunk, chosen }),
}));

/** What was written of an edit that was approved in part, to be read. */
const decidedHunks = ({ subject, part }: Approval): readonly HunkChoice[] => (part === undefined ? [] : hunksOf(subject, (change) => ({ isLeftOut: (hunk) => part[change]?.includes(hunk) !== true, choose: null })));

function hunksOf(subject: ApprovalSubject, choice: (change: number) => Pick<HunkChoice, 'isLeftOut' | 'choose'>): HunkChoice[] {
  const changes = choosableChanges(subject) ?? [];
  const count = (upTo: number): number => changes.slice(0, upTo).reduce((sum, { hunks }) => sum + hunks.length, 0);
  return changes.map((_change, index) => ({ first: count(index) + 1, of: count(changes.length), ...choice(index) }));
}

/** Exactly what is asked for. A request that was approved in part shows what was left out. */
function subjectBody(subject: ApprovalSubject, choices: readonly HunkChoice[] = []): VNode | null {
  switch (subject.kind) {
    case 'edit':
      return el('div', { class: 'subject' }, subject.changes.map((change, index) => el('div', { key: change.path },
        subject.changes.length > 1 && changeHead(change),
        draw(DiffLines, { change, choice: choices[index] }))));
    case 'command':
      return el('div', { class: 'subject' }, el('pre', { class: 'command-text', dir: 'ltr', tabIndex: 0 }, code(subject.command)));
    case 'question':
      // The gateway's own words where the store cannot read the request any more.
      return detailOf(told(subject.detail));
    case 'tool':
    case 'plan':
      return detailOf(subject.detail);
  }
}

const detailOf = (detail: string): VNode | null => (detail === '' ? null : el('div', { class: 'subject' }, el('div', { class: 'detail-text', dir: 'auto' }, words(detail))));

/** All that bears on the decision beside the thing itself. */
function remarks({ subject, title, options, expiresAt }: Approval, agentLabel: string): VNode | null {
  const lines: ComponentChildren[] = [];
  if (subject.kind === 'command' && saysMore(title, subject.command)) lines.push(words(title));
  if (subject.kind === 'command' && subject.envNames.length > 0) lines.push(around(t('Sets these variables: {0}'), code(subject.envNames.join(', '))));
  if (subject.kind === 'edit' && subject.mode === 'agentApplied') lines.push(t('The agent writes this file itself once you approve it.'));
  for (const { kind, name } of options) if (kind.endsWith('_always')) lines.push(['“', words(name), '”: ', t('{0} keeps this rule itself. Attaché stores nothing, and cannot list or revoke it.', agentLabel)]);
  if (expiresAt !== null) lines.push(t('Expires at {0}.', clockTime(expiresAt, Date.now())));
  const folder = subject.kind === 'command' && folderLine(subject.cwd);
  return lines.length === 0 && !folder ? null : el('div', { class: 'remarks' }, folder, lines.map((line, index) => el('p', { class: 'meta', dir: 'auto', key: index }, line)));
}

/** The whole of a path; where the room is short its middle goes first, its end last. */
function folderLine(path: string): VNode {
  const end = Math.max(0, path.search(/[\\/][^\\/]*.?$/));
  return el('p', { class: 'meta folder', title: path }, around(t('Folder: {0}'), el('code', { dir: 'ltr' }, el('span', null, shown(path.slice(0, end))), el('span', null, shown(path.slice(end))))));
}

function saysMore(title: string, command: string): boolean {
  const plain = title.replaceAll('`', '').trim();
  return plain !== '' && !plain.includes(command.trim()) && !command.includes(plain);
}

/** The line a request becomes; it opens to what was asked. */
export function ReceiptRow(props: ApprovalProps, surroundings: Surroundings): VNode {
  return draw(TurnContext.Consumer, { children: (turn) => receiptRow(props, surroundings, turn) });
}
ReceiptRow.contextType = SurroundingsContext;

function receiptRow({ approval, tool, superseded = false }: ApprovalProps, { windowClientId: clientId, windowId }: Surroundings, turn: Turn | null): VNode {
  const { icon: name, subject, outcome, tone } = receipt(approval, { clientId, windowId }, { superseded, ...(turn === null ? {} : { turn }) });
  // A time is not torn apart by the end of a line.
  const at = approval.decidedAt === null ? null : clockTime(approval.decidedAt, Date.now()).replaceAll(' ', '\u00A0');
  const said = firstLine(approval.comment ?? '', 80);
  const summary = [
    el('span', { class: 'receipt-subject', dir: 'auto' }, shown(subject)),
    approval.subject.kind === 'edit' && totals(approval.subject.changes),
    el('span', { class: 'receipt-outcome', dir: 'auto' }, `${outcome}${at === null ? '' : ` · ${at}`}${said === '' ? '' : ` · “${said}”`}`),
    approval.status === 'approved' && !superseded && tool !== undefined && endMark(tool.item),
  ];
  const busy = approval.status === 'approved' && !superseded && tool?.item.state === 'started';
  const body = (): ComponentChildren => [draw(ReceiptBody, { approval, key: 'request' }), tool !== undefined && draw(ToolDetails, { ...tool, told: approval.subject.kind === 'edit', key: 'tool' })];
  return draw(Fold, { name: approval.approvalId, className: `receipt ${tone}`, icon: icon(busy ? 'loading' : name), summary, body });
}

function ReceiptBody({ approval }: ApprovalProps, { actions }: Surroundings): VNode {
  return el('div', null,
    fromLine(approval.subject),
    subjectBody(approval.subject, decidedHunks(approval)),
    approval.subject.kind === 'command' && folderLine(approval.subject.cwd),
    approval.comment !== null && approval.comment !== '' && el('p', { class: 'meta', dir: 'auto' }, t('Comment: {0}', approval.comment)),
    el('p', { class: 'fold-actions' },
      approval.subject.kind === 'edit' && [
        linkButton(t('Open Diff'), () => actions.post({ type: 'openDiff', approvalId: approval.approvalId })),
        linkButton(t('Turn’s Changes…'), () => actions.post({ type: 'run', command: 'turnActions', about: approval.turnId })),
      ],
      approval.decidedBy?.by === 'grant' && linkButton(t('Manage Rule…'), () => actions.post({ type: 'run', command: 'manageGrants', about: approval.decidedBy?.rule ?? '' }))));
}

ReceiptBody.contextType = SurroundingsContext;
