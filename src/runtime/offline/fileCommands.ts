import type { EditSplit, SlashCommand } from './slashCommand.ts';
import { askConsent } from './consent.ts';
import { readExisting, readsThroughClient, readText, requireWriting, writeThroughClient } from './files.ts';
import { fence, firstPart, plural } from './markdown.ts';
import { messageOf, Problem } from './problem.ts';
import { displayPath, resolveInside } from './sessionPath.ts';
import { textContent, type ToolCard } from './toolCard.ts';
import type { Turn } from './turn.ts';

type Of<Name extends SlashCommand['name']> = Extract<SlashCommand, { name: Name }>;

const shownLines = 200;
const shownCharacters = 16_000;

type Change = { readonly path: string; readonly oldText: string | null; readonly newText: string; readonly line?: number };

export async function readCommand(turn: Turn, command: Of<'read'>): Promise<void> {
  const path = await resolveInside(turn.cwd, command.file);
  const shown = displayPath(turn.cwd, path);
  const card = await turn.startTool({
    kind: 'read',
    title: `Read ${shown}`,
    status: 'in_progress',
    locations: [{ path }],
  });
  const text = await failing(card, () => readExisting(turn, path));
  const lines = text === '' ? 0 : text.replace(/\r?\n$/, '').split(/\r?\n/).length;
  await card.complete({ content: [textContent(`${plural(lines, 'line')}, ${plural(text.length, 'character')}`)] });
  const source = readsThroughClient(turn) ? '' : ' (from the disk: this editor does not show me unsaved edits)';
  await turn.say(`\`${shown}\`, ${plural(lines, 'line')}${source}.`, excerpt(text, lines));
}

export async function editCommand(turn: Turn, command: Of<'edit'>): Promise<void> {
  requireWriting(turn);
  const path = await resolveInside(turn.cwd, command.file);
  const title = `Edit ${displayPath(turn.cwd, path)}`;
  const change = await failedCard(turn, title, path, async () => {
    const oldText = await readExisting(turn, path);
    return { path, oldText, ...replaceOnce(oldText, command.splits) };
  });
  await applyChange(turn, change, title);
}

export async function writeCommand(turn: Turn, command: Of<'write'>): Promise<void> {
  requireWriting(turn);
  const path = await resolveInside(turn.cwd, command.file);
  const title = `Write ${displayPath(turn.cwd, path)}`;
  const oldText = await failedCard(turn, title, path, () => readText(turn, path));
  const newText = oldText !== null && mostlyCrlf(oldText) ? toCrlf(command.text) : command.text;
  if (oldText === newText) {
    await turn.say(`\`${displayPath(turn.cwd, path)}\` already has exactly this text; nothing to do.`);
    return;
  }
  await applyChange(turn, { path, oldText, newText }, title);
}

async function applyChange(turn: Turn, change: Change, title: string): Promise<void> {
  const { path, oldText, newText } = change;
  const card = await turn.startTool({
    kind: 'edit',
    title,
    status: 'pending',
    locations: [change.line === undefined ? { path } : { path, line: change.line }],
    content: [{ type: 'diff', path, oldText, newText }],
    rawInput: { path },
  });
  const partly = await failing(card, async () => {
    await askConsent(turn, card, 'The file was not changed. Send another command if you want a different change.');
    await card.progress();
    return writeThroughClient(turn, path, newText);
  });
  await card.complete();
  if (partly !== null) return turn.say(partly);
  await turn.say(`${oldText === null ? 'Created' : 'Changed'} \`${displayPath(turn.cwd, path)}\`.`);
}

/** Of the possible readings of `find => replace` the one with the longest text that is there counts; it must be there once. */
function replaceOnce(text: string, splits: readonly EditSplit[]): { newText: string; line: number } {
  const present = splits.map((split) => adaptLineEnds(text, split)).filter(({ find }) => text.includes(find));
  const hit = present.toSorted((a, b) => a.find.length - b.find.length).at(-1);
  if (hit === undefined) {
    throw new Problem('The text to find is not in the file.', 'Look at the file with `/read`; upper and lower case and spaces count.');
  }
  const { find, replace } = hit;
  const times = occurrences(text, find);
  if (times > 1) {
    throw new Problem(`The text to find is in the file ${String(times)} times.`, 'Give more of the text around the place, so that it is found once.');
  }
  const at = text.indexOf(find);
  const newText = text.slice(0, at) + replace + text.slice(at + find.length);
  if (newText === text) throw new Problem('Find and replace are the same text.', 'Write another text behind `=>`.');
  return { newText, line: text.slice(0, at).split('\n').length };
}

/** A place with CRLF line ends keeps them: what was typed has LF only. */
function adaptLineEnds(text: string, split: EditSplit): EditSplit {
  const literal = occurrences(text, split.find) > 0;
  const find = literal ? split.find : toCrlf(split.find);
  const crlf = literal ? mostlyCrlf(text) : occurrences(text, find) > 0;
  return { find, replace: crlf ? toCrlf(split.replace) : split.replace };
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function mostlyCrlf(text: string): boolean {
  return occurrences(text, '\r\n') * 2 > occurrences(text, '\n');
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

function excerpt(text: string, lines: number): string {
  if (text === '') return ' It is empty.';
  const cut = firstPart(text.split('\n').slice(0, shownLines).join('\n'), shownCharacters);
  const more = cut.length < text.replace(/\n$/, '').length ? `\n\nOnly the first part is shown (${plural(lines, 'line')} in all).` : '';
  return `\n\n${fence(cut)}${more}`;
}

/** A failure inside ends the card with the same words that the reply uses. */
export async function failing<T>(card: ToolCard, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) await card.fail(messageOf(error));
    throw error;
  }
}

/** For what fails before there is a diff to show: the card exists only to say so. */
async function failedCard<T>(turn: Turn, title: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const card = await turn.startTool({ kind: 'edit', title, status: 'in_progress', locations: [{ path }] });
    await card.fail(error.message);
    throw error;
  }
}
