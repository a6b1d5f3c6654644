import type { VNode } from 'preact';
import type { PanelState } from '../../../src/protocol/panel.ts';
import { sendBlocked } from '../format/banners.ts';
import { t } from '../l10n.ts';
import { el, icon, pushButton, type Surroundings, SurroundingsContext } from './dom.ts';

const OFFLINE_AGENT_ID = 'offline';
const SHOWN_COMMANDS = 6;

/** A session without messages says what to do. */
export function EmptyState({ state }: { readonly state: PanelState }, { actions, agentLabel }: Surroundings): VNode {
  const { chrome, view } = state;
  const blocked = sendBlocked(state);
  if (blocked !== null) return el('div', { class: 'empty', 'data-region': 'empty' }, icon('comment-discussion', 'empty-icon'), el('p', null, t('{0}.', blocked)));
  const offline = chrome.agent.agentId === OFFLINE_AGENT_ID;
  const commands = view?.session.agent.commands ?? [];
  const offered = commands.length > 0 ? commands.slice(0, SHOWN_COMMANDS) : offline ? [{ name: 'help', description: t('shows everything it can do') }] : [];
  return el('div', { class: 'empty', 'data-region': 'empty' },
    icon('comment-discussion', 'empty-icon'),
    el('h2', null, t('Say what {0} should do', agentLabel)),
    el('p', null, offline
      ? t('The built-in agent has no model and needs no account: it lists, searches, reads, edits and runs exactly what you tell it to.')
      : t('It works in {0}. Before it changes a file or runs a command, you are asked here.', chrome.folderName === '' ? t('this folder') : chrome.folderName)),
    offered.length > 0 && el('ul', { class: 'hints', 'aria-label': t('Commands') }, offered.map(({ name, description }) =>
      el('li', { key: name }, el('button', { class: 'hint', type: 'button', title: t('Put this command into the message'), onClick: () => actions.prefill(`/${name}${name === 'help' ? '' : ' '}`) }, el('code', null, `/${name}`), el('span', { dir: 'auto' }, description))))),
    el('p', { class: 'meta' }, view === null ? t('Your first message creates a goal: its first line is the title, and later sessions can share it.') : t('This session works on the goal “{0}”.', view.session.goalTitle)),
    el('div', { class: 'buttons' },
      pushButton('secondary small', [icon('hubot'), t('Select Agent')], () => actions.run('selectAgent')),
      pushButton('secondary small', [icon('history'), t('Switch Session')], () => actions.run('switchSession'))));
}
EmptyState.contextType = SurroundingsContext;

/** Before the first word from the extension: the shape of what will come. */
export function Skeleton(): VNode {
  return el('div', { class: 'skeleton', 'data-region': 'loading', role: 'status', 'aria-label': t('Loading') },
    ['title', 'chips', 'bubble', 'line', 'line short', 'card'].map((shape, index) => el('div', { class: `bone ${shape}`, key: index })),
    el('p', { class: 'meta' }, t('Loading the session…')));
}
