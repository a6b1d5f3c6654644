import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { isGone } from '../../protocol/errors.ts';
import type { SessionId } from '../../protocol/ids.ts';
import { showFailure } from '../commands.ts';
import { setContextKey } from '../contextKeys.ts';
import type { RedactingChannel } from '../log.ts';
import type { HostedConversation } from '../memory.ts';
import { openAddress } from '../openAddress.ts';
import { takesWork } from '../sessions/sessionGroups.ts';
import { settings } from '../settings.ts';
import { createCore, type WindowCore } from './windowCore.ts';
import { createUi, type WindowUi } from './windowUi.ts';

// Each has a subscription and a waiting claim; the gateway allows 128 of the former for one connection.
const HOSTED_AT_ONCE = 40;

// VS Code gives five seconds for all of the end.
const LAST_MESSAGES_MS = 1_000;

/** Attaché in one window. Building it starts nothing; `wake` does, when somebody uses it. */
export class AttacheWindow {
  readonly #store = new DisposableStore();
  readonly core: WindowCore;
  readonly ui: WindowUi;
  #isAwake = false;

  constructor(context: vscode.ExtensionContext, log: RedactingChannel) {
    this.core = createCore(context, log, this.#store);
    this.ui = createUi(context, this.core, this.#store, () => this.wake());
    this.#follow();
  }

  /** Looks for the folders, connects to the gateway and takes up the sessions of this window. Once. */
  wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    const { connection, catalogue, log } = this.core;
    void this.#foldersChanged().then(() => connection.start());
    void catalogue.list().then(() => this.ui.panels.sendChrome(), (error: unknown) => log.warn(`agents could not be looked up: ${String(error)}`));
  }

  async openAddress(uri: vscode.Uri): Promise<void> {
    this.wake();
    await openAddress(uri, this.core, this.ui).catch(showFailure);
  }

  /** Ends the agents of this window, then its link. The gateway and all state stay. */
  async dispose(): Promise<void> {
    const { conversations, host, connection } = this.core;
    const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_MESSAGES_MS).unref());
    await Promise.race([conversations.settled(), late]);
    await host.dispose();
    await connection.stop();
    this.#store.dispose();
  }

  #follow(): void {
    const { connection, conversations, host, hub, centre, choices, workspaces, storeLoss } = this.core;
    const { panels } = this.ui;
    const store = this.#store;
    store.add(connection.onStateChanged(({ state }) => {
      setContextKey('attache.connected', state === 'connected');
      panels.sendChrome();
    }));
    store.add(connection.onOpened(() => {
      void conversations.deliverPending();
      this.#cleanUp();
    }));
    store.add(conversations.onBegun((hosted) => {
      host.adopt(hosted);
      for (const panel of panels.all) if (panel.conversation === hosted.conversation) panel.born();
    }));
    store.add(conversations.onOutboxChanged((conversation) => {
      for (const panel of panels.all) if (panel.conversation === conversation) panel.sendChrome();
    }));
    store.add(host.onChanged(() => panels.sendChrome()));
    store.add(storeLoss.onChanged(() => panels.sendChrome()));
    store.add(hub.onApproval((approval) => centre.noteUpdate(approval)));
    store.add(centre.onSettled((approvalId) => choices.forget(approvalId)));
    store.add(choices.onChanged(() => panels.sendChrome()));
    store.add(workspaces.onChanged(() => this.#updateKeys()));
    store.add(panels.onChanged(() => {
      this.#updateKeys();
      this.#runShown();
    }));
    store.add(settings.onChanged(() => panels.sendChrome()));
    store.add(vscode.window.onDidChangeActiveTextEditor(() => panels.sendChrome()));
    store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#regrant()));
    store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#regrant()));
    store.add(workspaces.onLoaded((workspace) => void this.#forgetClosed(workspace)));
  }

  /** Goes on running what this window ran before it was reloaded; queued messages wait for that. Older sessions wait until they are shown. */
  #takeUp(): void {
    for (const hosted of this.core.memory.hosted.slice(-HOSTED_AT_ONCE)) this.#run(hosted);
  }

  /** Bytes that went with messages are kept on this disk until nothing names them any more. */
  #cleanUp(): void {
    const { attachments, log } = this.core;
    attachments.clean(Date.now()).catch((error: unknown) => log.warn(`what is no longer attached could not be removed: ${String(error)}`));
  }

  /** Runs a session of this window, where it may. */
  #run(hosted: HostedConversation): void {
    const isHere = this.core.folders.all.some(({ path }) => path === hosted.workspace);
    if (isHere && vscode.workspace.isTrusted) this.core.host.adopt(hosted);
  }

  /** Sessions that were closed need no host any more. One that is only not listed, as there are too many, does. */
  async #forgetClosed(workspace: string): Promise<void> {
    const { memory, workspaces } = this.core;
    const missing = memory.hosted.filter((hosted) => hosted.workspace === workspace && workspaces.session(hosted.sessionId) === undefined);
    for (const { sessionId } of missing) if (await this.#isOver(sessionId)) await memory.forgetHosted(sessionId);
  }

  async #isOver(sessionId: string): Promise<boolean> {
    try {
      const { snapshot } = await this.core.calls.call('session/get', { sessionId: sessionId as SessionId });
      return snapshot.session.status === 'closed';
    } catch (error) {
      return isGone(error);
    }
  }

  #runShown(): void {
    for (const { sessionId } of this.ui.panels.all) {
      const hosted = sessionId === null ? undefined : this.core.memory.hostedSession(sessionId);
      if (hosted !== undefined) this.#run(hosted);
    }
  }

  #updateKeys(): void {
    const sessionId = this.ui.panels.current?.sessionId ?? null;
    const session = sessionId === null ? undefined : this.core.workspaces.session(sessionId);
    const shown = session ?? this.ui.panels.current?.view?.session;
    setContextKey('attache.sessionActive', session !== undefined);
    setContextKey('attache.sessionShown', shown !== undefined);
    setContextKey('attache.sessionTakesWork', shown !== undefined && takesWork(shown) && this.core.folders.isOpen(shown.workspace));
    setContextKey('attache.sessionPinned', shown?.pinned === true);
    setContextKey('attache.sessionArchived', shown !== undefined && shown.archivedAt !== null);
    setContextKey('attache.turnRunning', session?.activeTurnId !== null && session !== undefined);
  }

  async #foldersChanged(): Promise<void> {
    const { folders, workspaces } = this.core;
    const open = await folders.refresh();
    await this.core.host.release((folder) => folders.isOpen(folder));
    workspaces.follow(open.map(({ path }) => path), folders.removed);
    setContextKey('attache.manyFolders', workspaces.folders.length > 1);
    this.#takeUp();
    this.ui.panels.sendChrome();
  }

  /** The gateway hears of folders and trust only when it is greeted. */
  async #regrant(): Promise<void> {
    if (!this.#isAwake) return;
    await this.#foldersChanged();
    await this.core.connection.reconnect();
  }
}
