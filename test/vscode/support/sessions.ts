import * as vscode from 'vscode';
import type { SessionId } from '../../../src/protocol/ids.ts';
import { Chat } from './chat.ts';

/** A new session of one answered message, shown in the chat. */
export async function said(text: string): Promise<{ chat: Chat; sessionId: SessionId }> {
  const chat = await Chat.fresh();
  await chat.turnEnd(await chat.say(text));
  return { chat, sessionId: chat.view.session.sessionId };
}

/** Runs one of the extension's commands as a key or a menu does. */
export const run = async (command: string, ...given: unknown[]): Promise<void> => vscode.commands.executeCommand(`attache.${command}`, ...given);
