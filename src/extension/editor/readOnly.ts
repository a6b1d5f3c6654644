import * as vscode from 'vscode';
import { readOnly } from '../../execution/diskFile.ts';
import { AttacheError } from '../../protocol/errors.ts';

/** file_read_only for what the person has marked so in the editor's settings. */
export function refuseReadOnly(real: string): void {
  const uri = vscode.Uri.file(real);
  const settings = vscode.workspace.getConfiguration('files', uri);
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const matches = (name: string): boolean => Object.entries(settings.get<Readonly<Record<string, boolean>>>(name, {})).some(([glob, on]) => {
    if (!on) return false;
    const pattern = folder === undefined ? glob : new vscode.RelativePattern(folder, glob);
    // Only name and place are compared; opening each file for it would cost more than it tells.
    return vscode.languages.match({ pattern }, { uri, languageId: '' } as vscode.TextDocument) > 0;
  });
  if (matches('readonlyInclude') && !matches('readonlyExclude')) throw readOnly(real);
}

/** edit_conflict for unsaved work in an editor that is not a text document: a notebook, a picture. It would be written over. */
export function refuseForeignUnsaved(real: string): void {
  const isIt = (uri: vscode.Uri): boolean => uri.scheme === 'file' && uri.fsPath === real;
  const inNotebook = vscode.workspace.notebookDocuments.some((notebook) => notebook.isDirty && isIt(notebook.uri));
  const inCustom = vscode.window.tabGroups.all.some((group) => group.tabs.some(({ isDirty, input }) => isDirty && input instanceof vscode.TabInputCustom && isIt(input.uri)));
  if (inNotebook || inCustom) throw new AttacheError('edit_conflict', { message: `${real} has unsaved changes in an editor that agents cannot write into. Nothing was written.`, next: 'Save or revert it, then ask again.' });
}
