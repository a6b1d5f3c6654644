import * as vscode from 'vscode';
import type { AgentProcessState, OutboxEntry, PanelChrome } from '../../protocol/panel.ts';
import { PRODUCT_VERSION } from '../../protocol/version.ts';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { PartChoices } from '../approvals/partChoices.ts';
import type { GatewayConnection } from '../gateway/gatewayConnection.ts';
import type { StoreLossNotice } from '../gateway/storeLossNotice.ts';
import type { OutboxMessage } from '../memory.ts';
import type { WindowFolder } from '../folders.ts';
import { folderName } from '../sessions/sessionLook.ts';
import { settings } from '../settings.ts';

export interface ChromeFacts {
  readonly connection: GatewayConnection;
  readonly clientId: string;
  readonly windowId: string;
  readonly catalogue: AgentCatalogue;
  readonly storeLoss: StoreLossNotice;
  readonly choices: PartChoices;
  /** The folders of this window as last looked up. */
  readonly folders: () => readonly WindowFolder[];
}

/** What is about one conversation in the surroundings of its transcript. */
export interface ConversationFacts {
  readonly agentId: string;
  readonly agentInstalled: boolean;
  readonly agentProcess: AgentProcessState;
  readonly workspace: string | null;
  readonly outbox: readonly OutboxMessage[];
}

/** All that surrounds the transcript, as it is at this moment. */
export function panelChrome(facts: ChromeFacts, conversation: ConversationFacts): PanelChrome {
  const folders = facts.folders();
  const folder = folders.find(({ path }) => path === conversation.workspace);
  const name = folder?.name ?? folderName(conversation.workspace ?? '');
  return {
    connection: facts.connection.state,
    windowId: facts.windowId,
    windowClientId: facts.clientId,
    trusted: vscode.workspace.isTrusted,
    hasFolder: folders.length > 0,
    folderName: name,
    ...(conversation.workspace === null || (folders.length < 2 && folder !== undefined) ? {} : { folder: { name, path: conversation.workspace, isOpen: folder !== undefined } }),
    agent: { agentId: conversation.agentId, label: facts.catalogue.label(conversation.agentId), installed: conversation.agentInstalled },
    agentProcess: conversation.agentProcess,
    sendWith: settings.sendWith(),
    font: settings.chatFont(),
    outbox: conversation.outbox.map(entryOf),
    leftOut: facts.choices.leftOut,
    storeLoss: facts.storeLoss.words,
    version: PRODUCT_VERSION,
  };
}

const entryOf = ({ clientTurnId, text, drafts, failure }: OutboxMessage): OutboxEntry => ({
  clientTurnId,
  text,
  ...(drafts === undefined ? {} : { attachments: drafts.map(({ name }) => name) }),
  state: failure === null ? 'sending' : 'failed',
  message: failure,
});
