import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';

/** The open document of a file by its real path: also one reached through a link, also an untitled one that is to become this file. */
export async function openDocument(real: string): Promise<vscode.TextDocument | undefined> {
  const candidates = vscode.workspace.textDocuments.filter((document) => !document.isClosed && /^(file|untitled)$/.test(document.uri.scheme));
  const exact = candidates.find((document) => document.uri.fsPath === real);
  if (exact !== undefined) return exact;
  for (const document of candidates) {
    const { fsPath } = document.uri;
    if (basename(fsPath) === basename(real) && (await realpath(fsPath).catch(() => null)) === real) return document;
  }
  return undefined;
}
