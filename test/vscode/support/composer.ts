import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import type { ComposerAttachment, MentionEntry, MentionRef } from '../../../src/protocol/panelAttachment.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { Chat, listenTo } from './chat.ts';

/** A chat whose messages to its page can be looked at. */
export class Composer {
  readonly chat: Chat;
  readonly told: ToPanel[];
  #request = 0;

  static async open(): Promise<Composer> {
    return new Composer(await Chat.fresh());
  }

  constructor(chat: Chat) {
    this.chat = chat;
    this.told = listenTo(chat);
  }

  get conversation(): string {
    return this.chat.panel.conversation;
  }

  get shown(): ComposerAttachment[] {
    return this.chat.window.core.attachments.shown(this.conversation);
  }

  get failures(): string[] {
    return this.told.flatMap((message) => (message.type === 'attachFailed' ? [message.message] : []));
  }

  async attach(ref: MentionRef, token: string | null = null): Promise<ComposerAttachment | undefined> {
    const id = randomUUID();
    await this.chat.send({ type: 'attach', conversation: this.conversation, id, ref, token });
    return this.shown.find((attachment) => attachment.id === id);
  }

  async paste(name: string, bytes: Buffer): Promise<string> {
    const id = randomUUID();
    await this.chat.send({ type: 'attachBytes', conversation: this.conversation, id, name, mimeType: '', base64: bytes.toString('base64') });
    return id;
  }

  /** What was taken in for an attachment. */
  async textOf(id: string): Promise<string> {
    const { attachments, attachmentFiles } = this.chat.window.core;
    return String(await attachmentFiles.read(attachments.find(this.conversation, id)?.digest ?? ''));
  }

  /** Sends with all that is there, and gives the turn's end. */
  async send(text: string): Promise<Turn> {
    const clientTurnId = randomUUID();
    await this.chat.send({ type: 'submit', conversation: this.conversation, clientTurnId, text, attachments: this.shown.map(({ id }) => id) });
    return this.chat.turnEnd(clientTurnId);
  }

  /** Everything that an `@` and these letters may mean. */
  async mention(query: string): Promise<readonly MentionEntry[]> {
    this.#request += 1;
    const request = this.#request;
    await this.chat.send({ type: 'mention', conversation: this.conversation, request, query });
    return this.told.flatMap((message) => (message.type === 'mentions' && message.request === request && message.done ? [message.entries] : [])).at(-1) ?? assert.fail('no answer');
  }
}
