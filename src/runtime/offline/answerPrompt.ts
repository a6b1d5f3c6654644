import { stat } from 'node:fs/promises';
import { editCommand, readCommand, writeCommand } from './fileCommands.ts';
import { lsCommand, searchCommand } from './folderCommands.ts';
import { inlineCode } from './markdown.ts';
import { pictureCommand } from './pictureCommand.ts';
import type { PromptInput } from './promptInput.ts';
import { runCommand } from './runCommand.ts';
import { resolveInside } from './sessionPath.ts';
import { helpCommand, planCommand, plainTextCommand, slowCommand, thinkCommand } from './showCommands.ts';
import { commandDescriptions, parseSlashCommand, usageOf, type SlashCommand } from './slashCommand.ts';
import type { Turn } from './turn.ts';

type Handlers = {
  readonly [Name in SlashCommand['name']]: (
    turn: Turn,
    command: Extract<SlashCommand, { name: Name }>,
    attachments: readonly string[],
  ) => Promise<void>;
};

const handlers: Handlers = {
  help: helpCommand,
  ls: lsCommand,
  read: readCommand,
  search: searchCommand,
  edit: editCommand,
  write: writeCommand,
  run: runCommand,
  plan: planCommand,
  think: thinkCommand,
  slow: slowCommand,
  picture: pictureCommand,
  incomplete: async (turn, { usage, missing }) => {
    await turn.say(`This command needs ${missing}. Write it as ${inlineCode(usage)}.`);
  },
  unknown: async (turn, { word }) => {
    await turn.say(`I do not know \`/${word}\`.${nearest(word)} \`/help\` shows all commands.`);
  },
  plainText: async (turn, { text }, attachments) => {
    await plainTextCommand(turn, text, attachments, await fileHint(turn, text));
  },
};

/** Runs the command to its end; failures a person can act on come out as `Problem`. */
export async function answerPrompt(turn: Turn, input: PromptInput): Promise<void> {
  const command = parseSlashCommand(input.text);
  await handle(turn, command.name, command, input.attachments);
}

function handle<Name extends SlashCommand['name']>(
  turn: Turn,
  name: Name,
  command: SlashCommand,
  attachments: readonly string[],
): Promise<void> {
  return handlers[name](turn, command as Extract<SlashCommand, { name: Name }>, attachments);
}

function nearest(word: string): string {
  const lower = word.toLowerCase();
  const found = commandDescriptions.find(({ name }) => name.startsWith(lower) || lower.startsWith(name) || name[0] === lower[0]);
  return found === undefined ? '' : ` Did you mean ${inlineCode(usageOf(found.name))}?`;
}

/** When the words name a file that exists, say which command would show it. */
async function fileHint(turn: Turn, text: string): Promise<string | null> {
  const words = text.split(/\s+/).map((word) => word.replace(/^["'`(]+|["'`),:;?!]+$/g, ''));
  for (const word of words.filter((candidate) => /[./]/.test(candidate)).slice(0, 10)) {
    const found = await isFileInside(turn.cwd, word);
    if (found) return `You named a file that exists: ${inlineCode(`/read ${word}`)} shows it.`;
  }
  return null;
}

async function isFileInside(cwd: string, word: string): Promise<boolean> {
  try {
    return (await stat(await resolveInside(cwd, word))).isFile();
  } catch {
    return false;
  }
}
