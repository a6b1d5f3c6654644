import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import type { ClientTurnId, SessionId } from '../../protocol/ids.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import type { ChatSurfaces } from '../chat/chatSurfaces.ts';
import { showFailure, type CommandTable } from '../commands.ts';
import type { WindowHost } from '../hosting/windowHost.ts';
import type { WindowMemory } from '../memory.ts';
import { newCommandId } from '../randomId.ts';
import type { SessionTree } from '../sessionTree/sessionTree.ts';
import type { WindowFolders } from '../window/windowFolders.ts';
import { readCarryOver } from './carryOver.ts';
import { offerCarryOver } from './carryOverOffer.ts';
import type { Conversations, NewConversation } from './conversations.ts';
import { askForGoal, createGoal, pickGoal, recreateGoal, retireGoal } from './goalCommands.ts';
import { neighbour } from './sessionGroups.ts';
import { folderForNew, pickFolder } from './pickFolder.ts';
import { ListCommands } from './listCommands.ts';
import { SessionActions } from './sessionActions.ts';
import { SessionPicker } from './sessionPicker.ts';
import type { Shelves } from './shelf.ts';
import { takeOver } from './takeOver.ts';
import type { Workspaces } from './workspaces.ts';

export interface SessionCommandOptions {
  readonly calls: GatewayCalls;
  readonly memory: WindowMemory;
  readonly conversations: Conversations;
  readonly workspaces: Workspaces;
  readonly panels: ChatPanels;
  readonly surfaces: ChatSurfaces;
  readonly catalogue: AgentCatalogue;
  readonly host: WindowHost;
  readonly folders: WindowFolders;
  readonly tree: SessionTree;
  readonly shelves: Shelves;
  readonly agentId: () => string;
  readonly defaults: () => Promise<NewConversation>;
}

type SessionCommand =
  | 'newSession' | 'newGoal' | 'switchSession' | 'nextSession' | 'previousSession' | 'openInEditor' | 'stop'
  | 'newSessionHere' | 'nextSessionHere' | 'previousSessionHere' | 'newSessionForGoal' | 'chooseFolder'
  | 'retireGoal' | 'recreateGoal' | 'continueInNewSession' | 'takeOver';

/** The palette's commands about sessions and goals. They are about the chat used last. */
export class SessionCommands implements Pick<CommandTable, SessionCommand> {
  readonly #options: SessionCommandOptions;
  readonly #actions: SessionActions;
  readonly #list: ListCommands;

  constructor(options: SessionCommandOptions) {
    this.#options = options;
    const show = (conversation: string, preserveFocus?: boolean): Promise<void> => this.show(conversation, preserveFocus);
    this.#actions = new SessionActions({ ...options, show });
    this.#list = new ListCommands({ ...options, actions: this.#actions, current: () => this.current, show, showWithDraft: (conversation, text) => this.showWithDraft(conversation, text) });
  }

  readonly newSession = async (): Promise<void> => {
    if ((vscode.workspace.workspaceFolders ?? []).length === 0) return openFolderFirst();
    const { conversations, folders, memory } = this.#options;
    const conversation = conversations.fresh();
    const folder = await folderForNew(await folders.refresh());
    if (folder === null) return;
    if (folder !== undefined && folders.all.length > 1) await memory.setPlace(conversation, folder.path);
    await this.show(conversation);
    this.#focusInput();
  };

  readonly newGoal = async (): Promise<void> => {
    const defaults = await this.#options.defaults();
    const wanted = await askForGoal(this.#options.workspaces.goals);
    if (wanted === undefined) return;
    const goal = await createGoal(this.#options.calls, defaults.workspace, wanted);
    await this.#beginAndFocus(goal, defaults);
  };

  readonly switchSession = (): void => {
    const { workspaces, catalogue, memory, calls, shelves, folders } = this.#options;
    const [list, actions] = [this.#list, this.#actions];
    const facts = {
      calls,
      folders: workspaces.folders,
      sessions: () => workspaces.listed,
      putAway: () => shelves.putAway,
      current: this.current,
      agentLabel: (agentId: string) => catalogue.label(agentId),
      windowId: memory.windowId,
      isFolderOpen: (workspace: string) => folders.isOpen(workspace),
      onChanged: (listener: () => void) => both(workspaces.onChanged(listener), shelves.onChanged(listener)),
    };
    new SessionPicker(facts, {
      open: ({ sessionId }, hit) => list.open(sessionId, hit),
      openInTab: async ({ sessionId }, hit) => list.openInTab(sessionId, hit),
      rename: (session) => actions.rename(session),
      pin: (session, pinned) => actions.pin([session], pinned),
      archive: (session, archived) => actions.archive([session], archived),
      close: (session) => actions.close([session]),
      remove: (session) => actions.remove([session]),
      failed: showFailure,
    }).show();
    void shelves.open().catch(showFailure);
  };

  readonly nextSession = async (): Promise<void> => this.#step(1);

  readonly previousSession = async (): Promise<void> => this.#step(-1);

  readonly newSessionHere = this.newSession;

  readonly nextSessionHere = this.nextSession;

  readonly previousSessionHere = this.previousSession;

  readonly openInEditor = (): void => {
    this.#options.surfaces.openTab(this.#conversation);
  };

  readonly stop = async (): Promise<void> => {
    const sessionId = this.current;
    const session = sessionId === null ? undefined : this.#options.workspaces.session(sessionId);
    const turnId = session?.activeTurnId ?? null;
    if (turnId !== null) await this.#options.calls.call('turn/cancel', { commandId: newCommandId(), turnId });
    else if (!(await this.#stopUnsent(sessionId))) vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: nothing is running in this session.'), 4000);
  };

  /** `about`: a line of the tree, or a session. */
  readonly retireGoal = async (about?: unknown): Promise<void> => {
    const live = this.#options.workspaces.goals.filter(({ state }) => state === 'live');
    const goal = this.#goalAbout(about) ?? (await pickGoal(vscode.l10n.t('Retire Goal'), live, this.#currentGoal));
    if (goal !== undefined) await retireGoal(this.#options.calls, goal);
  };

  readonly recreateGoal = async (about?: unknown): Promise<void> => {
    const session = typeof about === 'string' ? this.#shownSession(about) : undefined;
    const goal = this.#goalAbout(about) ?? (session === undefined ? await pickGoal(vscode.l10n.t('Recreate Goal'), this.#options.workspaces.goals, this.#currentGoal) : undefined);
    const recreated = goal === undefined ? undefined : await recreateGoal(this.#options.calls, goal);
    if (recreated === undefined) return;
    if (session === undefined) await this.#beginAndFocus(recreated, { workspace: recreated.workspace, agentId: this.#options.agentId() });
    else await this.#continueFrom(session, recreated);
  };

  readonly newSessionForGoal = async (about?: unknown): Promise<void> => {
    const live = this.#options.workspaces.goals.filter(({ state }) => state === 'live');
    const goal = this.#goalAbout(about) ?? (await pickGoal(vscode.l10n.t('New Session for Goal'), live, this.#currentGoal));
    if (goal !== undefined) await this.#beginAndFocus(goal, { workspace: goal.workspace, agentId: this.#options.agentId() });
  };

  /** Where the next message of a conversation that has not begun will work. */
  readonly chooseFolder = async (): Promise<void> => {
    const { panels, memory, folders } = this.#options;
    const conversation = this.#conversation;
    if (memory.sessionOf(conversation) !== null) {
      vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: a session keeps the folder that it began in.'), 4000);
      return;
    }
    const chosen = await pickFolder(folders.all, folders.ofConversation(conversation)?.path ?? null);
    if (chosen === undefined) return;
    await memory.setPlace(conversation, chosen.path);
    panels.sendChrome();
  };

  readonly continueInNewSession = async (sessionId?: unknown): Promise<void> => {
    const session = this.#shownSession(typeof sessionId === 'string' ? sessionId : this.current);
    if (session === undefined) return this.newSession();
    const goal = this.#goalOf(session);
    if (goal?.state === 'live') await this.#continueFrom(session, goal);
    else await noLiveGoal(session, goal);
  };

  readonly takeOver = async (sessionId?: unknown): Promise<void> => {
    const session = this.#shownSession(typeof sessionId === 'string' ? sessionId : this.current);
    if (session === undefined) vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: this session has not begun yet.'), 4000);
    else await takeOver(this.#options, session);
  };

  /** Shows a conversation in the chat used last; in the side bar when there is none. */
  async show(conversation: string, preserveFocus = false): Promise<void> {
    const { current } = this.#options.panels;
    if (current?.isVisible !== true) return this.#options.surfaces.showInView(conversation, preserveFocus);
    current.show(conversation);
    current.reveal(preserveFocus);
  }

  /** The same with this in its message box, to be read and changed: the caret stands before it. */
  async showWithDraft(conversation: string, text: string): Promise<void> {
    await this.#options.memory.setNotes(conversation, { draft: text });
    await this.show(conversation);
    if (text !== '') this.#options.panels.current?.postWhenReady({ type: 'prefill', text, caret: 'start' });
  }

  /** The commands of lists. */
  get list(): ListCommands {
    return this.#list;
  }

  /** The session in the chat used last. */
  get current(): string | null {
    return this.#options.memory.sessionOf(this.#conversation);
  }

  /** What the chat used last shows; without one, what the side bar will. */
  get #conversation(): string {
    const { panels, surfaces } = this.#options;
    return panels.current?.conversation ?? surfaces.viewConversation;
  }

  get #currentGoal(): string | null {
    const sessionId = this.current;
    return sessionId === null ? null : (this.#options.workspaces.session(sessionId)?.goalId ?? null);
  }

  #goalAbout(about: unknown): Goal | undefined {
    if (typeof about !== 'string') return undefined;
    const session = this.#shownSession(about);
    return (session === undefined ? undefined : this.#goalOf(session)) ?? this.#options.tree.goal(about);
  }

  /** Also one that is closed, as long as a chat shows it. */
  #shownSession(sessionId: string | null): Session | undefined {
    if (sessionId === null) return undefined;
    const { workspaces, panels } = this.#options;
    return workspaces.session(sessionId) ?? panels.showing(sessionId)?.view?.session;
  }

  #goalOf({ goalId, workspace }: Session): Goal | undefined {
    return this.#options.workspaces.goals.find((goal) => goal.goalId === goalId && goal.workspace === workspace);
  }

  #conversationOf(session: Session): string {
    return this.#options.memory.conversationOf(session.sessionId);
  }

  /** A session of the goal, there before its first message. Gives its conversation. */
  async #beginFor(goal: Goal, { workspace, agentId }: NewConversation): Promise<string> {
    const { conversations } = this.#options;
    const conversation = conversations.fresh();
    await conversations.plan(conversation, { workspace, agentId, goalId: goal.goalId });
    await conversations.ensureSession(conversation, '');
    return conversation;
  }

  async #beginAndFocus(goal: Goal, where: NewConversation): Promise<void> {
    await this.show(await this.#beginFor(goal, where));
    this.#focusInput();
  }

  #focusInput(): void {
    this.#options.panels.current?.postWhenReady({ type: 'focusInput' });
  }

  /** A new session of the goal; what was said last in the old one is offered to be taken along, and never taken by itself. */
  async #continueFrom({ sessionId, workspace, agentId }: Session, goal: Goal): Promise<void> {
    const { calls, memory } = this.#options;
    const conversation = await this.#beginFor(goal, { workspace, agentId });
    // The question that follows keeps the keyboard.
    await this.show(conversation, true);
    const said = await readCarryOver(calls, sessionId);
    if (said === null || !(await offerCarryOver(said))) {
      await this.show(conversation);
      return this.#focusInput();
    }
    await this.showWithDraft(conversation, memory.notes(conversation).draft + said.text);
  }

  async #step(step: 1 | -1): Promise<void> {
    const session = neighbour(this.#options.workspaces.listed, this.current, step);
    if (session !== undefined) await this.show(this.#conversationOf(session));
  }

  async #stopUnsent(sessionId: string | null): Promise<boolean> {
    const { conversations, panels, calls } = this.#options;
    const [message] = conversations.outbox(panels.current?.conversation ?? '').filter(({ failure }) => failure === null);
    if (message === undefined) return false;
    if (sessionId === null) await conversations.discard(message.clientTurnId);
    else await calls.call('turn/cancel', { commandId: newCommandId(), sessionId: sessionId as SessionId, clientTurnId: message.clientTurnId as ClientTurnId });
    return true;
  }
}

const both = (...all: readonly Disposable[]): Disposable => ({ dispose: () => all.forEach((each) => each.dispose()) });

/** There is no chat without a folder. */
async function openFolderFirst(): Promise<void> {
  const open = vscode.l10n.t('Open Folder');
  if ((await vscode.window.showInformationMessage(vscode.l10n.t('Attaché works in a folder.'), open)) === open) await vscode.commands.executeCommand('vscode.openFolder');
}

/** Why there is no going on, and what to do. */
async function noLiveGoal({ goalId }: Session, goal: Goal | undefined): Promise<void> {
  const [recreate, begin] = [vscode.l10n.t('Recreate Goal'), vscode.l10n.t('New Session')];
  const text = goal === undefined ? vscode.l10n.t('Attaché: the goal “{0}” does not exist any more.', goalId) : vscode.l10n.t('Attaché: the goal “{0}” is retired, so it gets no new session.', goal.title);
  const answer = await vscode.window.showInformationMessage(text, ...(goal === undefined ? [] : [recreate]), begin);
  if (answer === recreate) await vscode.commands.executeCommand('attache.recreateGoal');
  if (answer === begin) await vscode.commands.executeCommand('attache.newSession');
}
