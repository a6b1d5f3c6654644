import type { SessionUpdate, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk';
import { firstPart } from './markdown.ts';
import type { ToolCard } from './toolCard.ts';

export type Role = 'user' | 'agent' | 'thought';

export type TextEntry = { readonly role: Role; readonly messageId: string; text: string };
export type ToolEntry = {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly status: ToolCallStatus;
};
export type Entry = TextEntry | ToolEntry;

export const maxEntries = 500;
export const maxTextLength = 64_000;

/**
 * What is remembered of a session: the texts shown in the chat and the headings of its tool calls.
 * Diffs, command output in terminals, consent given and file contents that were not shown in a
 * message are never part of it.
 */
export class Conversation {
  readonly sessionId: string;
  readonly cwd: string;
  readonly #entries: (TextEntry | ToolCard | ToolEntry)[];

  constructor(sessionId: string, cwd: string, entries: readonly Entry[] = []) {
    this.sessionId = sessionId;
    this.cwd = cwd;
    this.#entries = [...entries];
  }

  append(role: Role, messageId: string, text: string): void {
    const last = this.#entries.at(-1);
    if (last !== undefined && 'messageId' in last && last.messageId === messageId) {
      last.text = firstPart(last.text + text, maxTextLength);
      return;
    }
    this.add({ role, messageId, text: firstPart(text, maxTextLength) });
  }

  addTool(card: ToolCard): void {
    this.add(card);
  }

  entries(): Entry[] {
    return this.#entries.map((entry) => ('role' in entry ? entry : toolEntry(entry)));
  }

  /** The stored conversation as the updates that rebuild it in a client. */
  replay(): SessionUpdate[] {
    return this.entries().map(updateOf);
  }

  private add(entry: TextEntry | ToolCard): void {
    this.#entries.push(entry);
    if (this.#entries.length > maxEntries) this.#entries.shift();
  }
}

function toolEntry(card: ToolCard): ToolEntry {
  return { role: 'tool', toolCallId: card.id, kind: card.kind, title: card.title, status: card.status };
}

function updateOf(entry: Entry): SessionUpdate {
  if (entry.role === 'tool') {
    // A call that was still open when the process died did not end well as far as anyone can prove.
    const status = entry.status === 'completed' ? 'completed' : 'failed';
    return { sessionUpdate: 'tool_call', toolCallId: entry.toolCallId, kind: entry.kind, title: entry.title, status };
  }
  const { messageId } = entry;
  const content = { type: 'text', text: entry.text } as const;
  if (entry.role === 'user') return { sessionUpdate: 'user_message_chunk', messageId, content };
  if (entry.role === 'thought') return { sessionUpdate: 'agent_thought_chunk', messageId, content };
  return { sessionUpdate: 'agent_message_chunk', messageId, content };
}
