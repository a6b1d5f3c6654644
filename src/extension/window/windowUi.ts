import type * as vscode from 'vscode';
import type { DisposableStore } from '../../base/disposable.ts';
import type { PanelChrome } from '../../protocol/panel.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { SessionSnapshot } from '../../protocol/subscription/state.ts';
import { ApprovalUi } from '../approvals/approvalUi.ts';
import { BlobTexts } from '../approvals/blobTexts.ts';
import { ApprovalCodeLenses } from '../approvals/codeLenses.ts';
import { registerProposalDocuments } from '../approvals/proposalDocuments.ts';
import { ChatPanels } from '../chat/chatPanels.ts';
import { ChatSurfaces } from '../chat/chatSurfaces.ts';
import { registerOutputDocuments } from '../chat/outputDocuments.ts';
import { panelChrome } from '../chat/panelState.ts';
import { registerCommands, showFailure } from '../commands.ts';
import { inUsePart, once } from '../parts/load.ts';
import { SessionTree } from '../sessionTree/sessionTree.ts';
import type { SessionCommands } from '../sessions/sessionCommands.ts';
import { Shelves } from '../sessions/shelf.ts';
import { StatusItem } from '../statusItem.ts';
import { ComposerUi } from './composerUi.ts';
import type * as windowActs from './windowActs.ts';
import type { WindowCore } from './windowCore.ts';

/** What a person sees and can do in a window. */
export interface WindowUi {
  readonly panels: ChatPanels;
  readonly surfaces: ChatSurfaces;
  readonly sessions: SessionCommands;
  readonly tree: SessionTree;
  readonly shelves: Shelves;
}

export function createUi(context: vscode.ExtensionContext, core: WindowCore, store: DisposableStore, wake: () => void): WindowUi {
  const { log, memory, calls, conversations, centre, choices, host, hub, workspaces, catalogue } = core;
  const panels = new ChatPanels();
  const composer = store.add(new ComposerUi(core, panels));
  const surfaces = store.add(new ChatSurfaces({
    extensionUri: context.extensionUri, hub, memory, panels, log, wake,
    handlers: () => acts().handlers,
    chrome: (conversation, view) => chromeOf(core, conversation, view),
    attachments: (conversation) => core.attachments.shown(conversation),
    fresh: () => conversations.fresh(),
  }));
  const shelves = store.add(new Shelves(calls, workspaces));
  const tree = store.add(sessionTree(core, panels, shelves, wake));
  const texts = new BlobTexts(calls);
  const acts = once((): windowActs.WindowActs => inUsePart<typeof windowActs>().createActs(context, core, { panels, surfaces, shelves, tree, texts, composer }));
  store.add(registerCommands(() => acts().commands, { log, wake }));
  store.add(registerProposalDocuments(texts));
  store.add(registerOutputDocuments(calls));
  store.add(new ApprovalCodeLenses({ centre, choices, texts, workspaceOf: (sessionId) => workspaces.session(sessionId)?.workspace }));
  store.add(new StatusItem({ centre, panels, workspaces, windowId: memory.windowId }));
  store.add(new ApprovalUi({ centre, panels, workspaces, agentLabel: (agentId) => catalogue.label(agentId), setBadge: (pending) => tree.setBadge(pending), isHosted: (sessionId) => host.isHosted(sessionId) }));
  return { panels, surfaces, tree, shelves, get sessions() { return acts().sessions; } };
}

function sessionTree({ workspaces, memory, folders, catalogue }: WindowCore, panels: ChatPanels, shelves: Shelves, wake: () => void): SessionTree {
  const shown = (): Session | undefined => {
    const sessionId = panels.current?.sessionId ?? null;
    return sessionId === null ? undefined : (panels.current?.view?.session ?? workspaces.session(sessionId));
  };
  return new SessionTree({
    shelves, workspaces, memory, wake,
    itemFacts: () => ({
      windowId: memory.windowId, agentLabel: (agentId) => catalogue.label(agentId), isFolderOpen: (folder) => folders.isOpen(folder),
      manyFolders: workspaces.folders.length > 1, current: panels.current?.sessionId ?? null,
    }),
    folder: () => shown()?.workspace ?? folders.ofConversation(panels.current?.conversation ?? '')?.path ?? null,
    onSurroundingsChanged: panels.onChanged,
    failed: (error) => void showFailure(error),
  });
}

/** The surroundings of a conversation: from its session, else from how it would begin now. */
function chromeOf(core: WindowCore, conversation: string, view: SessionSnapshot | null): PanelChrome {
  const sessionId = core.memory.sessionOf(conversation);
  const session = view?.session ?? (sessionId === null ? undefined : core.workspaces.session(sessionId));
  const plan = core.memory.plan(conversation);
  const agentId = session?.agentId ?? plan?.agentId ?? core.agentId();
  const { connection, catalogue, folders, memory, storeLoss, choices } = core;
  return panelChrome({ connection, catalogue, storeLoss, choices, clientId: memory.clientId, windowId: memory.windowId, folders: () => folders.all }, {
    agentId,
    agentInstalled: catalogue.isInstalled(agentId),
    agentProcess: sessionId === null ? { state: 'none' } : core.host.agentProcess(sessionId),
    workspace: session?.workspace ?? plan?.workspace ?? folders.pathOf(conversation),
    outbox: core.conversations.outbox(conversation),
  });
}
