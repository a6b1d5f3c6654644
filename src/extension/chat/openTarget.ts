import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import { isMissing, resolveInside } from '../../execution/containment.ts';
import { AttacheError } from '../../protocol/errors.ts';

/** Counted from 1. */
export interface FilePlace {
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly endLine?: number | undefined;
}

const WEB = /^(https?|mailto):/i;
/** Of files of the same name no more are offered. */
const MOST_FOUND = 50;

/**
 * Shows a file of the session's folder, or of another one of this window; a folder is shown in the explorer. A name that leads out of them is refused, since the
 * text it stood in is not ours. What is not where it was said to be is looked for by its name.
 */
export async function openFile(path: string, workspace: string, place: FilePlace = {}): Promise<void> {
  const real = await placeInside(path, workspace);
  const kind = await kindOf(real);
  if (kind === 'folder') return void await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(real));
  const uri = kind === 'file' ? vscode.Uri.file(real) : await findByName(path, workspace);
  // A link on the way may lead out.
  if (uri !== undefined) await show(vscode.Uri.file(kind === 'file' ? real : await resolveInside(workspace, uri.fsPath)), place);
}

async function placeInside(path: string, workspace: string): Promise<string> {
  try {
    return await resolveInside(workspace, resolve(workspace, path));
  } catch (error) {
    for (const { uri } of isAbsolute(path) ? vscode.workspace.workspaceFolders ?? [] : []) {
      const real = await resolveInside(uri.fsPath, path).catch(() => null);
      if (real !== null) return real;
    }
    throw error;
  }
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (isMissing(error)) return 'none';
    throw error;
  }
}

/** Agents often name a file without its folder. Where several have the name a person chooses; undefined when they do not. */
async function findByName(path: string, workspace: string): Promise<vscode.Uri | undefined> {
  const found = isAbsolute(path) || /[*?{}[\]]/.test(path) ? [] : await vscode.workspace.findFiles(new vscode.RelativePattern(vscode.Uri.file(workspace), `**/${path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')}`), undefined, MOST_FOUND);
  const [first] = found;
  if (first === undefined) throw new AttacheError('not_found', { message: vscode.l10n.t('There is no file {0} in the session’s folder.', path), next: vscode.l10n.t('It may have been renamed or removed, or the agent has not made it.') });
  if (found.length === 1) return first;
  const choices = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri })).sort((a, b) => a.label.length - b.label.length || a.label.localeCompare(b.label));
  return (await vscode.window.showQuickPick(choices, { placeHolder: vscode.l10n.t('Which {0}?', path) }))?.uri;
}

/** What is no text, such as a picture, opens in the editor that VS Code has for it. */
async function show(uri: vscode.Uri, place: FilePlace): Promise<void> {
  const options: vscode.TextDocumentShowOptions = { preview: true, ...(place.line === undefined ? {} : { selection: rangeOf(place) }) };
  const document = await vscode.workspace.openTextDocument(uri).then((text) => text, () => null);
  if (document === null) await vscode.commands.executeCommand('vscode.open', uri, options);
  else await vscode.window.showTextDocument(document, options);
}

/** From the beginning, or the given column, of the first line to the end of the last; of one line only its place. Numbers beyond the text are cut by the editor. */
function rangeOf({ line = 1, column = 1, endLine }: FilePlace): vscode.Range {
  const start = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
  return new vscode.Range(start, endLine === undefined || endLine <= line ? start : new vscode.Position(endLine, 0));
}

/** Opens a web or mail address outside, where VS Code asks about those it does not know; nothing else, whatever a page says. */
export async function openLink(href: string): Promise<void> {
  if (!WEB.test(href)) throw new AttacheError('permission_denied', { message: vscode.l10n.t('The link {0} is not opened.', href), next: vscode.l10n.t('Copy it, if you trust it.') });
  await vscode.env.openExternal(vscode.Uri.parse(href, true));
}
