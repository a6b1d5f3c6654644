import * as vscode from 'vscode';
import { Answers } from '../approvals/answers.ts';
import { ApprovalCommands } from '../approvals/approvalCommands.ts';
import type { BlobTexts } from '../approvals/blobTexts.ts';
import { AddCommands } from '../attachments/addCommands.ts';
import { DraftMaker } from '../attachments/makeDrafts.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import type { ChatSurfaces } from '../chat/chatSurfaces.ts';
import type { PanelHandlers } from '../chat/panelBridge.ts';
import { panelHandlers } from '../chat/panelHandlers.ts';
import { openCliTerminal } from '../cliTerminal.ts';
import type { CommandTable } from '../commands.ts';
import { folderInFront } from '../folders.ts';
import { ruleCommands } from '../grants/ruleCommands.ts';
import { SessionCommands } from '../sessions/sessionCommands.ts';
import type { Shelves } from '../sessions/shelf.ts';
import type { SessionTree } from '../sessionTree/sessionTree.ts';
import { systemCommands } from '../systemCommands.ts';
import { turnCommands } from '../turns/turnCommands.ts';
import type { ComposerUi } from './composerUi.ts';
import type { WindowCore } from './windowCore.ts';

/** What there is to see of Attaché in a window. */
export interface WindowLooks {
  readonly panels: ChatPanels;
  readonly surfaces: ChatSurfaces;
  readonly shelves: Shelves;
  readonly tree: SessionTree;
  readonly texts: BlobTexts;
  readonly composer: ComposerUi;
}

/** What a person can do with it: by commands, and in the pages of chats. */
export interface WindowActs {
  readonly sessions: SessionCommands;
  readonly commands: CommandTable;
  readonly handlers: PanelHandlers;
}

/** Made with the first of its acts, as nothing of it is needed before. */
export function createActs(context: vscode.ExtensionContext, core: WindowCore, looks: WindowLooks): WindowActs {
  const { calls, memory, catalogue, centre, choices, host, conversations, workspaces, attachments } = core;
  const { panels, surfaces, texts, composer } = looks;
  const sessions = new SessionCommands({ ...core, ...looks, defaults: core.newConversation });
  const show = (conversation: string): Promise<void> => sessions.show(conversation);
  const drafts = new DraftMaker(attachments);
  const adding = new AddCommands({ attachments, drafts, place: composer.place, panels, lastShown: () => surfaces.viewConversation, fresh: () => conversations.fresh(), show });
  const approvals = new ApprovalCommands({ centre, answers: new Answers(centre, choices), panels, workspaces, memory, agentLabel: (agentId) => catalogue.label(agentId), show });
  return {
    sessions,
    commands: {
      ...sessions, ...sessions.list, ...adding, ...approvals, ...ruleCommands({ ...core, panels }),
      ...turnCommands({ calls, panels, texts, plane: (folder) => host.plane(folder) }),
      ...systemCommands({ ...core, panels, openCli: () => openCli(context, core) }),
    },
    handlers: panelHandlers({
      ...core, files: core.attachmentFiles, drafts, place: composer.place, editors: composer.editors,
      focused: (approvalId) => { panels.focusedRequest = approvalId; },
      touched: (panel) => panels.touch(panel),
    }),
  };
}

async function openCli({ extensionUri, globalStorageUri }: vscode.ExtensionContext, { folders, dataRoot }: WindowCore): Promise<void> {
  const script = vscode.Uri.joinPath(extensionUri, 'dist/cli.cjs').fsPath;
  const binFolder = vscode.Uri.joinPath(globalStorageUri, 'bin').fsPath;
  openCliTerminal({ script, binFolder, dataRoot, folder: folderInFront(await folders.refresh())?.path });
}
