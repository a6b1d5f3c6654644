import * as vscode from 'vscode';
import type { AbortSignalLike } from '../../base/abort.ts';
import type { DisposableStore } from '../../base/disposable.ts';
import { gatewayCalls, type GatewayCalls } from '../../client/gatewayClient.ts';
import { patientCalls } from '../../client/patientCalls.ts';
import type { GatewayConnection as Transport } from '../../connector/connect.ts';
import { defaultDataRoot } from '../../connector/dataRoot.ts';
import { systemClock } from '../../connector/systemClock.ts';
import { PRODUCT_VERSION } from '../../protocol/version.ts';
import type { ClientId } from '../../protocol/ids.ts';
import { AttachmentFiles } from '../attachments/attachmentFiles.ts';
import { DraftLists } from '../attachments/draftLists.ts';
import { ComposerAttachments } from '../attachments/composerAttachments.ts';
import { readAsOpen } from '../attachments/readFile.ts';
import { AgentCatalogue } from '../agents/agentCatalogue.ts';
import { ApprovalCentre } from '../approvals/approvalCentre.ts';
import { PartChoices } from '../approvals/partChoices.ts';
import { GatewayConnection } from '../gateway/gatewayConnection.ts';
import { StoreLossNotice } from '../gateway/storeLossNotice.ts';
import { WindowHost } from '../hosting/windowHost.ts';
import type { RedactingChannel } from '../log.ts';
import { WindowMemory } from '../memory.ts';
import { inUsePart } from '../parts/load.ts';
import { Conversations, type NewConversation } from '../sessions/conversations.ts';
import { SessionHub } from '../sessions/sessionHub.ts';
import { Workspaces } from '../sessions/workspaces.ts';
import { settings } from '../settings.ts';
import { attachmentFacts } from './attachmentFacts.ts';
import { WindowFolders } from './windowFolders.ts';

/** How long what a person asked for is kept without a link before it counts as not delivered. */
const PATIENCE_MS = 15_000;

/** What a window has besides its looks. Made without touching disk, network or process. */
export interface WindowCore {
  readonly log: RedactingChannel;
  readonly memory: WindowMemory;
  readonly folders: WindowFolders;
  readonly catalogue: AgentCatalogue;
  readonly dataRoot: string;
  readonly connection: GatewayConnection;
  readonly storeLoss: StoreLossNotice;
  /** Patient calls, for what a person asked for. */
  readonly calls: GatewayCalls;
  readonly workspaces: Workspaces;
  readonly hub: SessionHub;
  /** What goes with the messages that are being written, and the bytes of it. */
  readonly attachments: ComposerAttachments;
  readonly attachmentFiles: AttachmentFiles;
  readonly conversations: Conversations;
  readonly centre: ApprovalCentre;
  readonly choices: PartChoices;
  readonly host: WindowHost;
  /** The agent of new sessions. */
  readonly agentId: () => string;
  readonly newConversation: (conversation?: string) => Promise<NewConversation>;
}

export function createCore(context: vscode.ExtensionContext, log: RedactingChannel, store: DisposableStore): WindowCore {
  const file = (name: string): string => vscode.Uri.joinPath(context.extensionUri, name).fsPath;
  const kept = vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, 'attachments').fsPath;
  const memory = new WindowMemory(context.workspaceState, new DraftLists(kept));
  const folders = new WindowFolders(memory);
  const dataRoot = defaultDataRoot();
  const catalogue = new AgentCatalogue({
    offlineScript: file('dist/offlineAgent.cjs'),
    offlineData: vscode.Uri.joinPath(context.globalStorageUri, 'offline-agent').fsPath,
    version: PRODUCT_VERSION,
    configured: settings.agents,
  });
  const open = gatewayOpener({ memory, folders, dataRoot, log, script: file('dist/gateway.cjs') });
  const connection = new GatewayConnection({ channel: log, open });
  const direct = gatewayCalls(connection);
  const link = { isUp: () => connection.state.state === 'connected', onOpened: connection.onOpened };
  const calls = patientCalls(link, direct, { clock: systemClock, patienceMs: PATIENCE_MS });
  const workspaces = store.add(new Workspaces({ calls: direct, connection, log }));
  const agentId = (): string => memory.agentId ?? settings.defaultAgent();
  const newConversation = async (conversation?: string): Promise<NewConversation> => ({ workspace: (await folders.forNewSession(conversation)).path, agentId: agentId() });
  const attachmentFiles = new AttachmentFiles(kept);
  const facts = attachmentFacts({ memory, workspaces, folders, catalogue, agentId });
  const attachments = new ComposerAttachments({ memory, files: attachmentFiles, calls, facts, read: readAsOpen });
  return {
    log, memory, folders, catalogue, dataRoot, connection, calls, workspaces, agentId, newConversation,
    storeLoss: store.add(new StoreLossNotice({ connection, calls: direct, dataRoot, log })),
    hub: store.add(new SessionHub(direct, connection, log)),
    attachments, attachmentFiles,
    conversations: new Conversations({ memory, calls, attachments, defaults: newConversation }),
    centre: store.add(new ApprovalCentre({ calls, workspaces, log })),
    choices: store.add(new PartChoices()),
    host: new WindowHost({ link: { calls: direct, onOpened: connection.onOpened }, catalogue, approvals: settings.policy, log }),
  };
}

interface OpenerOptions {
  readonly memory: WindowMemory;
  readonly folders: WindowFolders;
  readonly dataRoot: string;
  readonly log: RedactingChannel;
  readonly script: string;
}

/** Connects to the one gateway of this user, starting it with the editor's own Node when none runs. */
function gatewayOpener({ memory, folders, dataRoot, log, script }: OpenerOptions): (signal: AbortSignalLike) => Promise<Transport> {
  return async (signal) => {
    await folders.refresh();
    await memory.prepare();
    const { connectOrStart, writeLauncher } = inUsePart();
    const transport = await connectOrStart({
      dataRoot,
      hello: { clientId: memory.clientId as ClientId, windowId: memory.windowId as ClientId, kind: 'editor', workspaces: folders.grants() },
      signal,
      logger: log,
      spawn: { command: process.execPath, args: [script] },
    });
    // A command line whose own Node has no SQLite starts the gateway with this one.
    writeLauncher(dataRoot, { node: process.execPath, script });
    return transport;
  };
}
