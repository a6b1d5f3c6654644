import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { firstPart } from './markdown.ts';

export type SearchMatch = { readonly path: string; readonly line: number; readonly text: string };
export type SearchResult = {
  readonly matches: readonly SearchMatch[];
  /** Number of files with at least one match. */
  readonly files: number;
  /** A limit was reached: there may be more. */
  readonly truncated: boolean;
};

export const searchLimits = { matches: 200, files: 20_000, fileBytes: 1024 * 1024, lineLength: 200 };

const skippedFolders = new Set(['.git', '.hg', '.svn', 'node_modules']);

/**
 * Looks for a literal text, upper and lower case alike, in the saved files below a folder. Bounded in
 * files, bytes and matches; links are not followed; ends early when the signal aborts.
 */
export async function searchFolder(root: string, text: string, signal: AbortSignal): Promise<SearchResult> {
  const needle = text.toLowerCase();
  const matches: SearchMatch[] = [];
  let visited = 0;
  let files = 0;
  for await (const path of walk(root, '')) {
    if (signal.aborted) break;
    if (visited >= searchLimits.files || matches.length >= searchLimits.matches) return { matches, files, truncated: true };
    visited += 1;
    const found = matchesIn(await readSmallText(join(root, path)), needle, path);
    if (found.length > 0) files += 1;
    matches.push(...found.slice(0, searchLimits.matches - matches.length));
  }
  return { matches, files, truncated: matches.length >= searchLimits.matches };
}

async function* walk(root: string, folder: string): AsyncGenerator<string> {
  // A folder that cannot be read is passed over: one locked folder must not end the search.
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) yield path;
    if (entry.isDirectory() && !skippedFolders.has(entry.name)) yield* walk(root, path);
  }
}

async function readSmallText(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > searchLimits.fileBytes) return '';
    const bytes = await readFile(path);
    return bytes.subarray(0, 8_192).includes(0) ? '' : bytes.toString('utf8');
  } catch {
    return '';
  }
}

function matchesIn(content: string, needle: string, path: string): SearchMatch[] {
  if (!content.toLowerCase().includes(needle)) return [];
  return content.split(/\r?\n/).flatMap((text, index) => {
    if (!text.toLowerCase().includes(needle)) return [];
    return [{ path, line: index + 1, text: firstPart(text.trim(), searchLimits.lineLength) }];
  });
}
