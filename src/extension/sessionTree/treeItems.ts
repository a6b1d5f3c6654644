import * as vscode from 'vscode';
import { visibleLine } from '../../client/visibleText.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import { modeWords } from '../../protocol/session/modeWords.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { RowFacts } from '../sessions/pickerRows.ts';
import { age } from '../sessions/sessionGroups.ts';
import { folderName, sessionLook } from '../sessions/sessionLook.ts';
import type { SectionId, TreeNode } from './treeModel.ts';

export interface ItemFacts extends RowFacts {
  /** The window shows sessions of several folders: each says its own. */
  readonly manyFolders: boolean;
}

/** How a line looks, what is said of it, and by its context value which commands it has. */
export function treeItem(id: string, node: TreeNode, facts: ItemFacts): vscode.TreeItem {
  const item = new vscode.TreeItem('');
  item.id = id;
  switch (node.kind) {
    case 'section':
      return Object.assign(item, sectionItem(node));
    case 'goal':
      return Object.assign(item, goalItem(node, facts));
    case 'more':
      return Object.assign(item, moreItem(id, node));
    case 'session':
      return Object.assign(item, sessionItem(node, facts));
  }
}

type Part = Partial<vscode.TreeItem>;
const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

const SECTION_ICONS: Readonly<Record<SectionId, string>> = { needsYou: 'bell-dot', working: 'play-circle', pinned: 'pinned', removed: 'root-folder', archived: 'archive', closed: 'circle-slash' };

function sectionItem({ section, title, count }: Extract<TreeNode, { kind: 'section' }>): Part {
  const isPutAway = section === 'archived' || section === 'closed';
  return {
    label: title,
    ...(count === null ? {} : { description: String(count) }),
    iconPath: new vscode.ThemeIcon(SECTION_ICONS[section]),
    collapsibleState: isPutAway ? Collapsed : Expanded,
    contextValue: `section ${section}`,
  };
}

function goalItem({ goal, count, children }: Extract<TreeNode, { kind: 'goal' }>, facts: ItemFacts): Part {
  const folder = facts.manyFolders ? [folderName(goal.workspace)] : [];
  const life = goal.lifetime > 1 ? [vscode.l10n.t('life {0}', goal.lifetime)] : [];
  const retired = goal.state === 'retired' ? [vscode.l10n.t('retired')] : [];
  const sessions = count === 1 ? vscode.l10n.t('1 session') : vscode.l10n.t('{0} sessions', count);
  const title = visibleLine(goal.title);
  const description = [...folder, ...life, ...retired].join(' · ');
  return {
    label: title,
    description,
    tooltip: [title, visibleLine(`${goal.goalId} · ${vscode.l10n.t('life {0}', goal.lifetime)}`), visibleLine(goal.objective).slice(0, 500), goal.workspace].filter((line) => line !== '').join('\n'),
    iconPath: new vscode.ThemeIcon(goal.state === 'retired' ? 'history' : 'target'),
    collapsibleState: children.length === 0 ? None : Expanded,
    contextValue: `goal ${goal.state}${canManage(facts.isFolderOpen(goal.workspace)) ? ' manage' : ''}`,
    accessibilityInformation: { label: [vscode.l10n.t('Goal {0}', title), sessions, description].filter((part) => part !== '').join(', ') },
  };
}

function moreItem(id: string, { isLoading }: Extract<TreeNode, { kind: 'more' }>): Part {
  const label = isLoading ? vscode.l10n.t('Loading…') : vscode.l10n.t('Show more…');
  return {
    label,
    iconPath: new vscode.ThemeIcon(isLoading ? 'loading~spin' : 'ellipsis'),
    contextValue: 'more',
    command: { command: 'attache.moreSessions', title: label, arguments: [id] },
  };
}

function sessionItem({ session, parent, alone, goal }: Extract<TreeNode, { kind: 'session' }>, facts: ItemFacts): Part {
  const isOpen = facts.isFolderOpen(session.workspace);
  const { icon, color, words } = sessionLook(session, isOpen);
  const title = visibleLine(session.title) || vscode.l10n.t('New session');
  const goalTitle = visibleLine(session.goalTitle);
  const isBelowGoal = parent?.startsWith('goal:') === true;
  const parts = [
    words, session.sessionId === facts.current ? vscode.l10n.t('shown') : null, age(session.updatedAt, facts.now),
    facts.manyFolders && !isBelowGoal ? folderName(session.workspace) : null,
    isBelowGoal || goalTitle === title || goalTitle === '' ? null : goalTitle,
  ].filter((part) => part !== null);
  return {
    label: title,
    description: parts.join(' · '),
    tooltip: tooltip(session, facts),
    iconPath: new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color)),
    collapsibleState: None,
    contextValue: contextOf(session, isOpen, alone ? goal : undefined, facts.windowId),
    command: { command: 'attache.openSession', title: vscode.l10n.t('Open Session'), arguments: [session.sessionId] },
    accessibilityInformation: { label: [title, ...parts, facts.agentLabel(session.agentId)].join(', ') },
  };
}

function tooltip(session: Session, { windowId, agentLabel }: ItemFacts): string {
  const mode = modeWords(session, windowId);
  return [
    visibleLine(session.title),
    visibleLine(`${session.goalTitle} (${session.goalId}) · ${vscode.l10n.t('life {0}', session.lifetime)}`),
    visibleLine(`${agentLabel(session.agentId)} · ${mode.label}`),
    session.workspace,
    vscode.l10n.t('Last activity {0}', new Date(session.updatedAt).toLocaleString()),
  ].join('\n');
}

const canManage = (isFolderOpen: boolean): boolean => isFolderOpen && vscode.workspace.isTrusted;

/** Words that `when` clauses of package.json look for. `manage`: it can be changed from this window. */
function contextOf(session: Session, isFolderOpen: boolean, goal: Goal | undefined, windowId: string): string {
  const isClosed = session.status === 'closed';
  const isIdle = session.activeTurnId === null && session.queue.pending === 0;
  const isHere = session.executor.state === 'connected' && session.executor.windowId === windowId;
  return [
    'session', isClosed ? 'closed' : 'open', session.pinned ? 'pinned' : 'loose', session.archivedAt === null ? 'listed' : 'archived',
    ...(canManage(isFolderOpen) ? ['manage'] : []), ...(isIdle ? ['idle'] : []),
    ...(canManage(isFolderOpen) && !isClosed && !isHere && session.bindingMatch === 'current' ? ['elsewhere'] : []),
    ...(session.bindingMatch === 'current' ? ['current'] : []), ...(goal === undefined ? [] : [goal.state === 'live' ? 'liveGoal' : 'retiredGoal']),
  ].join(' ');
}
