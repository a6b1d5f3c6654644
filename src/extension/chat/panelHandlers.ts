import * as vscode from 'vscode';
import type { Logger } from '../../base/logger.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { wholeItem } from '../../client/wholeItem.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { ApprovalId, ClientTurnId, Digest, ItemId, SessionId, TurnId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item/state.ts';
import type { PanelCommand } from '../../protocol/panel.ts';
import { isActive } from '../../protocol/turn/phase.ts';
import { type ComposerHandlerOptions, composerHandlers } from '../attachments/composerHandlers.ts';
import type { ApprovalCentre } from '../approvals/approvalCentre.ts';
import type { PartChoices } from '../approvals/partChoices.ts';
import { openRequest } from '../approvals/conflictView.ts';
import { openProposal } from '../approvals/proposalDocuments.ts';
import { setContextKey } from '../contextKeys.ts';
import type { WindowHost } from '../hosting/windowHost.ts';
import type { WindowMemory } from '../memory.ts';
import { newCommandId } from '../randomId.ts';
import type { Conversations } from '../sessions/conversations.ts';
import type { ChatPanel } from './chatPanel.ts';
import { type LastEditor, insertCode, openAsNewFile } from './codeTarget.ts';
import { openFile, openLink } from './openTarget.ts';
import { openOutput } from './outputDocuments.ts';
import type { PanelHandlers } from './panelBridge.ts';

export interface PanelHandlerOptions extends ComposerHandlerOptions {
  readonly calls: GatewayCalls;
  readonly conversations: Conversations;
  readonly memory: WindowMemory;
  readonly centre: ApprovalCentre;
  readonly choices: PartChoices;
  readonly host: WindowHost;
  readonly log: Logger;
  readonly editors: LastEditor;
  readonly touched: (panel: ChatPanel) => void;
  /** The card of this request has the keyboard now; null: none has. */
  readonly focused: (approvalId: string | null) => void;
}

const COMMANDS: Readonly<Record<PanelCommand, string>> = {
  newSession: 'attache.newSession',
  switchSession: 'attache.switchSession',
  selectAgent: 'attache.selectAgent',
  restartAgent: 'attache.restartAgent',
  restartGateway: 'attache.restartGateway',
  manageTrust: 'workbench.trust.manage',
  openFolder: 'vscode.openFolder',
  doctor: 'attache.doctor',
  showLog: 'attache.showLog',
  continueInNewSession: 'attache.continueInNewSession',
  recreateGoal: 'attache.recreateGoal',
  takeOver: 'attache.takeOver',
  alwaysAllow: 'attache.alwaysAllow',
  manageGrants: 'attache.manageGrants',
  permissionMode: 'attache.permissionMode',
  turnActions: 'attache.turnActions',
  undoRevert: 'attache.undoRevert',
  exportSession: 'attache.exportSession',
  forkSession: 'attache.forkSession',
  chooseFolder: 'attache.chooseFolder',
  addFolder: 'attache.addFolderBack',
};

/** What each message of a chat page does in this window. */
export function panelHandlers(options: PanelHandlerOptions): PanelHandlers {
  return { ...composerHandlers(options), ...messageHandlers(options), ...queueHandlers(options), ...viewHandlers(options), ...editorHandlers(options) };
}

type Part<K extends keyof PanelHandlers> = Pick<PanelHandlers, K>;

function messageHandlers({ calls, conversations, attachments, memory, centre, choices, host }: PanelHandlerOptions): Part<'submit' | 'resend' | 'discard' | 'takeBack' | 'stop' | 'decide' | 'chooseHunk' | 'retry' | 'setOption' | 'killCommand'> {
  return {
    submit: async ({ conversation, clientTurnId, text, attachments: ids = [] }) => conversations.submit(conversation, clientTurnId, text, await attachments.hand(conversation, ids)),
    resend: ({ clientTurnId }) => conversations.resend(clientTurnId),
    discard: ({ clientTurnId }) => conversations.discard(clientTurnId),
    takeBack: async ({ clientTurnId }, panel) => {
      const { conversation } = panel;
      const text = await conversations.takeBack(clientTurnId);
      const { draft } = memory.notes(conversation);
      if (text !== null) panel.post({ type: 'prefill', text: draft.trim() === '' ? text : `${draft}\n\n${text}` });
    },
    stop: ({ conversation }, panel) => stopTurn(calls, conversations, panel, conversation),
    decide: async ({ approvalId, optionId, actionDigest, comment, part }) => {
      await centre.decide({ approvalId: approvalId as ApprovalId, actionDigest: actionDigest as Digest }, optionId, { comment, part: part?.map((places) => [...places]) });
    },
    chooseHunk: ({ approvalId, change, hunk, chosen }) => choices.mark(approvalId, { change, hunk }, chosen ? null : 'reject'),
    retry: async ({ turnId, clientTurnId }) => {
      await calls.call('turn/retry', { commandId: newCommandId(), turnId: turnId as TurnId, clientTurnId: clientTurnId as ClientTurnId });
    },
    setOption: async ({ optionId, value }, panel) => host.setOption(sessionOf(panel), optionId, value),
    killCommand: async ({ itemId }, panel) => host.killCommand(sessionOf(panel), itemId),
  };
}

function queueHandlers({ calls, memory }: PanelHandlerOptions): Part<'queueEdit' | 'queueRemove' | 'queueResume' | 'history' | 'loadItem'> {
  return {
    queueEdit: async ({ turnId, text, expectedRev }) => {
      await calls.call('queue/edit', { commandId: newCommandId(), turnId: turnId as TurnId, text, expectedRev });
    },
    queueRemove: async ({ turnId }) => {
      await calls.call('queue/remove', { commandId: newCommandId(), turnId: turnId as TurnId });
    },
    queueResume: async ({ conversation }) => {
      const sessionId = memory.sessionOf(conversation);
      if (sessionId !== null) await calls.call('queue/resume', { commandId: newCommandId(), sessionId: sessionId as SessionId });
    },
    history: async ({ conversation, before, beforeItem }, panel) => {
      const sessionId = memory.sessionOf(conversation);
      if (sessionId === null || conversation !== panel.conversation) return;
      const { generation } = panel;
      const { page } = await calls.call('session/history', { sessionId: sessionId as SessionId, before, ...(beforeItem === undefined ? {} : { beforeItem }) });
      panel.post({ type: 'history', generation, page });
    },
    loadItem: async ({ itemId }, panel) => {
      const { generation } = panel;
      panel.post({ type: 'item', generation, item: await wholeItem(calls, itemId as ItemId) });
    },
  };
}

function viewHandlers({ memory, touched, focused, log }: PanelHandlerOptions): Part<'ready' | 'draft' | 'scroll' | 'focus' | 'pageError'> {
  return {
    ready: (_message, panel) => panel.pageReady(),
    draft: ({ conversation, text, at }) => memory.setNotes(conversation, { draft: text, draftAt: at }),
    scroll: ({ conversation, place }) => memory.setNotes(conversation, { scroll: place }),
    focus: ({ input, approvalId }, panel) => {
      setContextKey('attache.inputFocused', input);
      setContextKey('attache.approvalFocused', approvalId !== null);
      focused(approvalId);
      if (input || approvalId !== null) touched(panel);
    },
    pageError: ({ message }) => log.error(`chat page: ${message}`),
  };
}

function editorHandlers({ centre, memory, editors }: PanelHandlerOptions): Part<'openDiff' | 'openChange' | 'openOutput' | 'openFile' | 'openLink' | 'insertCode' | 'newFile' | 'copy' | 'run'> {
  return {
    openDiff: async ({ approvalId }, panel) => {
      await openRequest(await centre.get(approvalId), workspaceOf(panel));
    },
    openChange: async ({ itemId }, panel) => {
      const item = panel.view?.items.find((entry) => entry.itemId === itemId);
      const approval = panel.view?.approvals.find((entry) => entry.itemId === itemId && entry.subject.kind === 'edit');
      await openProposal(item === undefined ? [] : changesOf(item), workspaceOf(panel), approval?.approvalId ?? null, { preview: true });
    },
    openOutput: ({ itemId }, panel) => openOutput(itemId, panel.view?.items.find((entry) => entry.itemId === itemId)?.data ?? null),
    openFile: ({ path, ...place }, panel) => openFile(path, workspaceOf(panel), place),
    openLink: ({ href }) => openLink(href),
    insertCode: ({ text }) => insertCode(editors.last, text),
    newFile: ({ text, language }) => openAsNewFile(text, language),
    copy: async ({ text }) => vscode.env.clipboard.writeText(text),
    run: async ({ command, about: named }, panel) => {
      const about = named ?? memory.sessionOf(panel.conversation);
      await vscode.commands.executeCommand(COMMANDS[command], ...(about === null ? [] : [about]));
    },
  };
}

async function stopTurn(calls: GatewayCalls, conversations: Conversations, panel: ChatPanel, conversation: string): Promise<void> {
  const active = conversation === panel.conversation ? panel.view?.turns.find((turn) => isActive(turn.state)) : undefined;
  if (active !== undefined) {
    await calls.call('turn/cancel', { commandId: newCommandId(), turnId: active.turnId });
    return;
  }
  const [sending] = conversations.outbox(conversation).filter((message) => message.failure === null);
  if (sending === undefined) return panel.post({ type: 'toast', message: vscode.l10n.t('Nothing is running.'), next: '' });
  const { sessionId } = panel;
  if (sessionId === null) return conversations.discard(sending.clientTurnId);
  await calls.call('turn/cancel', { commandId: newCommandId(), sessionId: sessionId as SessionId, clientTurnId: sending.clientTurnId as ClientTurnId });
}

function changesOf({ data }: Item): Parameters<typeof openProposal>[0] {
  if (data.kind === 'edit') return [data.change];
  return data.kind === 'tool_call' ? (data.changes ?? []) : [];
}

function sessionOf(panel: ChatPanel): string {
  if (panel.sessionId === null) throw new AttacheError('not_found', { message: 'This conversation has not begun yet.', next: 'Send a message first.' });
  return panel.sessionId;
}

const workspaceOf = (panel: ChatPanel): string => panel.view?.session.workspace ?? '';
