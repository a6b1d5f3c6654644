import { parseArgs } from 'node:util';
import { GLOBAL_OPTIONS, type Command, type Given, type OptionSpecs } from './command.ts';
import { CliFailure } from './failure.ts';

export interface Parsed {
  /** Null: none was named. */
  readonly command: Command | null;
  readonly given: Given;
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** Finds the command and its arguments. Throws usage failures with a sentence about what is wrong. */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Parsed {
  const found = commandIn(argv, commands);
  const values = valuesOf(argv, { ...GLOBAL_OPTIONS, ...(found?.command.options ?? {}) }, found?.command.name);
  const positionals = values.positionals.slice(found?.words ?? 0);
  const given: Given = {
    positionals,
    flag: (name) => values.values[name] === true,
    text: (name) => {
      const value = values.values[name];
      return typeof value === 'string' ? value : undefined;
    },
  };
  if (found === null && positionals.length > 0) throw unknownCommand(positionals, commands);
  return { command: found?.command ?? null, given };
}

function commandIn(argv: readonly string[], commands: readonly Command[]): { command: Command; words: number } | null {
  const words = leadingWords(argv);
  const byLength = [...commands].sort((a, b) => b.name.length - a.name.length);
  const command = byLength.find(({ name }) => name.split(' ').every((word, at) => words[at] === word));
  return command === undefined ? null : { command, words: command.name.split(' ').length };
}

/** What is no option and no option's value, read before it is known which command's options are meant. */
function leadingWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return [...words, ...argv.slice(at + 1)];
    if (!word.startsWith('-') || word === '-') words.push(word);
    else if (words.length === 0 && takesValue(word)) at += 1;
  }
  return words;
}

const takesValue = (word: string): boolean => Object.entries<OptionSpecs[string]>(GLOBAL_OPTIONS).some(([name, { type, short }]) => type === 'string' && (word === `--${name}` || word === `-${short}`));

function valuesOf(argv: readonly string[], specs: OptionSpecs, name: string | undefined): { positionals: string[]; values: Values } {
  const options = Object.fromEntries(Object.entries(specs).map(([key, { type, short }]) => [key, short === undefined ? { type } : { type, short }]));
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const sentence = (error instanceof Error ? error.message : String(error)).split('. ')[0] ?? '';
    throw new CliFailure('usage', { message: `${sentence.replace(/\.$/, '')}.`, next: `Run “attache ${name === undefined ? '' : `${name} `}--help”.` });
  }
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): CliFailure {
  const below = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => `“${name}”`);
  const message = below.length > 0 ? `“${words[0]}” needs one of its own commands: ${below.join(', ')}.` : `There is no command “${words[0]}”.`;
  return new CliFailure('usage', { message });
}

/** Checks the number of positional arguments against the usage, and names what is missing or too much. */
export function checkPositionals({ name, usage }: Command, positionals: readonly string[]): void {
  const parts = usage.split(' ').filter((part) => /^[<[]/.test(part));
  const needed = parts.filter((part) => part.startsWith('<'));
  const next = `Usage: attache ${name} ${usage}`;
  if (positionals.length < needed.length) throw new CliFailure('usage', { message: `${needed[positionals.length] ?? ''} is missing.`, next });
  if (positionals.length > parts.length && !usage.includes('…')) throw new CliFailure('usage', { message: `“${positionals[parts.length] ?? ''}” is one argument too many.`, next });
}
