import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { demoFolder } from './chat.ts';

export const demoFile = (name: string): string => path.join(demoFolder(), name);

export function writeDemo(name: string, content: string | Buffer): string {
  fs.mkdirSync(path.dirname(demoFile(name)), { recursive: true });
  fs.writeFileSync(demoFile(name), content);
  return demoFile(name);
}

export const readDemo = (name: string): string => fs.readFileSync(demoFile(name), 'utf8');

/** Opens a file in an editor and gives its document. */
export async function showDemo(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.file(demoFile(name)), { preview: false });
}

/** Types into a document as a person would: unsaved, undoable. */
export async function replaceLine(editor: vscode.TextEditor, line: number, text: string): Promise<void> {
  if (!(await editor.edit((edit) => edit.replace(editor.document.lineAt(line).range, text)))) throw new Error('the document was not edited');
}

/** Closes every editor, throwing unsaved text away. */
export async function closeEditors(): Promise<void> {
  for (const editor of vscode.window.visibleTextEditors) {
    if (!editor.document.isDirty) continue;
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  // Those that are pinned stay otherwise.
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs), true);
}
