import { Component, type VNode } from 'preact';
import type { Item, ItemDataOf, PlanEntry } from '../../../src/protocol/item/state.ts';
import { amount, duration } from '../format/time.ts';
import { t, told } from '../l10n.ts';
import { StreamedMarkdown } from '../markdown/streamedMarkdown.ts';
import { SentAttachments } from './attachments.ts';
import { el, icon, draw, linkButton, pushButton, spoken, type Surroundings, SurroundingsContext } from './dom.ts';
import { Fold } from './fold.ts';
import { RevertNotice } from './revertNotice.ts';
import { LongText, words } from './shownText.ts';

interface ItemProps {
  readonly item: Item;
}

export function UserMessage({ item }: ItemProps): VNode {
  const attachments = item.data.kind === 'user_message' ? (item.data.attachments ?? []) : [];
  const text = draw(LongText, { name: item.itemId, text: item.text, className: 'bubble' });
  return attachments.length === 0 ? text : el('div', { class: 'with-attachments' }, text, draw(SentAttachments, { itemId: item.itemId, attachments, label: t('Attached') }));
}

export function AgentMessage({ item }: ItemProps): VNode {
  return el('div', { class: 'agent-message' }, draw(Markdown, { name: item.itemId, text: item.text, ended: item.state !== 'started' }), draw(RestOfText, { item }));
}

interface MarkdownProps {
  readonly name: string;
  readonly text: string;
  readonly ended: boolean;
}

/** The blocks of code that were open in messages that are not drawn now. */
const unfoldedIn = new Map<string, readonly number[]>();

/** Hands its element over to StreamedMarkdown: the page never compares the nodes inside. */
class Markdown extends Component<MarkdownProps> {
  #element: HTMLElement | null = null;
  #markdown: StreamedMarkdown | null = null;

  override shouldComponentUpdate(next: MarkdownProps): boolean {
    this.#markdown?.update(next.text, next.ended);
    return false;
  }

  override componentDidMount(): void {
    if (this.#element === null) return;
    this.#markdown = new StreamedMarkdown(this.#element);
    this.#markdown.update(this.props.text, this.props.ended);
    this.#markdown.unfold(unfoldedIn.get(this.props.name) ?? []);
  }

  override componentWillUnmount(): void {
    if (this.#markdown !== null) unfoldedIn.set(this.props.name, this.#markdown.unfolded);
  }

  override render(): VNode {
    return el('div', { class: 'markdown', ref: (element) => { this.#element = element; } });
  }
}

/** Of a very long text only the head comes by itself. */
export function RestOfText({ item }: ItemProps, { actions }: Surroundings): VNode | null {
  const left = item.textLength - item.text.length;
  if (left <= 0) return null;
  const ended = item.state !== 'started';
  return el('p', { class: 'meta' }, ended ? t('{0} more characters are not shown.', amount(left)) : t('{0} more characters are not shown yet.', amount(left)),
    ended && [' ', linkButton(t('Load all'), () => actions.post({ type: 'loadItem', itemId: item.itemId }))]);
}
RestOfText.contextType = SurroundingsContext;

export function Thought({ item }: ItemProps): VNode {
  const open = item.state === 'started';
  const summary = open ? t('Thinking…') : t('Thought for {0}', duration((item.endedAt ?? item.startedAt) - item.startedAt));
  const own = open ? { icon: icon('loading') } : {};
  return draw(Fold, { className: 'thought', name: item.itemId, ...own, summary, body: () => el('div', { class: 'thought-text' }, draw(Markdown, { name: item.itemId, text: item.text, ended: !open })) });
}

const PLAN_ICONS: Readonly<Record<PlanEntry['status'], readonly [string, string]>> = {
  completed: ['pass-filled', t('done')],
  in_progress: ['sync', t('in progress')],
  pending: ['circle-large-outline', t('to do')],
};

export function Plan({ data }: { readonly data: ItemDataOf<'plan'> }): VNode {
  return el('ul', { class: 'plan', 'aria-label': t('Plan') }, data.entries.map((entry, index) => {
    const [name, status] = PLAN_ICONS[entry.status];
    return el('li', { class: `step ${entry.status}`, key: index, 'data-status': entry.status }, icon(name), el('span', { dir: 'auto' }, words(entry.content), spoken(` (${status})`)));
  }));
}

export function Notice({ item, data }: ItemProps & { readonly data: ItemDataOf<'notice'> }): VNode {
  if (data.revert !== undefined) return draw(RevertNotice, { item, revert: data.revert });
  return el('div', { class: `row notice ${data.level}` }, icon(data.level === 'warning' ? 'warning' : 'info'), el('span', { dir: 'auto' }, told(item.text)));
}

const AGENT_TROUBLE = new Set(['execution_unavailable', 'agent_authentication_required', 'agent_died']);

export function ErrorItem({ item, data }: ItemProps & { readonly data: ItemDataOf<'error'> }, { actions }: Surroundings): VNode {
  return el('div', { class: 'card trouble' },
    el('div', { class: 'card-head' }, icon('error'), el('span', { class: 'card-title', dir: 'auto' }, told(item.text))),
    el('p', { class: 'trouble-next', dir: 'auto' }, told(data.next)),
    AGENT_TROUBLE.has(data.code) && el('div', { class: 'buttons' },
      pushButton('secondary', t('Restart Agent'), () => actions.run('restartAgent')),
      linkButton(t('Show Log'), () => actions.run('showLog'))));
}
ErrorItem.contextType = SurroundingsContext;
