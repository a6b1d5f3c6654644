import { t } from '../../base/l10n.ts';
import { visibleLine } from '../../client/visibleText.ts';
import { isHeld } from '../../protocol/session/held.ts';
import type { BindingMatch, Session } from '../../protocol/session/state.ts';
import { groupOf } from './sessionGroups.ts';

/** How a session looks in every list: one icon and, where it is more than that it waits for the next message, a few words. */
export interface SessionLook {
  /** A codicon. */
  readonly icon: string;
  /** A theme colour; null: that of the text. */
  readonly color: string | null;
  /** Null when there is nothing to say. */
  readonly words: string | null;
}

const look = (icon: string, words: string | null = null, color: string | null = null): SessionLook => ({ icon, color, words });

/** The most urgent first. `isFolderOpen`: the session's folder is one of this window's. */
export function sessionLook(session: Session, isFolderOpen: boolean): SessionLook {
  if (!isFolderOpen) return look('root-folder', t('folder not open here'), 'notificationsWarningIcon.foreground');
  if (session.pendingApprovals === 0 && isHeld(session)) return look('error', t('held'), 'notificationsErrorIcon.foreground');
  const group = groupOf(session);
  if (group === 'needsYou') return look('bell-dot', t('{0} waiting', session.pendingApprovals), 'notificationsWarningIcon.foreground');
  if (session.status === 'closed') return look('circle-slash', t('closed'));
  if (session.archivedAt !== null) return look('archive', t('archived'));
  if (group === 'working') return look('loading~spin', session.queue.pending > 0 ? t('working, {0} queued', session.queue.pending) : t('working'), 'progressBar.background');
  const history = historyWords(session.bindingMatch);
  if (history !== null) return look('history', history);
  if (session.status === 'resume_failed') return look('error', t('could not be resumed'), 'notificationsErrorIcon.foreground');
  if (session.queue.pending > 0) return look('watch', session.queue.paused ? t('{0} queued, paused', session.queue.pending) : t('{0} queued', session.queue.pending));
  return look(session.pinned ? 'pinned' : 'comment-discussion');
}

/** Why a session gets no new work; null when it does. */
function historyWords(match: BindingMatch): string | null {
  switch (match) {
    case 'current':
      return null;
    case 'goal_instance_mismatch':
      return t('stale goal');
    case 'goal_not_registered':
      return t('goal retired');
    case 'missing_goal_instance_id':
      return t('read-only: no lifetime');
    default:
      return t('read-only: damaged goal');
  }
}

/** The last part of a folder's path. */
export const folderName = (workspace: string): string => workspace.split(/[\\/]/).findLast((part) => part !== '') ?? workspace;

/** What an agent or a person has written, on one line and without control characters, where the editor draws `$(name)` as an icon: there it stays text. */
export const plainLabel = (text: string): string => visibleLine(text).replaceAll('$(', '\\$(');
