/** How files are looked for by a few letters of their names. */

const GLOB_SPECIAL = /[[\]{}*?!,\\]/;

/** One character, in either case; what a glob would read in its own way stands for any one character. */
function either(char: string): string {
  const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
  if (GLOB_SPECIAL.test(char)) return '?';
  return lower === upper || lower.length !== 1 || upper.length !== 1 ? char : `[${lower}${upper}]`;
}

const contiguous = (letters: string): string => [...letters].map(either).join('');
const scattered = (letters: string): string => [...letters].map(either).join('*');

const partsOf = (query: string): string[] => query.split('/').filter((part) => part !== '' && part !== '.');

/** A glob for files whose names contain the letters together; a `/` separates folders from the name. */
export function fileGlob(query: string): string {
  const parts = partsOf(query);
  if (parts.length === 0) return '**/*';
  const name = query.endsWith('/') ? '*' : `*${contiguous(parts.pop() ?? '')}*`;
  return `**/${parts.map((part) => `*${contiguous(part)}*/**/`).join('')}${name}`;
}

/** A glob for files whose names contain the letters in this order, others between them; null where that is the same. */
export function looseGlob(query: string): string | null {
  return /^[^/]{2,}$/.test(query) ? `**/*${scattered(query)}*` : null;
}

/** A glob for everything below folders whose names contain the letters. */
export function folderGlob(query: string): string | null {
  const parts = partsOf(query);
  return parts.length === 0 ? null : `**/${parts.map((part) => `*${contiguous(part)}*/**`).join('/')}`;
}

/** Folders on the way to these files (relative, with `/`) whose own name matches the last part of the query. */
export function foldersOf(files: readonly string[], query: string): string[] {
  const last = partsOf(query).at(-1)?.toLowerCase() ?? '';
  const found = new Set<string>();
  for (const file of files) {
    const steps = file.split('/').slice(0, -1);
    steps.forEach((step, at) => {
      if (step.toLowerCase().includes(last)) found.add(steps.slice(0, at + 1).join('/'));
    });
  }
  return [...found].filter((folder) => score(folder, query) > 0);
}

/** How well a path (relative, with `/`) fits; 0: not at all. The name counts before the folders, its beginning before its middle, short before long. */
export function score(path: string, query: string): number {
  const [text, letters] = [path.toLowerCase(), partsOf(query).join('/').toLowerCase()];
  const name = text.slice(text.lastIndexOf('/') + 1);
  const short = 1 / (1 + path.length);
  if (letters === '') return 1 + short;
  if (name === letters) return 6 + short;
  if (name.split('.')[0] === letters) return 5.5 + short;
  if (name.startsWith(letters)) return 5 + short;
  if (name.includes(letters)) return 4 + short;
  if (text.includes(letters)) return 3 + short;
  if (letters.includes('/')) return inOrder(text, letters.split('/')) ? 2 + short : 0;
  return inOrder(name, [...letters]) ? 1 + short : 0;
}

function inOrder(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** The paths that fit, the best first. */
export function ranked(paths: readonly string[], query: string, most: number): string[] {
  return paths.map((path) => ({ path, value: score(path, query) })).filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || (a.path < b.path ? -1 : 1)).slice(0, most).map(({ path }) => path);
}
