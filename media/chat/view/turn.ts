import { Component, type VNode } from 'preact';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import { hasEnded } from '../../../src/protocol/turn/phase.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import type { Actions } from '../actions.ts';
import { firstLine } from '../format/text.ts';
import { canRetry, turnEnd } from '../format/turnEnd.ts';
import { t, told } from '../l10n.ts';
import type { Row } from '../rows.ts';
import { toolGroup } from '../toolGroup.ts';
import { type ItemNode, type TurnPart, sameNode, treeOf } from '../transcript.ts';
import { ApprovalView } from './approval.ts';
import { SentAttachments } from './attachments.ts';
import { el, icon, draw, iconButton, pushButton, TurnContext, type Surroundings, SurroundingsContext } from './dom.ts';
import { ErrorBoundary } from './errorBoundary.ts';
import { AgentMessage, ErrorItem, Notice, Plan, Thought, UserMessage } from './items.ts';
import { ToolCall } from './toolCall.ts';
import { Command, Edit } from './work.ts';

interface TurnProps {
  readonly part: TurnPart;
  readonly stopping: boolean;
}

interface RowProps {
  readonly row: Row;
  readonly stopping: boolean;
  /** How many turns there are, for those who hear where they are. */
  readonly turnCount: number;
}

/** One message and everything done for it, or a part of that. Drawn again only when its row is another object. */
export class RowView extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return next.row !== this.props.row || next.stopping !== this.props.stopping || next.turnCount !== this.props.turnCount;
  }

  override render(): VNode {
    const { row: { key, part, slice, isFirst, isLast }, stopping, turnCount } = this.props;
    const { turn } = part;
    const tree = treeOf(part);
    const headingId = `turn-${turn.turnId}`;
    const attributes = {
      'class': `turn${neverRan(turn) ? ' not-run' : ''}${isFirst ? '' : ' goes-on'}`, 'data-row': key, 'data-state': turn.state, ...(isFirst ? { 'data-turn-id': turn.turnId } : {}),
      'role': 'article' as const, 'aria-posinset': turn.turnIdx, 'aria-setsize': Math.max(turnCount, turn.turnIdx),
      ...(isFirst ? { 'aria-labelledby': headingId } : { 'aria-label': t('Message {0}, continued', turn.turnIdx) }),
    };
    if (wasRemoved(turn)) return draw(RemovedMessage, { turn, attributes, headingId });
    return draw(TurnContext.Provider, { value: turn, children: el('section', attributes,
      isFirst && el('h2', { class: 'spoken', id: headingId }, t('Message {0}: {1}', turn.turnIdx, firstLine(turn.text))),
      isFirst && (turn.origin === 'cli' || turn.origin === 'retry') && el('p', { class: 'origin' }, turn.origin === 'cli' ? t('from the command line') : t('retry')),
      (slice ?? tree.roots).map((node) => draw(ItemView, { node, key: node.item.itemId })),
      isLast && tree.loose.map((approval) => draw(ApprovalView, { approval, key: approval.approvalId })),
      isLast && draw(Activity, { part, stopping }),
      isLast && [draw(TurnFooter, { part, key: 'footer' }), draw(TurnActions, { turn, key: 'actions' })]) });
  }
}

/** A message that was taken back while it waited leaves one quiet line. */
function RemovedMessage({ turn, attributes, headingId }: { readonly turn: Turn; readonly attributes: Parameters<typeof el<'section'>>[1]; readonly headingId: string }): VNode {
  return el('section', attributes,
    el('h2', { class: 'spoken', id: headingId }, t('Message {0}: {1}', turn.turnIdx, firstLine(turn.text))),
    el('p', { class: 'row removed', title: turn.text, dir: 'auto' }, icon('circle-slash'), el('span', { class: 'summary' }, t('{0}: “{1}”', turnEnd(turn)?.text ?? '', firstLine(turn.text, 80)))));
}

const wasRemoved = (turn: Turn): boolean => turn.state === 'cancelled' && turn.startedAt === null;

const neverRan = (turn: Turn): boolean => hasEnded(turn.state) && turn.startedAt === null;

interface ItemViewProps {
  readonly node: ItemNode;
}

/** Drawn again only when something in it changed, also where its row is another one. */
class ItemView extends Component<ItemViewProps> {
  static override contextType = SurroundingsContext;

  override shouldComponentUpdate({ node }: ItemViewProps): boolean {
    return !sameNode(node, this.props.node);
  }

  override render(): VNode {
    return itemView(this.props.node, (this.context as Surroundings).actions);
  }
}

function itemView(whole: ItemNode, actions: Actions): VNode {
  const { item } = whole;
  const group = item.data.kind === 'tool_call' ? toolGroup(whole) : null;
  const node = group === null ? whole : { ...whole, approvals: group.requests, children: group.children };
  const boundary = {
    raw: () => `${item.text}\n${JSON.stringify(item.data, null, 2)}`,
    onError: (error: unknown) => actions.post({ type: 'pageError', message: `item ${item.itemId}: ${String(error)}`.slice(0, 20_000) }),
  };
  return el('div', { class: 'item', 'data-kind': item.data.kind, 'data-state': item.state, 'data-item-id': item.itemId },
    draw(ErrorBoundary, { ...boundary, children: draw(ItemBody, { node, showsRow: group?.showsRow ?? true, superseded: group?.superseded ?? NONE }) }),
    node.children.map((child) => draw(ItemView, { node: child, key: child.item.itemId })));
}

const NONE: ReadonlySet<Approval> = new Set();

function ItemBody({ node, showsRow, superseded }: { readonly node: ItemNode; readonly showsRow: boolean; readonly superseded: ReadonlySet<Approval> }): VNode {
  const { item, approvals } = node;
  const { data } = item;
  if (data.kind === 'edit') return draw(Edit, { item, data, approvals, askedAgain: node.askedAgain ?? false });
  if (data.kind === 'command') return draw(Command, { item, data, approvals });
  return el('div', { class: 'work' }, showsRow && plainBody(node), 'pictures' in data && data.pictures !== undefined && draw(SentAttachments, { itemId: item.itemId, attachments: data.pictures, label: t('Pictures') }), approvals.map((approval) => draw(ApprovalView, { approval, key: approval.approvalId, superseded: superseded.has(approval), ...(data.kind === 'tool_call' ? { tool: { item, data } } : {}) })));
}

function plainBody({ item, approvals }: ItemNode): VNode | null {
  const { data } = item;
  switch (data.kind) {
    case 'user_message':
      return draw(UserMessage, { item });
    case 'agent_message':
      return draw(AgentMessage, { item });
    case 'thought':
      return draw(Thought, { item });
    case 'plan':
      return draw(Plan, { data });
    case 'tool_call':
      return draw(ToolCall, { item, data, waits: approvals.some(({ status }) => status === 'pending') });
    case 'notice':
      return draw(Notice, { item, data });
    case 'error':
      return draw(ErrorItem, { item, data });
    default:
      return null;
  }
}

/** A sign of life while nothing else shows one. */
function Activity({ part, stopping }: TurnProps): VNode | null {
  const { turn, items, approvals } = part;
  if (hasEnded(turn.state)) return null;
  if (stopping || turn.state === 'cancelling') return el('div', { class: 'row activity', key: 'activity' }, icon('loading'), t('Stopping…'));
  const waits = approvals.some(({ status }) => status === 'pending');
  const showsItself = items.some(({ state, data }) => state === 'started' && (data.kind === 'thought' || data.kind === 'command' || data.kind === 'tool_call'));
  return waits || showsItself ? null : el('div', { class: 'row activity', key: 'activity' }, icon('loading'), t('Working…'));
}

/** What can be done from here on; seen when the turn is pointed at or has the focus. */
function TurnActions({ turn }: { readonly turn: Turn }, { actions }: Surroundings): VNode | null {
  if (!hasEnded(turn.state) || turn.startedAt === null) return null;
  return el('div', { class: 'turn-actions' }, iconButton('repo-forked', t('Fork from Here: a new session, with what was said up to here in its message box'), () => actions.post({ type: 'run', command: 'forkSession', about: turn.turnId }), { 'data-act': 'fork' }));
}
TurnActions.contextType = SurroundingsContext;

/** How the turn ended, unless it simply did. */
function TurnFooter({ part: { turn, retried } }: Pick<TurnProps, 'part'>, { actions, retrying }: Surroundings): VNode | null {
  const end = turnEnd(turn);
  if (end === null) return null;
  return el('div', { class: `turn-end ${end.tone}` },
    icon(end.icon),
    el('div', { class: 'turn-end-text' }, el('span', null, end.text), end.detail !== null && el('span', { class: 'meta', dir: 'auto' }, told(end.detail))),
    canRetry(turn) && (retried
      ? el('span', { class: 'meta' }, t('Retried below'))
      : pushButton('secondary small', [icon('refresh'), t('Retry')], () => actions.retry(turn), { title: t('Send this message again, in the same conversation'), 'aria-disabled': retrying.has(turn.turnId) })));
}
TurnFooter.contextType = SurroundingsContext;
