import * as vscode from 'vscode';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { SessionId, TurnId } from '../../protocol/ids.ts';
import type { SearchHit } from '../../protocol/session/commands.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import type { ChatSurfaces } from '../chat/chatSurfaces.ts';
import type { CommandTable } from '../commands.ts';
import type { WindowMemory } from '../memory.ts';
import type { SessionTree } from '../sessionTree/sessionTree.ts';
import type { Conversations } from './conversations.ts';
import { exportSession } from './exportSession.ts';
import { forkSession, lastPlace, type ForkPlace } from './forkSession.ts';
import type { SessionActions } from './sessionActions.ts';

export interface ListCommandOptions {
  readonly calls: GatewayCalls;
  readonly memory: WindowMemory;
  readonly conversations: Conversations;
  readonly panels: ChatPanels;
  readonly surfaces: ChatSurfaces;
  readonly actions: SessionActions;
  readonly tree: SessionTree;
  /** The session in the chat used last. */
  readonly current: () => string | null;
  readonly show: (conversation: string, preserveFocus?: boolean) => Promise<void>;
  readonly showWithDraft: (conversation: string, text: string) => Promise<void>;
}

type ListCommand =
  | 'openSession' | 'openSessionInEditor' | 'renameSession' | 'pinSession' | 'unpinSession' | 'archiveSession' | 'unarchiveSession' | 'closeSession'
  | 'deleteSession' | 'exportSession' | 'forkSession' | 'moreSessions' | 'showThisFolder' | 'showAllFolders' | 'showArchived' | 'hideArchived' | 'addFolderBack' | 'restoreSession';

type Command = (argument?: unknown, others?: unknown) => Promise<void>;

/** Given by key bindings in the tree, which do not say which line has the focus: what is selected is meant. */
const SELECTION = 'selection';
/** As long as the editor counts two presses as one. */
const DOUBLE_MS = 600;
const isSession = (id: unknown): id is string => typeof id === 'string' && id.startsWith('ses_');

/** The commands that lists have for a session. Without an argument they are about the session in the chat. */
export class ListCommands implements Pick<CommandTable, ListCommand> {
  readonly #options: ListCommandOptions;
  #opened = { id: '', at: 0 };

  constructor(options: ListCommandOptions) {
    this.#options = options;
  }

  /** The keyboard stays in the tree, as everywhere in the editor; pressed twice, it goes to the chat. */
  readonly openSession: Command = async (id) => {
    const { panels, memory, show } = this.#options;
    if (!isSession(id)) return;
    const isDouble = this.#opened.id === id && performance.now() - this.#opened.at < DOUBLE_MS;
    this.#opened = { id, at: performance.now() };
    await show(memory.conversationOf(id), !isDouble);
    if (isDouble) panels.showing(id)?.postWhenReady({ type: 'focusInput' });
  };

  readonly openSessionInEditor: Command = async (id, others) => {
    for (const sessionId of this.#ids(id, others)) this.openInTab(sessionId);
  };

  readonly renameSession: Command = async (id) => {
    const [session] = await this.#sessions(id);
    if (session !== undefined) await this.#options.actions.rename(session);
  };

  readonly pinSession: Command = async (id, others) => this.#options.actions.pin(await this.#sessions(id, others), true);

  readonly unpinSession: Command = async (id, others) => this.#options.actions.pin(await this.#sessions(id, others), false);

  readonly archiveSession: Command = async (id, others) => this.#options.actions.archive(await this.#sessions(id, others), true);

  readonly unarchiveSession: Command = async (id, others) => this.#options.actions.archive(await this.#sessions(id, others), false);

  readonly closeSession: Command = async (id, others) => this.#options.actions.close(await this.#sessions(id, others));

  readonly deleteSession: Command = async (id, others) => this.#options.actions.remove(await this.#sessions(id, others));

  readonly restoreSession: Command = async () => this.#options.actions.chooseDeleted();

  readonly exportSession: Command = async (id) => {
    const [session] = await this.#sessions(id);
    if (session !== undefined) await exportSession(this.#options.calls, session);
  };

  /** Of a whole session, or up to a message of one. */
  readonly forkSession: Command = async (id) => {
    const { calls, conversations, showWithDraft, panels } = this.#options;
    const { conversation, text } = await forkSession(calls, conversations, await this.#place(id));
    await showWithDraft(conversation, text);
    panels.current?.postWhenReady({ type: 'toast', message: vscode.l10n.t('This is a fork: its agent knows nothing of the old session.'), next: vscode.l10n.t('What was said stands in the message box: change or remove it before you send.') });
  };

  readonly moreSessions: Command = async (id) => {
    if (typeof id === 'string') await this.#options.tree.more(id);
  };

  readonly showThisFolder: Command = async () => this.#options.tree.toggle('oneFolder', true);

  readonly showAllFolders: Command = async () => this.#options.tree.toggle('oneFolder', false);

  readonly showArchived: Command = async () => this.#options.tree.toggle('putAway', true);

  readonly hideArchived: Command = async () => this.#options.tree.toggle('putAway', false);

  /** The root of a session that was removed from the window. */
  readonly addFolderBack: Command = async (id) => {
    const [session] = await this.#sessions(id);
    if (session === undefined) return;
    const uri = vscode.Uri.file(session.workspace);
    const isThere = await vscode.workspace.fs.stat(uri).then(({ type }) => (type & vscode.FileType.Directory) !== 0, () => false);
    if (!isThere) throw new AttacheError('not_found', { message: vscode.l10n.t('The folder {0} does not exist any more.', session.workspace), next: vscode.l10n.t('The session can still be read and exported.') });
    vscode.workspace.updateWorkspaceFolders(vscode.workspace.workspaceFolders?.length ?? 0, 0, { uri });
  };

  async open(sessionId: string, hit?: SearchHit): Promise<void> {
    const { memory, show, panels } = this.#options;
    await show(memory.conversationOf(sessionId));
    if (hit?.itemId !== undefined && hit.itemId !== null) panels.showing(sessionId)?.postWhenReady({ type: 'revealItem', itemId: hit.itemId });
  }

  openInTab(sessionId: string, hit?: SearchHit): void {
    const panel = this.#options.surfaces.openTab(this.#options.memory.conversationOf(sessionId));
    if (hit?.itemId !== undefined && hit.itemId !== null) panel.postWhenReady({ type: 'revealItem', itemId: hit.itemId });
  }

  #ids(id: unknown, others?: unknown): string[] {
    const { tree, current } = this.#options;
    if (id === SELECTION) {
      const selected = tree.selection.filter(isSession);
      if (selected.length === 0) vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: choose a session in the list first.'), 4000);
      return selected;
    }
    const many = Array.isArray(others) ? others.filter(isSession) : [];
    if (isSession(id)) return many.includes(id) ? many : [id];
    const sessionId = current();
    if (sessionId === null) throw new AttacheError('not_found', { message: vscode.l10n.t('This session has not begun yet.'), next: vscode.l10n.t('Send a message first.') });
    return [sessionId];
  }

  async #sessions(id: unknown, others?: unknown): Promise<Session[]> {
    return Promise.all(this.#ids(id, others).map((sessionId) => this.#options.actions.find(sessionId)));
  }

  async #place(id: unknown): Promise<ForkPlace> {
    const { calls, panels } = this.#options;
    if (typeof id === 'string' && id.startsWith('trn_')) {
      const { turn } = await calls.call('turn/get', { turnId: id as TurnId });
      const session = panels.showing(turn.sessionId)?.view?.session ?? (await this.#options.actions.find(turn.sessionId));
      return { session, turn };
    }
    const [sessionId] = this.#ids(id);
    return lastPlace((await calls.call('session/get', { sessionId: sessionId as SessionId })).snapshot);
  }
}
