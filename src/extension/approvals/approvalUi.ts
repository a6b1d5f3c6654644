import * as vscode from 'vscode';
import { oneLine } from '../../base/oneLine.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import { setContextKey } from '../contextKeys.ts';
import { settings } from '../settings.ts';
import type { Workspaces } from '../sessions/workspaces.ts';
import type { ApprovalCentre } from './approvalCentre.ts';
import { askLine } from './choose.ts';
import { openBehind } from './proposalDocuments.ts';
import { closeProposal, requestOfTab } from './proposalTabs.ts';

export interface ApprovalUiOptions {
  readonly centre: ApprovalCentre;
  readonly panels: ChatPanels;
  readonly workspaces: Workspaces;
  readonly agentLabel: (agentId: string) => string;
  readonly setBadge: (pending: number) => void;
  /** True when this window runs the session: only it may call for attention. */
  readonly isHosted: (sessionId: string) => boolean;
}

/** Makes what waits for an answer visible around the chat, without ever taking the focus. */
export class ApprovalUi implements Disposable {
  readonly #options: ApprovalUiOptions;
  readonly #disposables = new DisposableStore();

  constructor(options: ApprovalUiOptions) {
    this.#options = options;
    const { centre, panels } = options;
    this.#disposables.add(centre.onChanged(() => this.#show()));
    this.#disposables.add(panels.onChanged(() => this.#show()));
    this.#disposables.add(centre.onAsked((approval) => void this.#call(approval)));
    this.#disposables.add(centre.onSettled((approvalId) => void closeProposal(approvalId)));
    this.#disposables.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#show()));
    this.#disposables.add(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#show()));
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #show(): void {
    const { centre, setBadge } = this.#options;
    const count = centre.pending.length;
    setBadge(count);
    setContextKey('attache.approvalPending', count > 0);
    setContextKey('attache.diffVisible', vscode.window.tabGroups.all.some((group) => this.#isOpenProposal(group.activeTab)));
  }

  /** A diff whose request still waits. */
  #isOpenProposal(tab: vscode.Tab | undefined): boolean {
    const approvalId = requestOfTab(tab);
    return this.#options.centre.pending.some((approval) => approval.approvalId === approvalId);
  }

  async #call(approval: Approval): Promise<void> {
    const { panels, isHosted, workspaces, agentLabel } = this.#options;
    if (!isHosted(approval.sessionId)) return;
    const isSeen = panels.showing(approval.sessionId)?.isVisible === true;
    const session = workspaces.session(approval.sessionId);
    const workspace = session?.workspace;
    if (isSeen && workspace !== undefined && settings.opensDiffs()) await openBehind(approval, workspace);
    if (isSeen) return;
    const { from } = approval.subject;
    const show = vscode.l10n.t('Show Request');
    const who = session === undefined ? vscode.l10n.t('The agent') : agentLabel(session.agentId);
    const answer = await vscode.window.showInformationMessage(`${who}${from === undefined ? '' : vscode.l10n.t(' (sub-agent “{0}”)', oneLine(from))} ${askLine(approval)}`, show);
    if (answer === show) await vscode.commands.executeCommand('attache.revealRequest', approval.approvalId);
  }
}
