import { readFile, stat } from 'node:fs/promises';
import * as vscode from 'vscode';

const encoder = new TextEncoder();

/** A file as the editor has it: with what is not saved yet. */
export async function readAsOpen(path: string): Promise<Uint8Array> {
  const open = vscode.workspace.textDocuments.find(({ uri, isDirty }) => isDirty && uri.scheme === 'file' && uri.fsPath === path);
  return open === undefined ? readFile(path) : encoder.encode(open.getText());
}

/** Bytes of a file, null for a folder. Rejects when there is nothing. */
export async function sizeOf(path: string): Promise<number | null> {
  const { size, isDirectory } = await stat(path).then((found) => ({ size: found.size, isDirectory: found.isDirectory() }));
  return isDirectory ? null : size;
}
