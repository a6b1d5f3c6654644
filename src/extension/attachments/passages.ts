import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Lines } from './draftAttachment.ts';

/** Lines of a document, as they are now. `path` null: the document is no file. */
export interface Passage {
  readonly path: string | null;
  readonly name: string;
  readonly lines: Lines;
  readonly text: string;
}

/** Whole lines of a document; both ends included, from 1. */
export function passage(document: vscode.TextDocument, first: number, last: number): Passage {
  const end = Math.min(last, document.lineCount);
  const start = Math.min(first, end);
  const text = document.getText(new vscode.Range(start - 1, 0, end - 1, Number.MAX_SAFE_INTEGER));
  const { uri } = document;
  const isFile = uri.scheme === 'file';
  return { path: isFile ? uri.fsPath : null, name: basename(uri.path), lines: { first: start, last: end }, text: `${text}\n` };
}

/** The lines that are selected in an editor; null: none are. */
export function selectedPassage(editor: vscode.TextEditor | undefined): Passage | null {
  if (editor === undefined || editor.selection.isEmpty) return null;
  const { start, end } = editor.selection;
  // Who selects whole lines ends before the first character of the next.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return passage(editor.document, start.line + 1, last);
}

/** The lines of a symbol: of the whole declaration where the document's own provider knows it, else those given. */
export async function symbolPassage(path: string, name: string, given: Lines): Promise<Passage> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const at = new vscode.Position(given.first - 1, 0);
  const symbols = (await vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>('vscode.executeDocumentSymbolProvider', document.uri)) ?? [];
  const range = declarations(symbols).find((symbol) => symbol.name === name && symbol.range.start.line <= at.line && symbol.range.end.line >= given.last - 1)?.range;
  return range === undefined ? passage(document, given.first, given.last) : passage(document, range.start.line + 1, range.end.line + 1);
}

function declarations(symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]): vscode.DocumentSymbol[] {
  return symbols.flatMap((symbol) => ('children' in symbol ? [symbol, ...declarations(symbol.children)] : []));
}
