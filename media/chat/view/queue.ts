import { type VNode } from 'preact';
import type { OutboxEntry } from '../../../src/protocol/panel.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { firstLine } from '../format/text.ts';
import { t, told } from '../l10n.ts';
import { later, whenLater } from '../later.ts';
import { el, icon, spoken, iconButton, draw, linkButton, type Surroundings, SurroundingsContext, kept } from './dom.ts';

interface QueueProps {
  readonly turns: readonly Turn[];
  readonly paused: boolean;
  /** Not even a new message lets it go on. */
  readonly held: boolean;
}

/** The messages that wait for the running one, each to be changed or taken back. */
export function Queue({ turns, paused, held }: QueueProps, { actions }: Surroundings): VNode | null {
  if (turns.length === 0) return null;
  return el('section', { class: 'queue', 'data-region': 'queue', 'data-paused': paused, 'aria-label': t('Queue') },
    el('div', { class: 'row queue-head' },
      icon(paused ? 'debug-pause' : 'list-ordered'),
      el('span', { class: 'grow' }, held ? t('Held — {0} waiting', turns.length) : paused ? t('Paused — {0} waiting', turns.length) : t('{0} queued', turns.length)),
      paused && linkButton(held ? t('Try Again') : t('Resume'), () => actions.resumeQueue(), { title: t('Let the queued messages run') })),
    paused && !held && el('p', { class: 'meta' }, turns.length === 1 ? t('Sending a message runs it first.') : t('Sending a message runs these first.')),
    el('ol', { class: 'queue-list' }, turns.map((turn) => draw(QueueEntry, { turn, key: turn.turnId }))));
}
Queue.contextType = SurroundingsContext;

function QueueEntry({ turn }: { readonly turn: Turn }, { actions }: Surroundings): VNode {
  return kept(false, (editing, setEditing) => {
    const attributes = { class: 'queue-entry', 'data-turn-id': turn.turnId, 'data-state': turn.state };
    const Editor = editing ? later()?.QueueEditor : undefined;
    if (Editor !== undefined) return el('li', attributes, draw(Editor, { turn, done: () => setEditing(false) }));
    return el('li', attributes,
      el('span', { class: 'grow queue-text', title: turn.text, dir: 'auto' }, firstLine(turn.text)),
      turn.attachments !== undefined && el('span', { class: 'queue-attached', title: turn.attachments.map(({ name }) => name).join('\n') }, icon('attach'), String(turn.attachments.length), spoken(turn.attachments.length === 1 ? t('1 attachment') : t('{0} attachments', turn.attachments.length))),
      iconButton('edit', t('Edit this message'), () => whenLater(() => setEditing(true), () => actions.lacksParts())),
      iconButton('close', t('Remove this message'), () => actions.removeQueued(turn)));
  });
}
QueueEntry.contextType = SurroundingsContext;

/** Messages on their way to the gateway, where the transcript will have them. */
export function OutboxList({ entries }: { readonly entries: readonly OutboxEntry[] }): VNode | null {
  if (entries.length === 0) return null;
  return el('section', { class: 'outbox', 'data-region': 'outbox', 'aria-label': t('Being sent') }, entries.map((entry) => draw(OutboxItem, { entry, key: entry.clientTurnId })));
}

function OutboxItem({ entry }: { readonly entry: OutboxEntry }, { actions }: Surroundings): VNode {
  const failed = entry.state === 'failed';
  return el('div', { class: 'outbox-entry', 'data-client-turn-id': entry.clientTurnId, 'data-state': entry.state },
    el('div', { class: 'bubble', dir: 'auto' }, entry.text),
    entry.attachments !== undefined && el('ul', { class: 'sent', 'aria-label': t('Attached') }, entry.attachments.map((name, index) => el('li', { class: 'attached', key: index }, icon('attach'), el('span', { class: 'attached-name', dir: 'ltr' }, name)))),
    el('div', { class: `row outbox-state ${failed ? 'bad' : ''}` },
      el('span', { dir: 'auto' }, icon(failed ? 'error' : 'loading'), ' ', failed ? (entry.message === null ? t('Not delivered') : t('Not delivered: {0}', told(entry.message))) : t('Sending…')),
      failed && el('span', { class: 'choices' },
        linkButton(t('Resend'), () => actions.resend(entry.clientTurnId)), ' ',
        linkButton(t('Edit'), () => actions.takeBack(entry.clientTurnId)), ' ',
        linkButton(t('Discard'), () => actions.discard(entry.clientTurnId)))));
}
OutboxItem.contextType = SurroundingsContext;
