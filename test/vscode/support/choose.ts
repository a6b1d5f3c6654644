import * as vscode from 'vscode';
import type { Chat } from './chat.ts';
import { until } from './until.ts';

/** Which entry of a list is taken. */
export type Choice = 'first' | 'none';

/** Runs what opens a new session and then asks with a list, and answers that. The list cannot be seen from here: it is answered until the command has ended. */
export async function beginAndChoose(chat: Chat, begin: () => Promise<unknown>, choice: Choice): Promise<void> {
  const before = chat.panel.conversation;
  let ended = false;
  const done = begin().then(() => { ended = true; });
  await until('a new session is shown', () => chat.panel.conversation !== before && chat.panel.view?.turns.length === 0);
  await until('the question is answered', async () => {
    await vscode.commands.executeCommand(`workbench.action.${choice === 'none' ? 'closeQuickOpen' : 'acceptSelectedQuickOpenItem'}`);
    return ended;
  });
  await done;
}
