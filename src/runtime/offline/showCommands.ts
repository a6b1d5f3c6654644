import type { PlanEntry } from '@agentclientprotocol/sdk';
import { commandDescriptions, usageOf } from './slashCommand.ts';
import { plural } from './markdown.ts';
import type { Turn } from './turn.ts';

const planSteps = ['Read the request', 'Look at the files', 'Make the change', 'Check the result'];
const stepMs = 150;
const lineMs = 100;

export async function helpCommand(turn: Turn): Promise<void> {
  await turn.say(
    'I am the built-in offline agent: no model, no network, no account. I do exactly what these commands say:\n\n',
    commandDescriptions.map(({ name, description }) => `- \`${usageOf(name)}\` ${description}\n`).join(''),
    '\nEvery change and every command asks you first. `\\n` in a text is a line break; put names with spaces in double quotes. ',
    'For a model, choose another agent with **Attaché: Select Agent…**.',
  );
}

export async function planCommand(turn: Turn): Promise<void> {
  for (let done = 0; done <= planSteps.length; done += 1) {
    await turn.plan(planSteps.map((content, index) => planEntry(content, index, done)));
    await turn.pause(stepMs);
  }
  await turn.say('This was an example of a plan; no work was done behind it.');
}

function planEntry(content: string, index: number, done: number): PlanEntry {
  const active = index === done ? 'in_progress' : 'pending';
  return { content, priority: 'medium', status: index < done ? 'completed' : active };
}

export async function thinkCommand(turn: Turn, { about }: { readonly about: string }): Promise<void> {
  const subject = about === '' ? 'nothing in particular' : about;
  await turn.think(['This is an example of a thought. ', `It is about ${subject}. `, 'There is no model behind it.']);
  await turn.say('This was an example of a thought before a reply; nothing was worked out.');
}

export async function slowCommand(turn: Turn, { lines }: { readonly lines: number }): Promise<void> {
  await turn.stream(slowLines(turn, lines));
}

async function* slowLines(turn: Turn, lines: number): AsyncGenerator<string> {
  for (let line = 1; line <= lines; line += 1) {
    yield `line ${String(line)} of ${String(lines)}\n`;
    if (line < lines) await turn.pause(lineMs);
  }
}

/** The honest answer to words that are no command. */
export async function plainTextCommand(turn: Turn, text: string, attachments: readonly string[], hint: string | null): Promise<void> {
  const words = text === '' ? 0 : text.split(/\s+/).length;
  const attached = attachments.length === 0 ? '' : ` and ${plural(attachments.length, 'attachment')}`;
  await turn.say(
    `I read your message (${plural(words, 'word')}${attached}), but I am the built-in offline agent: there is no model behind me, so I understand only commands.\n\n`,
    attachments.length === 0 ? '' : `What came with it:\n\n${attachments.map((line) => `- ${line}\n`).join('')}\n`,
    hint === null ? '' : `${hint}\n\n`,
    'I can list, read, search, edit and write files and run commands: `/help` shows how. For a model, choose another agent with **Attaché: Select Agent…**.',
  );
}
