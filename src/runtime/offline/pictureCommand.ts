import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { type Colour, drawPng } from './drawPng.ts';
import { failing } from './fileCommands.ts';
import { inlineCode, plural } from './markdown.ts';
import { isMissing, Problem } from './problem.ts';
import { displayPath, resolveInside } from './sessionPath.ts';
import { textContent } from './toolCard.ts';
import type { Turn } from './turn.ts';

type Picture = Extract<ContentBlock, { type: 'image' }>;

const maxBytes = 5 * 1024 * 1024;
const kinds: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.gif': 'image/gif', '.webp': 'image/webp' };

/** Shows a picture of the folder in a tool call, as an agent that looks at one does; without a name it draws one into its message. */
export async function pictureCommand(turn: Turn, { file }: { readonly file: string }): Promise<void> {
  if (file === '') return drawn(turn);
  const path = await resolveInside(turn.cwd, file);
  const shown = displayPath(turn.cwd, path);
  const card = await turn.startTool({ kind: 'read', title: `Look at ${shown}`, status: 'in_progress', locations: [{ path }] });
  const picture = await failing(card, () => read(path, shown));
  const size = plural(Buffer.byteLength(picture.data, 'base64'), 'byte');
  await card.complete({ content: [textContent(size), { type: 'content', content: picture }] });
  await turn.say(`${inlineCode(shown)}, ${size}. I can show it, but there is no model behind me that could say what is on it.`);
}

async function drawn(turn: Turn): Promise<void> {
  await turn.say('This is how a picture of an agent looks:');
  await turn.picture({ type: 'image', mimeType: 'image/png', data: drawPng(240, 120, hill).toString('base64'), uri: 'attachment:hills.png' });
  await turn.say('It was drawn by a few lines of code. Click it to see it as large as it is.');
}

/** Two hills before an evening sky. */
function hill(x: number, y: number): Colour {
  if (y > 84 + 14 * Math.sin(x / 22)) return [38, 84, 74];
  if (y > 66 + 16 * Math.sin(x / 37 + 2)) return [66, 122, 98];
  const light = y / 84;
  return [Math.round(70 + 170 * light), Math.round(92 + 78 * light), Math.round(150 - 30 * light)];
}

async function read(path: string, shown: string): Promise<Picture> {
  const mimeType = kinds[extname(path).toLowerCase()];
  if (mimeType === undefined) throw new Problem(`\`${shown}\` has no ending of a picture.`, 'Name a PNG, JPEG, GIF or WebP file.');
  try {
    if ((await stat(path)).size > maxBytes) throw new Problem(`\`${shown}\` is larger than 5 MiB.`, 'Open it in the editor.');
    return { type: 'image', mimeType, data: (await readFile(path)).toString('base64'), uri: pathToFileURL(`/${basename(path)}`).href };
  } catch (error) {
    if (isMissing(error)) throw new Problem(`There is no file \`${shown}\`.`, 'Look for it with `/ls`.');
    throw error;
  }
}
