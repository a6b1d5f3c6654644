import type { ComponentChildren, VNode } from 'preact';
import type { PanelState } from '../../../src/protocol/panel.ts';
import { type Chip, type LocalState, agentChip, folderChip, goalChip, modeChip, rightsChip, stateChip } from '../format/chips.ts';
import { t } from '../l10n.ts';
import { el, icon, type Surroundings, SurroundingsContext } from './dom.ts';

interface HeaderProps {
  readonly state: PanelState;
  readonly local: LocalState;
  readonly revealFirst: () => void;
}

/** Answers at all times: which goal, who runs it, which agent, with which rights, in which state. */
export function Header({ state, local, revealFirst }: HeaderProps, { actions, pending }: Surroundings): VNode {
  const { chrome, view } = state;
  const title = view === null ? t('New session') : view.session.title || view.session.goalTitle || view.session.goalId;
  const acts: Partial<Record<Chip['id'], () => void>> = { agent: () => actions.run('selectAgent'), rights: () => actions.run('permissionMode') };
  if (view === null) acts.folder = () => actions.run('chooseFolder');
  if (pending.length > 0) acts.state = revealFirst;
  const chips = [goalChip(view), folderChip(chrome, view), modeChip(view, chrome.windowId), agentChip(chrome, view), rightsChip(view), stateChip(chrome, view, local)].filter((chip) => chip !== null);
  return el('header', { class: 'head' },
    el('h1', { class: 'title', title, dir: 'auto' }, title),
    el('ul', { class: 'chips', 'aria-label': t('Session') }, chips.map((chip) => el('li', { key: chip.id }, chipElement(chip, acts[chip.id])))));
}
Header.contextType = SurroundingsContext;

const labelOf = ({ label, spare }: Chip): ComponentChildren =>
  spare === undefined ? label : [el('span', { class: 'chip-spare' }, label.slice(0, spare)), el('span', { class: 'chip-main' }, label.slice(spare))];

function chipElement(chip: Chip, act: (() => void) | undefined): VNode {
  const attributes = { class: `chip ${chip.tone}`, title: chip.hint, 'data-chip': chip.id, 'data-source': chip.source };
  const inside = [icon(chip.icon), el('span', { class: 'chip-label', dir: 'auto' }, labelOf(chip))];
  return act === undefined ? el('span', attributes, inside) : el('button', { ...attributes, type: 'button', onClick: act }, inside);
}
