import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dirent } from 'node:fs';
import { fence, inlineCode, plural } from './markdown.ts';
import { isMissing, Problem } from './problem.ts';
import { searchLimits, searchFolder, type SearchMatch, type SearchResult } from './searchFolder.ts';
import { displayPath, resolveInside } from './sessionPath.ts';
import { textContent } from './toolCard.ts';
import type { Turn } from './turn.ts';

const maxListed = 500;
const maxShownMatches = 50;

export async function lsCommand(turn: Turn, command: { readonly folder: string }): Promise<void> {
  const path = await resolveInside(turn.cwd, command.folder);
  const shown = displayPath(turn.cwd, path);
  const card = await turn.startTool({
    kind: 'read',
    title: `List ${shown}`,
    status: 'in_progress',
    locations: [{ path }],
  });
  let names: string[];
  try {
    names = await listFolder(path, shown);
  } catch (error) {
    if (error instanceof Problem) await card.fail(error.message);
    throw error;
  }
  await card.complete({ content: [textContent(plural(names.length, 'entry', 'entries'))] });
  if (names.length === 0) return turn.say(`\`${shown}\` is empty.`);
  const listed = names.slice(0, maxListed);
  const more = names.length > maxListed ? `\n\nOnly the first ${String(maxListed)} of ${String(names.length)} are shown.` : '';
  await turn.say(`\`${shown}\`:`, `\n\n${fence(listed.join('\n'))}${more}`);
}

async function listFolder(path: string, shown: string): Promise<string[]> {
  try {
    const info = await lstat(path);
    if (info.isFile()) throw new Problem(`\`${shown}\` is a file.`, `Show it with \`/read ${shown}\`.`);
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort(foldersFirst).map(label);
  } catch (error) {
    if (isMissing(error)) throw new Problem(`There is no folder \`${shown}\`.`, 'List its parent with `/ls`.');
    throw error;
  }
}

function foldersFirst(a: Dirent, b: Dirent): number {
  if (a.isDirectory() !== b.isDirectory()) return a.isDirectory() ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

function label(entry: Dirent): string {
  if (entry.isDirectory()) return `${entry.name}/`;
  return entry.isSymbolicLink() ? `${entry.name} (link)` : entry.name;
}

export async function searchCommand(turn: Turn, command: { readonly text: string }): Promise<void> {
  const card = await turn.startTool({
    kind: 'search',
    title: `Search ${command.text}`,
    status: 'in_progress',
    rawInput: { text: command.text },
  });
  const result = await searchFolder(turn.cwd, command.text, turn.signal);
  turn.throwIfCancelled();
  const summary = summarize(result);
  await card.complete({
    content: [textContent(summary)],
    locations: result.matches.slice(0, maxShownMatches).map(({ path, line }) => ({ path: join(turn.cwd, path), line })),
  });
  const searched = `Saved files were searched; \`.git\`, \`node_modules\` and files over 1 MiB were left out.`;
  if (result.matches.length === 0) return turn.say(`${inlineCode(command.text)} was not found. ${searched}`);
  await turn.say(`${summary} for ${inlineCode(command.text)}:`, `\n\n${fence(matchLines(result.matches))}`, `\n\n${cutNote(result)}${searched}`);
}

function summarize({ matches, files }: SearchResult): string {
  return `${plural(matches.length, 'match', 'matches')} in ${plural(files, 'file')}`;
}

function matchLines(matches: readonly SearchMatch[]): string {
  return matches
    .slice(0, maxShownMatches)
    .map(({ path, line, text }) => `${path}:${String(line)}: ${text}`)
    .join('\n');
}

function cutNote({ matches, truncated }: SearchResult): string {
  const notes: string[] = [];
  if (matches.length > maxShownMatches) notes.push(`Only the first ${String(maxShownMatches)} are shown. `);
  if (truncated) notes.push(`The search stopped early (at ${String(searchLimits.matches)} matches or ${String(searchLimits.files)} files). `);
  return notes.join('');
}
