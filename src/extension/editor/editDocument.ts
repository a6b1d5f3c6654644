import * as vscode from 'vscode';
import { requireUnmoved } from '../../execution/movedOn.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { minimalEdits } from './minimalEdits.ts';

// How often the editor may refuse a version that has passed before the edit is given up.
const attempts = 5;

export const isUnsaved = (document: vscode.TextDocument): boolean => document.isDirty || document.isUntitled;

/**
 * Gives an open document this text by the smallest edits, undoable as one. Refused with edit_conflict unless it has the text
 * that was shown at the very moment of writing: the editor takes an edit only for the version it was made for.
 */
export async function editDocument(document: vscode.TextDocument, shown: string | null, text: string): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const present = document.getText();
    requireUnmoved(document.uri.fsPath, shown, present);
    const edits = minimalEdits(present, text);
    if (edits.length === 0) return;
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, edits.map(({ start, end, text: inserted }) => vscode.TextEdit.replace(new vscode.Range(document.positionAt(start), document.positionAt(end)), inserted)));
    if (await vscode.workspace.applyEdit(edit)) return;
  }
  throw new AttacheError('edit_conflict', { message: `${document.uri.fsPath} kept changing while the edit was applied.` });
}
