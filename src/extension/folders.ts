import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';

/** A root folder of this window. `path` is canonical; `uri` is the editor's own name for it. */
export interface WindowFolder {
  readonly path: string;
  readonly name: string;
  readonly uri: vscode.Uri;
}

/** The root folders of this window that are on a disk. */
export async function windowFolders(): Promise<WindowFolder[]> {
  const onDisk = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const found = await Promise.all(
    onDisk.map(async ({ uri, name }) => ({ path: await realpath(uri.fsPath).catch(() => null), name, uri })),
  );
  return found.flatMap(({ path, name, uri }) => (path === null ? [] : [{ path, name, uri }]));
}

/** The root of the file in front; undefined where that is in none. */
export function folderOfEditor(folders: readonly WindowFolder[]): WindowFolder | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const root = uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(uri);
  return folders.find((folder) => folder.uri.toString() === root?.uri.toString());
}

/** The folder of the file in front, else the first: where a new session works that nothing else was said about. */
export const folderInFront = (folders: readonly WindowFolder[]): WindowFolder | undefined => folderOfEditor(folders) ?? folders[0];
