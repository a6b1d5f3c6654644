import * as vscode from 'vscode';
import { everySession } from '../../client/everySession.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { visibleLine } from '../../client/visibleText.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Session } from '../../protocol/session/state.ts';
import { showFailure } from '../commands.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import type { WindowHost } from '../hosting/windowHost.ts';
import type { WindowMemory } from '../memory.ts';
import { newCommandId } from '../randomId.ts';
import { age, byActivity } from './sessionGroups.ts';
import { folderName, plainLabel } from './sessionLook.ts';
import type { Workspaces } from './workspaces.ts';

export interface SessionActionOptions {
  readonly calls: GatewayCalls;
  readonly memory: WindowMemory;
  readonly workspaces: Workspaces;
  readonly panels: ChatPanels;
  readonly host: WindowHost;
  readonly show: (conversation: string) => Promise<void>;
}

const STOP_MS = 20_000;

/** What a person does to sessions from lists. Each is one command of the gateway; what it refuses is told as it says it. */
export class SessionActions {
  readonly #options: SessionActionOptions;

  constructor(options: SessionActionOptions) {
    this.#options = options;
  }

  /** A session by its id, whether it is in a list here, in a chat, or only with the gateway. */
  async find(sessionId: string): Promise<Session> {
    const { workspaces, panels, calls } = this.#options;
    const known = workspaces.session(sessionId) ?? panels.showing(sessionId)?.view?.session;
    if (known !== undefined) return known;
    return (await calls.call('session/get', { sessionId: sessionId as SessionId })).snapshot.session;
  }

  async rename(session: Session): Promise<void> {
    const title = await vscode.window.showInputBox({
      title: vscode.l10n.t('Rename Session'),
      prompt: visibleLine(session.title),
      ignoreFocusOut: true,
      value: session.title,
      validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('A session needs a title.') : text.trim().length > 500 ? vscode.l10n.t('A title has up to 500 characters.') : null),
    });
    if (title !== undefined && title.trim() !== session.title) await this.#options.calls.call('session/rename', { commandId: newCommandId(), sessionId: session.sessionId, title: title.trim() });
  }

  async pin(sessions: readonly Session[], pinned: boolean): Promise<void> {
    await each(sessions, ({ sessionId }) => this.#options.calls.call('session/pin', { commandId: newCommandId(), sessionId, pinned }));
  }

  async archive(sessions: readonly Session[], archived: boolean): Promise<void> {
    await each(sessions, ({ sessionId }) => this.#options.calls.call('session/archive', { commandId: newCommandId(), sessionId, archived }));
  }

  /** Asks first: a closed session gets no new work any more. What runs in it is stopped before. */
  async close(sessions: readonly Session[]): Promise<void> {
    const [first] = sessions;
    if (first === undefined) return;
    const question = sessions.length === 1 ? vscode.l10n.t('Close “{0}”?', visibleLine(first.title)) : vscode.l10n.t('Close {0} sessions?', sessions.length);
    const ends = sessions.some(({ activeTurnId }) => activeTurnId !== null) ? [vscode.l10n.t('What is running is stopped.')] : [];
    const detail = [vscode.l10n.t('A closed session gets no new work.'), ...ends, vscode.l10n.t('It can still be read: Switch Session… lists it under “Closed”.')].join(' ');
    const close = vscode.l10n.t('Close Session');
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, close)) !== close) return;
    await each(sessions, async (session) => {
      await this.#stop(session);
      await this.#options.calls.call('session/close', { commandId: newCommandId(), sessionId: session.sessionId });
    });
  }

  /** Asks nothing, since it can be undone: from the message that says so, for as long as the gateway keeps what was deleted. */
  async remove(sessions: readonly Session[]): Promise<void> {
    const shown = sessions.map(({ sessionId }) => sessionId).filter((sessionId) => this.#options.panels.showing(sessionId) !== undefined);
    const deleted: Session[] = [];
    let until = 0;
    const all = each(sessions, async (session) => {
      const { restorableUntil } = await this.#options.calls.call('session/delete', { commandId: newCommandId(), sessionId: session.sessionId });
      deleted.push(session);
      until = restorableUntil;
    });
    await all.finally(() => void this.#offerUndo(deleted, until, shown).catch(showFailure));
  }

  async #offerUndo(deleted: readonly Session[], until: number, shown: readonly string[]): Promise<void> {
    const [first] = deleted;
    if (first === undefined) return;
    const date = new Date(until).toLocaleDateString();
    const text = deleted.length === 1
      ? vscode.l10n.t('Attaché: deleted “{0}”. It can be brought back until {1}.', visibleLine(first.title), date)
      : vscode.l10n.t('Attaché: deleted {0} sessions. They can be brought back until {1}.', deleted.length, date);
    const undo = vscode.l10n.t('Undo');
    if ((await vscode.window.showInformationMessage(text, undo)) === undo) await this.restore(deleted, shown);
  }

  /** As they were; one that the chat showed is shown again. */
  async restore(sessions: readonly Session[], shown: readonly string[]): Promise<void> {
    const { calls, memory, host, show } = this.#options;
    await each(sessions, async ({ sessionId }) => {
      const { session } = await calls.call('session/undelete', { commandId: newCommandId(), sessionId });
      const hosted = memory.hostedSession(sessionId);
      if (session.status !== 'closed' && hosted !== undefined) host.takeUpAgain(hosted);
    });
    const [last] = shown.slice(-1);
    if (last !== undefined) await show(memory.conversationOf(last));
  }

  /** Those that can still be brought back, for as long as the gateway keeps them; the message that offered it may be long gone. */
  async chooseDeleted(): Promise<void> {
    const { calls, workspaces } = this.#options;
    const lists = await Promise.all(workspaces.folders.map((workspace) => everySession(calls, { workspace, deleted: true })));
    const rows = lists.flat().sort(byActivity).map((session) => ({ label: plainLabel(session.title), description: age(session.updatedAt, Date.now()), detail: plainLabel(folderName(session.workspace)), session }));
    if (rows.length === 0) return void vscode.window.showInformationMessage(vscode.l10n.t('Attaché: no session was deleted here within the last seven days.'));
    const chosen = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Restore Deleted Session'), placeHolder: vscode.l10n.t('A deleted session is kept for seven days.'), matchOnDetail: true });
    if (chosen !== undefined) await this.restore([chosen.session], [chosen.session.sessionId]);
  }

  async #stop({ sessionId, activeTurnId }: Session): Promise<void> {
    if (activeTurnId === null) return;
    const { calls, workspaces } = this.#options;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const following = workspaces.onChanged(() => {
      if (workspaces.session(sessionId)?.activeTurnId !== activeTurnId) resolve();
    });
    // The gateway then says why it cannot be closed.
    const late = setTimeout(resolve, STOP_MS);
    try {
      await calls.call('turn/cancel', { commandId: newCommandId(), turnId: activeTurnId });
      await ended;
    } finally {
      following.dispose();
      clearTimeout(late);
    }
  }
}

/** Does it to every one that lets itself be done; the first refusal is told, with how many there were. */
async function each(sessions: readonly Session[], act: (session: Session) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(sessions.map(act));
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  const [first] = refusals;
  if (first === undefined) return;
  if (!(first instanceof AttacheError)) throw first instanceof Error ? first : new Error(String(first));
  if (sessions.length === 1) throw first;
  throw new AttacheError(first.kind, { message: vscode.l10n.t('{0} of {1} were refused: {2}', refusals.length, sessions.length, first.message), next: first.data.next });
}
