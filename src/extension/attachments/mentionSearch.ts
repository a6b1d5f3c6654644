import { basename, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { MentionEntry } from '../../protocol/panelAttachment.ts';
import { isWithin } from '../../execution/containment.ts';
import type { WindowFolder } from '../folders.ts';
import { pathFor, relativePath } from './describeAttachment.ts';
import { changedFiles, countProblems, openFiles } from './editorContext.ts';
import { fileGlob, folderGlob, foldersOf, looseGlob, ranked, score } from './fileQuery.ts';
import { selectedPassage } from './passages.ts';

/** Where is looked. */
export interface SearchPlace {
  /** The session's folder first. */
  readonly folders: readonly WindowFolder[];
  /** The session's folder. */
  readonly workspace: string;
  /** The text editor used last. */
  readonly editor: vscode.TextEditor | undefined;
}

export type Tell = (entries: readonly MentionEntry[], done: boolean) => void;

const MAX_FOUND = 400;
const MAX_FILES = 30;
const MAX_FOLDERS = 8;
const MAX_SYMBOLS = 12;
const SYMBOLS_AFTER_MS = 150;
/** So few hits are worth a second, looser look. */
const FEW = 8;

/** Tells what an `@` and some letters may mean, the quick answers first; nothing more once the token is cancelled. */
export async function searchMentions(place: SearchPlace, query: string, token: vscode.CancellationToken, tell: Tell): Promise<void> {
  const open = openFiles();
  const parts: { sources: MentionEntry[]; files: MentionEntry[]; symbols: MentionEntry[] } = { sources: matchingSources(place, query, open), files: openEntries(place, query, open), symbols: [] };
  const show = (done: boolean): void => {
    if (!token.isCancellationRequested) tell([...parts.sources, ...parts.files, ...parts.symbols, ...(query === '' ? [chooser()] : [])], done);
  };
  show(false);
  const files = findEntries(place, query, token).then((found) => { parts.files = merged(parts.files, found); show(false); });
  const symbols = query.length < 2 || query.includes('/') ? undefined : findSymbols(place, query, token).then((found) => { parts.symbols = found; show(false); });
  await Promise.all([files, symbols]);
  show(true);
}

/** Something else than files that may be added; `detail` is asked for what fits only, null: there is none of it now. */
type Source = Omit<MentionEntry, 'detail'> & { readonly detail: () => string | null };

function matchingSources(place: SearchPlace, query: string, open: readonly string[]): MentionEntry[] {
  const wanted = query.toLowerCase();
  const fits = ({ token, label }: Source): boolean => wanted === '' || token?.slice(1).startsWith(wanted) === true || label.toLowerCase().startsWith(wanted);
  return sources(place, open).filter(fits).flatMap((source) => {
    const detail = source.detail();
    return detail === null ? [] : [{ ...source, detail }];
  });
}

function sources({ editor, workspace }: SearchPlace, open: readonly string[]): Source[] {
  const { t } = vscode.l10n;
  const selection = (): string | null => {
    const selected = selectedPassage(editor);
    return selected === null ? null : `${selected.path === null ? selected.name : pathFor(selected.path, workspace)}:${selected.lines.first}-${selected.lines.last}`;
  };
  const problems = (): string | null => {
    const count = countProblems(workspace);
    return count === 0 ? null : String(count);
  };
  const changes = (): string | null => {
    const changed = changedFiles(workspace);
    if (changed === 0) return null;
    return changed === 1 ? t('1 file') : t('{0} files', changed);
  };
  return [
    { ref: { kind: 'selection' }, label: t('Selection'), detail: selection, icon: 'list-selection', token: '@selection' },
    { ref: { kind: 'openEditors' }, label: t('Open editors'), detail: () => (open.length < 2 ? null : t('{0} files', open.length)), icon: 'files', token: null },
    { ref: { kind: 'problems' }, label: t('Problems'), detail: problems, icon: 'warning', token: '@problems' },
    { ref: { kind: 'terminal' }, label: t('Terminal selection'), detail: () => vscode.window.activeTerminal?.name ?? null, icon: 'terminal', token: '@terminal' },
    { ref: { kind: 'changes' }, label: t('Git changes'), detail: changes, icon: 'git-compare', token: '@changes' },
  ];
}

/** For files that lie elsewhere. */
const chooser = (): MentionEntry => ({ ref: { kind: 'choose' }, label: vscode.l10n.t('Choose files…'), detail: '', icon: 'folder-opened', token: null });

/** Files that are open fit first. */
function openEntries(place: SearchPlace, query: string, open: readonly string[]): MentionEntry[] {
  return open.filter((path) => score(labelOf(place, path), query) > 0).slice(0, FEW).map((path) => fileEntry(place, path));
}

async function findEntries(place: SearchPlace, query: string, token: vscode.CancellationToken): Promise<MentionEntry[]> {
  const found = await Promise.all(place.folders.map((folder) => findIn(place, folder, query, token)));
  return found.flat();
}

async function findIn(place: SearchPlace, folder: WindowFolder, query: string, token: vscode.CancellationToken): Promise<MentionEntry[]> {
  const exclude = excluded(folder.uri);
  const find = async (glob: string | null): Promise<string[]> => {
    if (glob === null || token.isCancellationRequested) return [];
    const uris = await vscode.workspace.findFiles(new vscode.RelativePattern(folder.uri, glob), exclude, MAX_FOUND, token);
    return uris.map(({ fsPath }) => relativePath(folder.uri.fsPath, fsPath));
  };
  const [named, below] = await Promise.all([find(query === '' ? '*' : fileGlob(query)), find(query === '' ? '*/*' : folderGlob(query))]);
  const loose = named.length < FEW ? await find(looseGlob(query)) : [];
  const files = ranked([...new Set([...named, ...loose])], query, MAX_FILES);
  const folders = ranked(foldersOf(query === '' ? below : [...named, ...below], query), query, MAX_FOLDERS);
  const absolute = (path: string): string => [folder.path, ...path.split('/')].join(sep);
  return [
    ...folders.map((path) => ({ entry: folderEntry(place, absolute(path)), value: score(path, query) })),
    ...files.map((path) => ({ entry: fileEntry(place, absolute(path)), value: score(path, query) })),
  ].sort((a, b) => b.value - a.value).map(({ entry }) => entry);
}

/** What searches leave out, besides `files.exclude`, which the editor always does. */
function excluded(scope: vscode.Uri): string | undefined {
  const given = vscode.workspace.getConfiguration('search', scope).get<Readonly<Record<string, unknown>>>('exclude', {});
  const globs = Object.entries(given).filter(([, on]) => on === true).map(([glob]) => glob);
  return globs.length === 0 ? undefined : `{${globs.join(',')}}`;
}

async function findSymbols({ folders, workspace }: SearchPlace, query: string, token: vscode.CancellationToken): Promise<MentionEntry[]> {
  // A language server cannot be told to stop, so it is asked only by who pauses.
  await setTimeout(SYMBOLS_AFTER_MS);
  if (token.isCancellationRequested) return [];
  const found = (await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>('vscode.executeWorkspaceSymbolProvider', query)) ?? [];
  return found.filter(({ location: { uri } }) => uri.scheme === 'file' && folders.some((folder) => isWithin(folder.uri.fsPath, uri.fsPath))).slice(0, MAX_SYMBOLS).map(({ name, location: { uri, range } }) => {
    const path = canonical(folders, uri.fsPath);
    return {
      ref: { kind: 'symbol', path, name: name.slice(0, 500), first: range.start.line + 1, last: range.end.line + 1 },
      label: name, detail: `${pathFor(path, workspace)}:${range.start.line + 1}`, icon: 'symbol-method', token: `@${name.replaceAll(/\s/g, '')}`,
    };
  });
}

/** The path as the gateway and agents know it, where the editor has its root folder under another name. */
export function canonical(folders: readonly WindowFolder[], path: string): string {
  const folder = folders.find(({ uri }) => isWithin(uri.fsPath, path));
  return folder === undefined ? path : `${folder.path}${path.slice(folder.uri.fsPath.length)}`;
}

const labelOf = ({ folders, workspace }: SearchPlace, path: string): string => pathFor(canonical(folders, path), workspace);

function fileEntry(place: SearchPlace, given: string): MentionEntry {
  const path = canonical(place.folders, given);
  const label = labelOf(place, path);
  return { ref: { kind: 'file', path }, label: basename(path), detail: parentOf(label), icon: 'file', token: `@${label}` };
}

function folderEntry(place: SearchPlace, path: string): MentionEntry {
  const label = `${labelOf(place, path)}/`;
  return { ref: { kind: 'folder', path }, label: `${basename(path)}/`, detail: parentOf(label.slice(0, -1)), icon: 'folder', token: `@${label}` };
}

const parentOf = (label: string): string => label.slice(0, Math.max(0, label.lastIndexOf('/')));

function merged(first: readonly MentionEntry[], more: readonly MentionEntry[]): MentionEntry[] {
  const known = new Set(first.map(({ token }) => token));
  return [...first, ...more.filter(({ token }) => !known.has(token))];
}
