import * as vscode from 'vscode';
import { isWithin } from '../../execution/containment.ts';
import type { GrantedFolder } from '../../protocol/envelope.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { folderInFront, windowFolders, type WindowFolder } from '../folders.ts';
import type { WindowMemory } from '../memory.ts';

/** So many roots that were removed stay readable. */
const REMOVED = 20;

/** The root folders of this window as last looked up, and those that were removed from it. */
export class WindowFolders {
  readonly #memory: WindowMemory;
  #folders: readonly WindowFolder[] = [];

  constructor(memory: WindowMemory) {
    this.#memory = memory;
  }

  get all(): readonly WindowFolder[] {
    return this.#folders;
  }

  /** Roots that this workspace had once: what was said there can be read, and nothing is run or changed. Canonical paths. */
  get removed(): readonly string[] {
    // Below an open root they are a part of that: the nearer grant would count.
    return this.#memory.roots.filter((path) => !this.#folders.some((folder) => isWithin(folder.path, path))).slice(-REMOVED);
  }

  isOpen(folder: string): boolean {
    return this.#folders.some(({ path }) => path === folder);
  }

  async refresh(): Promise<readonly WindowFolder[]> {
    this.#folders = await windowFolders();
    for (const { path } of this.#folders) void this.#memory.addRoot(path);
    return this.#folders;
  }

  /** What the gateway is told about them. */
  grants(): GrantedFolder[] {
    const open = this.#folders.map(({ path }) => ({ path, trusted: vscode.workspace.isTrusted }));
    return [...open, ...this.removed.map((path) => ({ path, trusted: false }))];
  }

  /** Where a conversation works that has not begun: as was chosen for it, else as it looks now. */
  ofConversation(conversation: string): WindowFolder | undefined {
    const chosen = this.#memory.place(conversation);
    return chosen === undefined ? folderInFront(this.#folders) : this.#folders.find(({ path }) => path === chosen);
  }

  /** The folder of a conversation that has not begun, also one that was chosen for it and is not open any more; null: none is known. */
  pathOf(conversation: string): string | null {
    return this.#memory.place(conversation) ?? this.ofConversation(conversation)?.path ?? null;
  }

  /** Where a new session works; refused when nothing may run here. */
  async forNewSession(conversation?: string): Promise<WindowFolder> {
    if (this.#folders.length === 0) await this.refresh();
    const folder = conversation === undefined ? folderInFront(this.#folders) : this.ofConversation(conversation);
    if (folder === undefined) throw this.#noFolder();
    if (!vscode.workspace.isTrusted) throw new AttacheError('workspace_untrusted');
    return folder;
  }

  /** Never another folder than the one that was chosen. */
  #noFolder(): AttacheError {
    if (this.#folders.length === 0) return new AttacheError('workspace_not_granted', { message: vscode.l10n.t('No folder on a disk is open in this window.'), next: vscode.l10n.t('Open a folder first.') });
    return new AttacheError('workspace_not_granted', { message: vscode.l10n.t('The folder that was chosen is not open in this window any more.'), next: vscode.l10n.t('Add it to the window again, or choose another one.') });
  }
}
