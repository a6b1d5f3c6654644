import type { PanelChrome, PanelCommand, PanelState } from '../../../src/protocol/panel.ts';
import { isHeld } from '../../../src/protocol/session/held.ts';
import type { Session } from '../../../src/protocol/session/state.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import { t, told } from '../l10n.ts';
import { historySentence, isHistory } from './chips.ts';

interface BannerAction {
  readonly label: string;
  /** tryAgain: lets a session go on that is held. */
  readonly command: PanelCommand | 'tryAgain';
}

/** One sentence about what stands in the way, and what to do about it. */
export interface Banner {
  readonly id: string;
  readonly icon: string;
  readonly tone: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly next: string;
  /** When the next attempt starts; the page counts down to it. */
  readonly retryAt: number | null;
  readonly actions: readonly BannerAction[];
}

const act = (label: string, command: BannerAction['command']): BannerAction => ({ label, command });

function banner(id: string, icon: string, tone: Banner['tone'], text: string, rest: Partial<Pick<Banner, 'next' | 'retryAt' | 'actions'>> = {}): Banner {
  return { id, icon, tone, text, next: '', retryAt: null, actions: [], ...rest };
}

/** What to say above the transcript, the most important first: about the surroundings, then about the session. */
export function banners(state: PanelState): Banner[] {
  return [surroundings(state), aboutStore(state), aboutSession(state)].filter((entry) => entry !== null);
}

function surroundings({ chrome }: PanelState): Banner | null {
  const { connection } = chrome;
  if (!chrome.hasFolder) return banner('no-folder', 'folder-opened', 'info', t('No folder is open.'), { next: t('An agent works in a folder: open one to begin.'), actions: [act(t('Open Folder'), 'openFolder')] });
  if (!chrome.trusted) {
    return banner('untrusted', 'workspace-untrusted', 'warning', t('This workspace is not trusted, so no agent is started and nothing is run or changed.'), { next: t('You can read what is here.'), actions: [act(t('Manage Trust'), 'manageTrust')] });
  }
  if (connection.state === 'disconnected') {
    return banner('disconnected', 'debug-disconnect', 'warning', told(connection.message), { next: t('Running work goes on; this panel catches up by itself.'), retryAt: connection.retryAt, actions: [act(t('Restart Gateway'), 'restartGateway')] });
  }
  if (connection.state === 'failed') {
    return banner('failed', 'error', 'error', told(connection.message), { next: told(connection.next), actions: [act(t('Restart Gateway'), 'restartGateway'), act(t('Doctor'), 'doctor'), act(t('Show Log'), 'showLog')] });
  }
  return null;
}

function aboutStore({ chrome: { storeLoss } }: PanelState): Banner | null {
  if (storeLoss === undefined || storeLoss === null) return null;
  return banner('store-loss', 'warning', 'warning', storeLoss, { next: t('The damaged files are kept; Doctor says where.'), actions: [act(t('Doctor'), 'doctor')] });
}

const isFolderGone = ({ folder }: PanelChrome): boolean => folder?.isOpen === false;

const folderGone = ({ folder }: PanelChrome): Banner =>
  banner('folder-gone', 'root-folder', 'warning', t('The folder of this session is not open in this window: it can be read, not continued.'), { next: folder?.path ?? '', actions: [act(t('Add Folder Back'), 'addFolder')] });

function aboutSession({ chrome, view }: PanelState): Banner | null {
  const session = view?.session;
  if (session !== undefined && isFolderGone(chrome)) return folderGone(chrome);
  if (session?.status === 'closed') return banner('closed', 'archive', 'info', t('This session is closed. It can be read, not continued.'), { actions: [act(t('New Session'), 'newSession')] });
  if (view !== null && isHistory(view.session)) return aboutHistory(view);
  if (session?.readback.sessionModeSource === 'unrecognized') {
    return banner('unrecognized', 'question', 'warning', t('This session was made by a version that this one does not know.'), { next: t('It can be read. Update Attaché to go on with it.'), actions: [act(t('New Session'), 'newSession')] });
  }
  if (view !== null && isHeld(view.session)) return aboutHeld(view);
  if (chrome.agentProcess.state === 'dead') {
    return banner('dead-agent', 'error', 'error', told(chrome.agentProcess.message), { next: told(chrome.agentProcess.next), actions: [act(t('Restart Agent'), 'restartAgent'), act(t('Show Log'), 'showLog')] });
  }
  if (!chrome.agent.installed) return banner('no-agent', 'hubot', 'warning', t('{0} was not found on this machine.', chrome.agent.label), { actions: [act(t('Select Agent'), 'selectAgent')] });
  return session === undefined ? null : aboutExecutor(session, chrome.windowId);
}

/** Its turns went down one after the other with what runs them. Told once, with the last reason. */
function aboutHeld({ turns }: SessionSnapshot): Banner {
  const reason = turns.findLast(({ state }) => state === 'failed' || state === 'interrupted')?.detail ?? '';
  return banner('held', 'error', 'error', t('Three turns in a row failed, so nothing more runs in this session.'), {
    next: `${reason === '' ? '' : `${told(reason)} `}${t('Messages wait here; other sessions are not affected.')}`,
    actions: [act(t('Try Again'), 'tryAgain'), act(t('Show Log'), 'showLog'), act(t('Doctor'), 'doctor')],
  });
}

function aboutExecutor(session: Session, windowId: string): Banner | null {
  const { executor, status } = session;
  if (status === 'resume_failed') return banner('resume-failed', 'error', 'error', t('The agent’s conversation could not be restored.'), { next: t('Restart the agent to try again.'), actions: [act(t('Restart Agent'), 'restartAgent'), act(t('Show Log'), 'showLog')] });
  if (session.readback.sessionMode !== 'attached_host') return null;
  if (executor.state !== 'connected') {
    return banner('no-executor', 'debug-disconnect', 'warning', t('The window that ran this session is not connected.'), { next: t('Messages wait for it, or this window takes the session over.'), actions: [act(t('Take Over Here'), 'takeOver')] });
  }
  if (executor.windowId === windowId) return null;
  return banner('other-window', 'multiple-windows', 'info', t('Another window runs this session.'), { next: t('Your messages and answers go there.'), actions: [act(t('Take Over Here'), 'takeOver')] });
}

/** A session of a lifetime that is over, or of none: it can be read, and there is a way on. */
function aboutHistory(view: SessionSnapshot): Banner {
  const { bindingMatch } = view.session;
  const goOn = act(t('Continue in a New Session'), 'continueInNewSession');
  const recreate = act(t('Recreate Goal'), 'recreateGoal');
  const [id, next, actions] = ((): [string, string, BannerAction[]] => {
    if (bindingMatch === 'invalid') return ['damaged-goal', t('Recreate the goal to go on.'), [recreate]];
    if (view.goal === null) return ['retired-goal', t('Start a session for another goal.'), [act(t('New Session'), 'newSession')]];
    if (view.goal.state === 'retired') return ['retired-goal', t('Recreate the goal to go on.'), [recreate, act(t('New Session'), 'newSession')]];
    return [bindingMatch === 'missing_goal_instance_id' ? 'no-lifetime' : 'stale-goal', '', [goOn]];
  })();
  return banner(id, 'history', 'warning', historySentence(view), { next, actions });
}

const BLOCKED: Readonly<Record<string, string>> = {
  goal_instance_mismatch: t('This session is history: its goal was recreated'),
  goal_not_registered: t('This session is history: its goal was retired'),
  missing_goal_instance_id: t('This session is from before goals had lifetimes'),
};

/** Why nothing can be sent now, or null when it can. */
export function sendBlocked({ chrome, view }: PanelState): string | null {
  if (!chrome.hasFolder) return t('Open a folder to begin');
  if (!chrome.trusted) return t('Trust this workspace to send messages');
  const session = view?.session;
  if (session !== undefined) return sessionBlocked(session, chrome);
  return null;
}

function sessionBlocked(session: Session, chrome: PanelChrome): string | null {
  if (isFolderGone(chrome)) return t('The folder of this session is not open here');
  if (session.status === 'closed') return t('This session is closed');
  if (isHistory(session)) return BLOCKED[session.bindingMatch] ?? t('This session can only be read');
  if (session.readback.sessionModeSource === 'unrecognized') return t('This session cannot take messages');
  if (session.status === 'resume_failed') return t('Restart the agent to go on');
  return null;
}
