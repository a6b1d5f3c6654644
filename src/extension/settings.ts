import * as vscode from 'vscode';
import { isRecord } from '../base/isRecord.ts';
import type { ApprovalPolicy } from '../host/hostOptions.ts';
import type { PanelChrome } from '../protocol/panel.ts';
import { narrowed, ownPolicy } from './approvalPolicy.ts';

/** One agent of the person's own, as written in `attache.agents`. */
export interface AgentSetting {
  readonly id: string;
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const section = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('attache');
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []);

function asAgent(value: unknown): AgentSetting | null {
  if (!isRecord(value)) return null;
  const { id, label, command, args, env } = value;
  if (typeof id !== 'string' || !/^[A-Za-z0-9._-]{1,100}$/.test(id) || typeof command !== 'string' || command === '') return null;
  const variables = isRecord(env) ? Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : [];
  return { id, label: typeof label === 'string' && label !== '' ? label : id, command, args: strings(args), env: Object.fromEntries(variables) };
}

/** Every layer's word on its own: merged, as VS Code merges objects, a folder's “ask” would undo a person's “deny”. */
function folderRestrictions(folder: string): readonly Record<string, unknown>[] {
  const given = vscode.workspace.getConfiguration('attache', vscode.Uri.file(folder)).inspect<unknown>('workspaceApprovals');
  return [given?.globalValue, given?.workspaceValue, given?.workspaceFolderValue].filter(isRecord);
}

/** What people have configured, read anew each time; a value that does not fit counts as not given. */
export const settings = {
  agents(): AgentSetting[] {
    const configured: unknown = section().get('agents');
    return Array.isArray(configured) ? configured.map(asAgent).filter((agent) => agent !== null) : [];
  },
  defaultAgent: (): string => section().get('defaultAgent', 'offline'),
  /** What needs no answer of a person in a folder: their own setting, narrowed by what the folder's files say. */
  policy(folder: string): ApprovalPolicy {
    return narrowed(ownPolicy(section().get('approvals')), folderRestrictions(folder));
  },
  opensDiffs: (): boolean => section().get('openDiffs') === 'preview',
  sendWith: (): PanelChrome['sendWith'] => (section().get('sendWith') === 'ctrlEnter' ? 'ctrlEnter' : 'enter'),
  chatView: (): 'attache.chat' | 'attache.chatSide' => (section().get('location') === 'secondarySideBar' ? 'attache.chatSide' : 'attache.chat'),
  /** `chat.fontFamily` and `chat.fontSize` as VS Code's own chat has them; its `default` means that nothing was chosen. */
  chatFont(): NonNullable<PanelChrome['font']> {
    const chat = vscode.workspace.getConfiguration('chat');
    const family: unknown = chat.get('fontFamily');
    const size: unknown = chat.get('fontSize');
    return { family: typeof family === 'string' && family !== '' && family !== 'default' ? family : null, size: typeof size === 'number' && size >= 6 && size <= 100 ? size : null };
  },
  onChanged: (listener: () => void): vscode.Disposable =>
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (['attache', 'chat.fontFamily', 'chat.fontSize'].some((name) => event.affectsConfiguration(name))) listener();
    }),
};
