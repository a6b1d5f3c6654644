/** What a person typed, read as one of the offline agent's commands. */
export type SlashCommand =
  | { readonly name: 'help' }
  | { readonly name: 'ls'; readonly folder: string }
  | { readonly name: 'read'; readonly file: string }
  | { readonly name: 'search'; readonly text: string }
  | { readonly name: 'edit'; readonly file: string; readonly splits: readonly EditSplit[] }
  | { readonly name: 'write'; readonly file: string; readonly text: string }
  | { readonly name: 'run'; readonly command: string }
  | { readonly name: 'plan' }
  | { readonly name: 'think'; readonly about: string }
  | { readonly name: 'slow'; readonly lines: number }
  /** `file` empty: one that it draws itself. */
  | { readonly name: 'picture'; readonly file: string }
  | { readonly name: 'incomplete'; readonly usage: string; readonly missing: string }
  | { readonly name: 'unknown'; readonly word: string }
  | { readonly name: 'plainText'; readonly text: string };

/** One way to cut `find => replace` in two; code may itself contain `=>`, so there can be several. */
export type EditSplit = { readonly find: string; readonly replace: string };

export type CommandDescription = {
  readonly name: string;
  readonly hint: string;
  readonly description: string;
};

export const maxSlowLines = 2_000;

export const commandDescriptions: readonly CommandDescription[] = [
  { name: 'help', hint: '', description: 'Show what the offline agent can do' },
  { name: 'ls', hint: '[folder]', description: 'List a folder' },
  { name: 'read', hint: '<file>', description: 'Show a file' },
  { name: 'search', hint: '<text>', description: 'Find a text in the files of this folder' },
  { name: 'edit', hint: '<file> <find> => <replace>', description: 'Replace one passage of a file, after you agree' },
  { name: 'write', hint: '<file> <text>', description: 'Write a whole file, after you agree' },
  { name: 'run', hint: '<command>', description: 'Run a command, after you agree' },
  { name: 'plan', hint: '', description: 'Show how a plan looks while it is worked through' },
  { name: 'think', hint: '[about]', description: 'Show how a thought looks before a reply' },
  { name: 'slow', hint: '<n>', description: 'Stream n lines slowly; Stop ends it' },
  { name: 'picture', hint: '[file]', description: 'Show a picture of this folder, or one drawn for you' },
];

type Parser = (rest: string) => SlashCommand;

const parsers: Readonly<Record<string, Parser>> = {
  help: () => ({ name: 'help' }),
  ls: (rest) => ({ name: 'ls', folder: splitFirst(rest).first || '.' }),
  read: (rest) => (rest === '' ? incomplete('read', 'a file') : { name: 'read', file: unquote(rest) }),
  search: (rest) => (rest === '' ? incomplete('search', 'a text to look for') : { name: 'search', text: rest }),
  edit: parseEdit,
  write: parseWrite,
  run: (rest) => (rest === '' ? incomplete('run', 'a command') : { name: 'run', command: rest }),
  plan: () => ({ name: 'plan' }),
  think: (rest) => ({ name: 'think', about: rest }),
  slow: parseSlow,
  picture: (rest) => ({ name: 'picture', file: unquote(rest) }),
};

/** Never throws: what cannot be understood is `incomplete`, `unknown` or `plainText`. */
export function parseSlashCommand(input: string): SlashCommand {
  const text = input.trim();
  const match = /^\/([A-Za-z][\w-]*)(?=\s|$)/.exec(text);
  const word = match?.[1];
  if (word === undefined) return { name: 'plainText', text };
  const parser = Object.hasOwn(parsers, word.toLowerCase()) ? parsers[word.toLowerCase()] : undefined;
  if (parser === undefined) return { name: 'unknown', word };
  return parser(text.slice(word.length + 1).trim());
}

export function usageOf(name: string): string {
  const found = commandDescriptions.find((command) => command.name === name);
  return found === undefined || found.hint === '' ? `/${name}` : `/${name} ${found.hint}`;
}

function incomplete(name: string, missing: string): SlashCommand {
  return { name: 'incomplete', usage: usageOf(name), missing };
}

function parseEdit(rest: string): SlashCommand {
  const { first: file, rest: change } = splitFirst(rest);
  if (file === '') return incomplete('edit', 'a file');
  const splits = editSplits(change);
  if (splits.length === 0) return incomplete('edit', 'the change, written as `find => replace`');
  return { name: 'edit', file, splits };
}

function editSplits(change: string): EditSplit[] {
  const splits: EditSplit[] = [];
  for (const match of change.matchAll(/(?<=\s)=>(?=\s|$)/g)) {
    const find = change.slice(0, match.index).replace(/\s$/, '');
    const replace = change.slice(match.index + 2).replace(/^\s/, '');
    if (find !== '') splits.push({ find: unescapeNewlines(find), replace: unescapeNewlines(replace) });
  }
  return splits;
}

function parseWrite(rest: string): SlashCommand {
  const { first: file, rest: text } = splitFirst(rest);
  if (file === '') return incomplete('write', 'a file');
  if (text === '') return incomplete('write', 'the text to write');
  return { name: 'write', file, text: unescapeNewlines(text) };
}

function parseSlow(rest: string): SlashCommand {
  if (!/^\d+$/.test(rest)) return incomplete('slow', 'a number of lines');
  const lines = Number(rest);
  if (lines < 1 || lines > maxSlowLines) return incomplete('slow', `a number from 1 to ${String(maxSlowLines)}`);
  return { name: 'slow', lines };
}

/** The first word, or the first quoted passage for names with spaces. */
function splitFirst(text: string): { first: string; rest: string } {
  const match = /^(?:"([^"]+)"|(\S+))(?:\s|$)/.exec(text);
  if (match === null) return { first: '', rest: text };
  return { first: match[1] ?? match[2] ?? '', rest: text.slice(match[0].length) };
}

function unquote(text: string): string {
  return /^"([^"]+)"$/.exec(text)?.[1] ?? text;
}

function unescapeNewlines(text: string): string {
  return text.replace(/\\(\\|n)/g, (_whole, char: string) => (char === 'n' ? '\n' : '\\'));
}
