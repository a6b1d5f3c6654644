import * as vscode from 'vscode';
import { folderOfEditor, type WindowFolder } from '../folders.ts';
import { plainLabel } from './sessionLook.ts';

/** Lets a person choose a root folder of this window; undefined when they gave up. */
export async function pickFolder(folders: readonly WindowFolder[], current: string | null): Promise<WindowFolder | undefined> {
  const rows = folders.map((folder) => ({ label: `$(root-folder) ${plainLabel(folder.name)}`, description: folder.path === current ? vscode.l10n.t('chosen') : '', detail: plainLabel(folder.path), folder }));
  const options = { title: vscode.l10n.t('Folder of the Session'), placeHolder: vscode.l10n.t('The agent works in this folder; a session keeps the one it began in.') };
  return (await vscode.window.showQuickPick(rows, options))?.folder;
}

/** Where a new session works: the root of the file in front, else the only root, else the one that is chosen now. Undefined: there is none; null: nobody chose. */
export async function folderForNew(folders: readonly WindowFolder[]): Promise<WindowFolder | undefined | null> {
  const known = folderOfEditor(folders) ?? (folders.length < 2 ? folders[0] : undefined);
  if (known !== undefined || folders.length === 0) return known;
  return (await pickFolder(folders, null)) ?? null;
}
