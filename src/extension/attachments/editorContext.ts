import * as vscode from 'vscode';
import { isWithin } from '../../execution/containment.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { relativePath } from './describeAttachment.ts';
import { MAX_INCLUDED } from './draftAttachment.ts';

const MAX_PROBLEMS = 200;
const SEVERITY = ['error', 'warning', 'information', 'hint'] as const;

/** Files that are open in tabs, each once, in the order of the tabs. */
export function openFiles(): string[] {
  const uris = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input))
    .flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : input instanceof vscode.TabInputTextDiff ? [input.modified] : []));
  return [...new Set(uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath))];
}

/** Errors and warnings of the files in a folder, one a line: the list is what the agent gets. */
export function problemsIn(folder: string): string[] {
  const rows = diagnosticsIn(folder).flatMap(({ uri, diagnostics }) => {
    const path = relativePath(folder, uri.fsPath);
    return diagnostics.map((diagnostic) => ({ severity: diagnostic.severity, row: problemRow(path, diagnostic) }));
  });
  return rows.sort((a, b) => a.severity - b.severity).map(({ row }) => row);
}

export const countProblems = (folder: string): number => diagnosticsIn(folder).reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);

function diagnosticsIn(folder: string): { readonly uri: vscode.Uri; readonly diagnostics: readonly vscode.Diagnostic[] }[] {
  return vscode.languages.getDiagnostics().filter(([uri]) => uri.scheme === 'file' && isWithin(folder, uri.fsPath))
    .map(([uri, all]) => ({ uri, diagnostics: all.filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning) }));
}

export const problemsText = (rows: readonly string[]): string =>
  [...rows.slice(0, MAX_PROBLEMS), ...(rows.length > MAX_PROBLEMS ? [`… and ${rows.length - MAX_PROBLEMS} more`] : []), ''].join('\n');

function problemRow(path: string, { range, severity, message, source, code }: vscode.Diagnostic): string {
  const value = typeof code === 'object' ? code.value : code;
  const from = [source, value].filter((part) => part !== undefined && part !== '').join(' ');
  return `${path}:${range.start.line + 1}:${range.start.character + 1} ${SEVERITY[severity]}: ${message.replaceAll('\n', ' ')}${from === '' ? '' : ` (${from})`}`;
}

/** What is selected in the terminal in front. The editor tells it only by way of the clipboard, whose text is put back. */
export async function terminalSelection(): Promise<string> {
  const nothing = (): AttacheError => new AttacheError('not_found', { message: vscode.l10n.t('Nothing is selected in the terminal.'), next: vscode.l10n.t('Select the text in the terminal first.') });
  if (vscode.window.activeTerminal === undefined) throw nothing();
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    await clipboard.writeText('');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const text = await clipboard.readText();
    if (text.trim() === '') throw nothing();
    return text.endsWith('\n') ? text : `${text}\n`;
  } finally {
    await clipboard.writeText(before);
  }
}

/** The part of the built-in Git extension's API that is used here. */
interface GitApi {
  getRepository(uri: vscode.Uri): GitRepository | null;
}
interface GitRepository {
  readonly state: { readonly workingTreeChanges: readonly GitChange[]; readonly indexChanges: readonly GitChange[]; readonly untrackedChanges?: readonly GitChange[] };
  readonly rootUri: vscode.Uri;
  diff(cached?: boolean): Promise<string>;
}
interface GitChange {
  readonly uri: vscode.Uri;
  readonly status: number;
}
const UNTRACKED = 7;

function repositoryOf(folder: string): GitRepository | null {
  const git = vscode.extensions.getExtension<{ readonly enabled: boolean; getAPI(version: 1): GitApi }>('vscode.git');
  if (git?.isActive !== true || !git.exports.enabled) return null;
  return git.exports.getAPI(1).getRepository(vscode.Uri.file(folder));
}

/** How many files have uncommitted changes; 0 where the editor knows no repository. */
export function changedFiles(folder: string): number {
  const repository = repositoryOf(folder);
  if (repository === null) return 0;
  const { workingTreeChanges, indexChanges, untrackedChanges = [] } = repository.state;
  return new Set([...workingTreeChanges, ...indexChanges, ...untrackedChanges].map(({ uri }) => uri.toString())).size;
}

/** The uncommitted changes as a diff, staged ones first; of new files only the names. */
export async function uncommittedChanges(folder: string): Promise<string> {
  const repository = repositoryOf(folder);
  if (repository === null) throw new AttacheError('not_found', { message: vscode.l10n.t('The editor knows no Git repository here.'), next: vscode.l10n.t('Look at the Source Control view.') });
  const { workingTreeChanges, untrackedChanges = [] } = repository.state;
  const fresh = [...untrackedChanges, ...workingTreeChanges.filter(({ status }) => status === UNTRACKED)].map(({ uri }) => relativePath(repository.rootUri.fsPath, uri.fsPath));
  const parts = [await repository.diff(true), await repository.diff(false), [...new Set(fresh)].map((path) => `New file, not in Git yet: ${path}\n`).join('')];
  const text = parts.filter((part) => part !== '').join('\n');
  if (text.trim() === '') throw new AttacheError('not_found', { message: vscode.l10n.t('There are no uncommitted changes.'), next: vscode.l10n.t('Nothing was attached.') });
  return text.length <= MAX_INCLUDED ? text : `${text.slice(0, MAX_INCLUDED)}\n… ${text.length - MAX_INCLUDED} more characters were left out\n`;
}
