import * as vscode from 'vscode';
import { isAutomaticKey } from '../../protocol/goal/automaticKey.ts';
import { modeWords } from '../../protocol/session/modeWords.ts';
import type { SearchHit } from '../../protocol/session/commands.ts';
import type { Session } from '../../protocol/session/state.ts';
import { age, byActivity, groupSessions, groupTitle } from './sessionGroups.ts';
import { folderName, plainLabel, sessionLook } from './sessionLook.ts';
import type { Findings, FoundPlace } from './transcriptFinder.ts';

export type RowButton = 'tab' | 'rename' | 'pin' | 'unpin' | 'archive' | 'unarchive' | 'close' | 'delete';

export interface Row extends vscode.QuickPickItem {
  readonly session?: Session;
  /** Set: the row stands for a place in the transcript. */
  readonly hit?: SearchHit;
  readonly does?: 'more';
  readonly acts?: readonly RowButton[];
  readonly part: 'open' | 'putAway' | 'found';
}

/** What a line of a list says besides its session. */
export interface RowFacts {
  /** The session in the chat used last. */
  readonly current: string | null;
  readonly agentLabel: (agentId: string) => string;
  /** Tells this window from another. */
  readonly windowId: string;
  readonly isFolderOpen: (workspace: string) => boolean;
  readonly now: number;
}

const buttonOf: Readonly<Record<RowButton, () => vscode.QuickInputButton>> = {
  tab: () => ({ iconPath: new vscode.ThemeIcon('link-external'), tooltip: vscode.l10n.t('Open in Editor Tab') }),
  rename: () => ({ iconPath: new vscode.ThemeIcon('edit'), tooltip: vscode.l10n.t('Rename') }),
  pin: () => ({ iconPath: new vscode.ThemeIcon('pin'), tooltip: vscode.l10n.t('Pin') }),
  unpin: () => ({ iconPath: new vscode.ThemeIcon('pinned'), tooltip: vscode.l10n.t('Unpin') }),
  archive: () => ({ iconPath: new vscode.ThemeIcon('archive'), tooltip: vscode.l10n.t('Archive') }),
  unarchive: () => ({ iconPath: new vscode.ThemeIcon('inbox'), tooltip: vscode.l10n.t('Unarchive') }),
  close: () => ({ iconPath: new vscode.ThemeIcon('close'), tooltip: vscode.l10n.t('Close Session') }),
  delete: () => ({ iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Delete Session') }),
};

function actsOn(session: Session, isOpen: boolean): RowButton[] {
  if (!isOpen) return ['tab'];
  if (session.archivedAt !== null) return ['tab', 'unarchive', 'delete'];
  return ['tab', 'rename', session.pinned ? 'unpin' : 'pin', 'archive', session.status === 'closed' ? 'delete' : 'close'];
}

const separator = (label: string, part: Row['part']): Row => ({ label, kind: vscode.QuickPickItemKind.Separator, part });

/** Those of folders that are not open here stand last, whatever they do: nothing of it can be answered from here. */
export function openRows(sessions: readonly Session[], facts: RowFacts): Row[] {
  const isHere = ({ workspace }: Session): boolean => facts.isFolderOpen(workspace);
  const removed = sessions.filter((session) => !isHere(session)).sort(byActivity);
  const groups = groupSessions(sessions.filter(isHere)).map(({ group, sessions: mine }) => ({ title: groupTitle(group), mine }));
  return [...groups, ...(removed.length === 0 ? [] : [{ title: vscode.l10n.t('In folders that are not open'), mine: removed }])]
    .flatMap(({ title, mine }) => [separator(title, 'open'), ...mine.map((session) => sessionRow(session, 'open', facts))]);
}

/** At the end of the list, to be read. */
export function putAwayRows(sessions: readonly Session[], facts: RowFacts): Row[] {
  const [archived, closed] = [sessions.filter(({ archivedAt }) => archivedAt !== null), sessions.filter(({ archivedAt }) => archivedAt === null)];
  const group = (title: string, mine: readonly Session[]): Row[] => (mine.length === 0 ? [] : [separator(title, 'putAway'), ...[...mine].sort(byActivity).map((session) => sessionRow(session, 'putAway', facts))]);
  return [...group(vscode.l10n.t('Closed'), closed), ...group(vscode.l10n.t('Archived'), archived)];
}

export function foundRows({ places, hasMore, isLooking, text }: Findings, listed: ReadonlySet<string>, facts: RowFacts): Row[] {
  // A title that the list shows is found by the list itself.
  const shown = places.filter(({ hit }) => hit.itemId !== null || !listed.has(hit.sessionId));
  const last: Row[] = hasMore && !isLooking ? [{ label: `$(search) ${vscode.l10n.t('Search further…')}`, alwaysShow: true, does: 'more', part: 'found' }] : [];
  if (shown.length === 0 && last.length === 0) return isLooking || text === '' ? [] : [separator(vscode.l10n.t('Nothing more in the transcripts'), 'found')];
  return [separator(vscode.l10n.t('In the transcripts'), 'found'), ...shown.map((place) => foundRow(place, facts)), ...last];
}

function sessionRow(session: Session, part: Row['part'], facts: RowFacts): Row {
  const isOpen = facts.isFolderOpen(session.workspace);
  const { icon, words } = sessionLook(session, isOpen);
  const mode = modeWords(session, facts.windowId);
  const acts = actsOn(session, isOpen);
  return {
    label: `$(${icon}) ${plainLabel(session.title)}`,
    description: [session.sessionId === facts.current ? vscode.l10n.t('shown') : null, words, session.status === 'closed' ? null : `$(${mode.icon}) ${mode.label}`, age(session.updatedAt, facts.now)].filter((text) => text !== null).join(' · '),
    detail: [goalWords(session), plainLabel(facts.agentLabel(session.agentId)), plainLabel(folderName(session.workspace))].join(' · '),
    buttons: acts.map((act) => buttonOf[act]()),
    acts, session, part,
  };
}

/** A goal that was made with the first message has its words for a title, and a key that says nothing. */
function goalWords({ title, goalId, goalTitle, lifetime }: Session): string {
  if (!isAutomaticKey(goalId)) return vscode.l10n.t('{0} ({1}) · life {2}', plainLabel(goalTitle), goalId, lifetime);
  return goalTitle === title ? vscode.l10n.t('life {0}', lifetime) : vscode.l10n.t('{0} · life {1}', plainLabel(goalTitle), lifetime);
}

function foundRow({ hit, session }: FoundPlace, facts: RowFacts): Row {
  const [icon, who] = whereOf(hit);
  return {
    label: `$(${icon}) ${plainLabel(session.title)}`,
    description: [who, session.status === 'closed' ? vscode.l10n.t('closed') : null, session.archivedAt === null ? null : vscode.l10n.t('archived'), age(hit.at, facts.now)].filter((text) => text !== null).join(' · '),
    detail: plainLabel(hit.excerpt),
    alwaysShow: true,
    buttons: [buttonOf.tab()],
    acts: ['tab'], session, hit, part: 'found',
  };
}

function whereOf({ kind }: SearchHit): readonly [icon: string, words: string] {
  switch (kind) {
    case 'session_title':
      return ['comment-discussion', vscode.l10n.t('title')];
    case 'user_message':
      return ['account', vscode.l10n.t('message')];
    case 'agent_message':
      return ['hubot', vscode.l10n.t('answer')];
    case 'tool_call':
      return ['tools', vscode.l10n.t('tool')];
    case 'edit':
      return ['diff', vscode.l10n.t('edit')];
    case 'command':
      return ['terminal', vscode.l10n.t('command')];
  }
}
