import { type LinkTarget, linkTarget } from './linkTarget.ts';

const MAX_CHARS = 300;
// What a name of a file may hold without being taken for code: no blanks, quotes, brackets or operators.
const NAME = /^[^\s"'`<>|*?;{}$=,!^&+]+$/u;
// An ending with a letter in it: 1.2/3.4 is no file.
const ENDING = /\.(?=[\d_]*\p{L})[\p{L}\d_]{1,12}$/u;
// Without a folder before it a.b may as well be code, so only these are files.
const SOURCES = new Set('astro bash bat cfg cjs clj conf cpp cs css csv cts dart ejs erl ex exs fs go gradle graphql groovy h hbs hpp hs htm html ini ipynb java jl js json json5 jsonc jsx kt kts less lock lua md mdx mjs mm mts php pl prisma proto ps1 py pyi rb rs rst sass scala scss sh sol sql svelte svg swift tex tf toml ts tsx txt vue xml yaml yml zig zsh'.split(' '));
const NAMED = /^(?:Makefile|Dockerfile|Justfile|Gemfile|Rakefile|Procfile|LICENSE|README|\.[a-z][\w-]*(?:rc|ignore|config|attributes)|\.env(?:\.\w+)?)$/;

/** The file that a piece of inline code names, perhaps with a line; null for anything that may be code. Whether it exists the editor knows. */
export function pathInCode(text: string): Extract<LinkTarget, { kind: 'file' }> | null {
  if (text.length > MAX_CHARS || !NAME.test(text)) return null;
  // A percent sign stands for itself here.
  const target = linkTarget(text.replaceAll('%', '%25'));
  return target.kind === 'file' && isFile(target.path, target.place.line !== undefined) ? target : null;
}

function isFile(path: string, hasLine: boolean): boolean {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  if (NAMED.test(name)) return true;
  const ending = ENDING.exec(name)?.[0].slice(1) ?? '';
  if (ending === '' || name.length === ending.length + 1) return false;
  return hasLine || name !== path || SOURCES.has(ending);
}
