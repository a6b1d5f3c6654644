import { isAutomaticKey } from '../../../src/protocol/goal/automaticKey.ts';
import type { PanelChrome } from '../../../src/protocol/panel.ts';
import { isHeld } from '../../../src/protocol/session/held.ts';
import { modeWords } from '../../../src/protocol/session/modeWords.ts';
import { permissionWords } from '../../../src/protocol/session/permissionWords.ts';
import type { Session } from '../../../src/protocol/session/state.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import { isActive } from '../../../src/protocol/turn/phase.ts';
import { inOneLine, t, told } from '../l10n.ts';
import { firstLine } from './text.ts';
import { dateAndTime } from './time.ts';

type ChipId = 'goal' | 'folder' | 'mode' | 'agent' | 'rights' | 'state';
type ChipTone = 'plain' | 'ok' | 'need' | 'bad' | 'busy';

/** One answer of the header. `hint` says in a sentence what it means. */
export interface Chip {
  readonly id: ChipId;
  readonly icon: string;
  readonly label: string;
  /** How much of the label's beginning a narrow panel leaves out. */
  readonly spare?: number;
  /** Of the mode: where it was read from. Each looks different. */
  readonly source?: string;
  readonly hint: string;
  readonly tone: ChipTone;
}

const chip = (id: ChipId, icon: string, label: string, hint: string, tone: ChipTone = 'plain'): Chip => ({ id, icon, label, hint, tone });

export function goalChip(view: SessionSnapshot | null): Chip {
  if (view === null) return chip('goal', 'target', t('New goal'), t('No goal yet: your first message creates one, with its first line as the title.'));
  const { goalId, lifetime, goalTitle } = view.session;
  const title = goalTitle === '' ? '' : `${t('Goal: “{0}”.', goalTitle)} `;
  const objective = view.goal === null || view.goal.objective === '' ? '' : `\n${t('Objective: {0}', view.goal.objective)}`;
  return chip('goal', 'target', goalLabel(view.session), `${title}${t('Key {0}, lifetime {1}: a goal that is retired and created again begins a new lifetime.', goalId, lifetime)}${objective}`);
}

/** A key that nobody chose says nothing: the title stands for it. */
function goalLabel({ goalId, goalTitle, lifetime }: Session): string {
  if (!isAutomaticKey(goalId) || goalTitle === '') return t('{0} · life {1}', goalId, lifetime || '–');
  const title = firstLine(goalTitle, 28);
  return lifetime > 1 ? t('{0} · life {1}', title, lifetime) : title;
}

/** Where the agent works; null where a window has only one folder. */
export function folderChip({ folder }: PanelChrome, view: SessionSnapshot | null): Chip | null {
  if (folder === undefined) return null;
  const { name, path, isOpen } = folder;
  if (!isOpen) return chip('folder', 'root-folder', t('{0} · not open', name), t('{0}\nThis folder was removed from the window. The session can be read, not continued.', path), 'need');
  return chip('folder', 'root-folder', name, view === null ? t('{0}\nThe session will work in this folder.', path) : t('{0}\nThe session works in this folder and keeps it.', path));
}

/** Stands between what a label can do without and the rest of it. */
const BETWEEN = ' · ';

/** Who runs the work, quoted from the gateway's readback and executor. */
export function modeChip(view: SessionSnapshot | null, windowId: string): Chip {
  const { icon, label, hint, source } = modeWords(view?.session ?? null, windowId);
  const made = { ...chip('mode', icon, label, hint, modeTone(view?.session, icon)), source };
  const spare = label.indexOf(BETWEEN);
  return spare < 0 ? made : { ...made, spare: spare + BETWEEN.length };
}

function modeTone(session: Session | undefined, icon: string): ChipTone {
  if (icon === 'plug') return 'ok';
  if (icon === 'question') return 'need';
  return icon === 'debug-disconnect' && session !== undefined && !isHistory(session) && session.status !== 'closed' ? 'need' : 'plain';
}

/** The model that the agent says it uses, in its own words. */
function modelName(session: Session | undefined): string | null {
  const option = session?.agent.options.find(({ category }) => category === 'model');
  if (option === undefined) return null;
  return option.choices.find(({ value }) => value === option.value)?.name ?? option.value;
}

export function agentChip(chrome: PanelChrome, view: SessionSnapshot | null): Chip {
  const model = modelName(view?.session);
  const { label, installed } = chrome.agent;
  const text = model === null ? label : `${label} · ${model}`;
  if (!installed) return chip('agent', 'hubot', text, t('{0} was not found on this machine. Choose another agent.', label), 'need');
  const does = model === null ? t('{0} does the work.', label) : t('{0} does the work with the model {1}.', label, model);
  return chip('agent', 'hubot', text, inOneLine(does, t('Choose another agent for a new session.')));
}

/** What may be done without asking. A new session begins by asking. */
export const rightsChip = (view: SessionSnapshot | null): Chip => chip('rights', 'shield', permissionWords(view?.session.permissionMode ?? 'ask').label, t('Permission mode'));

/** The running turn's id when Stop was pressed here and the gateway has not said so yet. */
export interface LocalState {
  readonly stoppingTurnId: string | null;
}

export function stateChip(chrome: PanelChrome, view: SessionSnapshot | null, local: LocalState): Chip {
  return linkChip(chrome) ?? surroundingsChip(chrome, view !== null && isHeld(view.session)) ?? (view === null ? ready() : sessionChip(view, local));
}

const ready = (): Chip => chip('state', 'circle-outline', t('Ready'), t('Ready for a message.'));

function linkChip({ connection }: PanelChrome): Chip | null {
  if (connection.state === 'connecting') return chip('state', 'loading', t('Connecting'), t('Connecting to the gateway.'), 'busy');
  if (connection.state === 'disconnected') return chip('state', 'debug-disconnect', t('Disconnected'), inOneLine(told(connection.message), t('Running work goes on; the panel catches up when the link is back.')), 'bad');
  if (connection.state === 'failed') return chip('state', 'error', t('Disconnected'), told(connection.message), 'bad');
  return null;
}

/** What keeps everything from running, whatever the session says. */
function surroundingsChip({ hasFolder, trusted, agentProcess }: PanelChrome, isTold: boolean): Chip | null {
  if (!hasFolder) return chip('state', 'folder', t('No folder'), t('No folder is open, so there is nothing to work on.'));
  if (!trusted) return chip('state', 'workspace-untrusted', t('Restricted'), t('This workspace is not trusted: no agent is started and nothing is run or changed.'), 'need');
  if (agentProcess.state === 'dead' && !isTold) return chip('state', 'error', t('Agent stopped'), told(agentProcess.message), 'bad');
  return null;
}

function sessionChip(view: SessionSnapshot, local: LocalState): Chip {
  const { session } = view;
  if (session.status === 'closed') return chip('state', 'archive', t('Closed'), t('The session is closed. It can be read, not continued.'));
  if (isHistory(session)) return chip('state', 'history', session.bindingMatch in READ_ONLY ? t('Read-only') : t('Stale goal'), historySentence(view), 'need');
  if (isHeld(session)) return chip('state', 'error', t('Held'), t('Three turns in a row failed, so nothing more runs until you try again.'), 'bad');
  const waiting = pendingApprovals(view);
  if (waiting > 0) return chip('state', 'bell-dot', t('Needs you ({0})', waiting), t(waiting === 1 ? 'One request waits for your answer. Press to see the first.' : '{0} requests wait for your answer. Press to see the first.', waiting), 'need');
  const active = view.turns.find((turn) => isActive(turn.state));
  if (active !== undefined && (active.state === 'cancelling' || active.turnId === local.stoppingTurnId)) return chip('state', 'debug-stop', t('Stopping'), t('The agent was asked to stop.'), 'busy');
  if (active !== undefined) return chip('state', 'loading', t('Working'), t('The agent works on your message.'), 'busy');
  const queued = view.turns.filter(({ state }) => state === 'queued').length;
  if (session.queue.paused && queued > 0) return chip('state', 'debug-pause', t('Paused ({0})', queued), t(queued === 1 ? '{0} message waiting, until you resume the queue or send another.' : '{0} messages waiting, until you resume the queue or send another.', queued), 'need');
  return restingChip(session);
}

function restingChip(session: Session): Chip {
  switch (session.status) {
    case 'stale':
      return chip('state', 'debug-disconnect', t('Disconnected'), t('The window that ran this session is gone. Messages wait until it comes back.'), 'bad');
    case 'resuming':
      return chip('state', 'loading', t('Resuming'), t('The agent’s conversation is being restored.'), 'busy');
    case 'resume_failed':
      return chip('state', 'error', t('Not resumed'), t('The agent’s conversation could not be restored.'), 'bad');
    case 'ready':
    case 'busy':
    case 'closed':
      return ready();
  }
}

export const pendingApprovals = (view: SessionSnapshot): number => view.approvals.filter(({ status }) => status === 'pending').length;

/** True when the session takes no new work because of its goal. */
export const isHistory = (session: Session): boolean => session.bindingMatch !== 'current';

/** What is wrong with the identity of the session or its goal, not with its age. */
const READ_ONLY: Readonly<Record<string, string>> = {
  missing_goal_instance_id: t('This session was made before goals had lifetimes, so it can be read and takes no new work.'),
  invalid: t('The stored identity of this session’s goal is damaged, so the session can be read and takes no new work.'),
};

/** Why the session takes no new work, and since when. */
export function historySentence({ session, goal }: SessionSnapshot): string {
  const why = READ_ONLY[session.bindingMatch];
  if (why !== undefined) return why;
  if (goal === null) return t('The goal of this session does not exist any more; this session is history.');
  return session.bindingMatch === 'goal_not_registered'
    ? t('This goal was retired on {0}; this session is history.', dateAndTime(goal.retiredAt ?? goal.updatedAt))
    : t('This goal was recreated on {0}; this session is history.', dateAndTime(goal.createdAt));
}
