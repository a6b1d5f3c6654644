import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { modeWords } from '../protocol/session/modeWords.ts';
import type { Session } from '../protocol/session/state.ts';
import type { ApprovalCentre } from './approvals/approvalCentre.ts';
import type { ChatPanels } from './chat/chatPanels.ts';
import type { Workspaces } from './sessions/workspaces.ts';
import { settings } from './settings.ts';

export interface StatusItemOptions {
  readonly centre: ApprovalCentre;
  readonly panels: ChatPanels;
  readonly workspaces: Workspaces;
  readonly windowId: string;
}

/** Says who runs the session in front, and counts what waits for an answer in this window's folders; hidden while there is neither. */
export class StatusItem implements Disposable {
  readonly #options: StatusItemOptions;
  readonly #item = vscode.window.createStatusBarItem('attache.approvals', vscode.StatusBarAlignment.Right, 100);
  readonly #disposables = new DisposableStore();

  constructor(options: StatusItemOptions) {
    this.#options = options;
    this.#item.name = 'Attaché';
    for (const changed of [options.centre.onChanged, options.panels.onChanged, options.workspaces.onChanged]) this.#disposables.add(changed(() => this.#show()));
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#item.dispose();
  }

  #show(): void {
    const { centre, windowId } = this.#options;
    const pending = centre.pending.length;
    const session = this.#session();
    if (pending === 0 && session === undefined) return this.#item.hide();
    const mode = session === undefined ? null : modeWords(session, windowId);
    const lines = [
      ...(pending === 0 ? [] : [vscode.l10n.t(pending === 1 ? 'Attaché: {0} request waits for your answer' : 'Attaché: {0} requests wait for your answer', pending)]),
      ...(session === undefined || mode === null ? [] : [`${session.title}: ${mode.label}`, mode.hint]),
    ];
    this.#item.text = pending === 0 ? `$(${mode?.icon ?? 'comment-discussion'}) Attaché` : `$(bell-dot) ${pending}`;
    this.#item.tooltip = lines.join('\n');
    this.#item.accessibilityInformation = { label: lines.join('. ') };
    this.#item.backgroundColor = pending === 0 ? undefined : new vscode.ThemeColor('statusBarItem.warningBackground');
    this.#item.command = pending === 0 ? `${settings.chatView()}.focus` : 'attache.showPendingApprovals';
    this.#item.show();
  }

  /** The one that the chat used last shows. */
  #session(): Session | undefined {
    const { panels, workspaces } = this.#options;
    const sessionId = panels.current?.sessionId ?? null;
    return sessionId === null ? undefined : (workspaces.session(sessionId) ?? panels.current?.view?.session);
  }
}
