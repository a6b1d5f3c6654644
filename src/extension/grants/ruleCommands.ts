import * as vscode from 'vscode';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import { showFailure, type CommandTable } from '../commands.ts';
import type { WindowMemory } from '../memory.ts';
import { newCommandId } from '../randomId.ts';
import type { Workspaces } from '../sessions/workspaces.ts';
import type { WindowFolders } from '../window/windowFolders.ts';
import { manageGrants } from './manageGrants.ts';
import { pickPermissionMode } from './permissionModePicker.ts';

export interface RuleCommandOptions {
  readonly calls: GatewayCalls;
  readonly workspaces: Workspaces;
  readonly panels: ChatPanels;
  readonly folders: WindowFolders;
  readonly memory: WindowMemory;
  readonly catalogue: AgentCatalogue;
}

/** The palette's commands about what is allowed without asking. */
export function ruleCommands(options: RuleCommandOptions): Pick<CommandTable, 'manageGrants' | 'permissionMode'> {
  const { calls, workspaces, panels, folders, memory, catalogue } = options;
  const current = (): string | null => panels.current?.sessionId ?? null;
  return {
    manageGrants: async (grantId) => manageGrants({
      calls,
      folders: folders.all.map(({ path }) => path),
      sessions: workspaces.sessions,
      currentSession: current(),
      windowId: memory.windowId,
      agentLabel: (agentId) => catalogue.label(agentId),
    }, (error) => void showFailure(error), typeof grantId === 'string' ? grantId : null),

    permissionMode: async (given) => {
      const sessionId = typeof given === 'string' ? given : current();
      const session = sessionId === null ? undefined : workspaces.session(sessionId);
      if (session === undefined) return void vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: this session has not begun yet.'), 4000);
      if (!vscode.workspace.isTrusted) throw new AttacheError('workspace_untrusted');
      const permissionMode = await pickPermissionMode(session);
      if (permissionMode !== undefined) await calls.call('session/configure', { commandId: newCommandId(), sessionId: session.sessionId, changes: { permissionMode } });
    },
  };
}
