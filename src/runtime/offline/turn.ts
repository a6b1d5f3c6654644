import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PlanEntry,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { Conversation } from './conversation.ts';
import { TurnCancelled } from './problem.ts';
import { ToolCard, type ToolCardStart } from './toolCard.ts';

export type TurnOptions = {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly conversation: Conversation;
  readonly signal: AbortSignal;
};

/** One prompt being answered: all a command may do goes through here, so that cancel reaches everything. */
export class Turn {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  readonly #conversation: Conversation;
  readonly #cards: ToolCard[] = [];
  readonly #cancelled: Promise<never>;

  constructor(options: TurnOptions) {
    this.client = options.client;
    this.capabilities = options.capabilities;
    this.signal = options.signal;
    this.#conversation = options.conversation;
    this.#cancelled = new Promise((_resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(new TurnCancelled()), { once: true });
    });
    this.#cancelled.catch(() => undefined);
  }

  get cwd(): string {
    return this.#conversation.cwd;
  }

  get sessionId(): string {
    return this.#conversation.sessionId;
  }

  /** Streams one message; each chunk is sent as it comes. */
  async say(...chunks: readonly string[]): Promise<void> {
    await this.stream(chunks);
  }

  async stream(chunks: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const messageId = randomUUID();
    for await (const text of chunks) {
      await this.update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
      this.#conversation.append('agent', messageId, text);
    }
  }

  /** Shows a picture; what is said after it is another message. */
  async picture(content: Extract<ContentBlock, { type: 'image' }>): Promise<void> {
    await this.update({ sessionUpdate: 'agent_message_chunk', content });
  }

  async think(chunks: Iterable<string>): Promise<void> {
    const messageId = randomUUID();
    for (const text of chunks) {
      await this.update({ sessionUpdate: 'agent_thought_chunk', messageId, content: { type: 'text', text } });
      this.#conversation.append('thought', messageId, text);
      await this.pause(60);
    }
  }

  async plan(entries: PlanEntry[]): Promise<void> {
    await this.update({ sessionUpdate: 'plan', entries });
  }

  async startTool(start: ToolCardStart): Promise<ToolCard> {
    const card = new ToolCard(start, (update) => this.send(update));
    this.#cards.push(card);
    this.#conversation.addTool(card);
    this.throwIfCancelled();
    await card.open();
    return card;
  }

  /** Every open tool call ends as failed with this text; after it nothing of the turn is left running. */
  async settleOpenTools(text: string): Promise<void> {
    for (const card of this.#cards) await card.fail(text);
  }

  async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal }).catch(() => undefined);
    this.throwIfCancelled();
  }

  /** Waits for the client's answer but no longer than the turn lives. */
  async race<T>(answer: Promise<T>): Promise<T> {
    if (this.signal.aborted) answer.catch(() => undefined);
    this.throwIfCancelled();
    return Promise.race([answer, this.#cancelled]);
  }

  throwIfCancelled(): void {
    if (this.signal.aborted) throw new TurnCancelled();
  }

  async update(update: SessionUpdate): Promise<void> {
    this.throwIfCancelled();
    await this.send(update);
  }

  private async send(update: SessionUpdate): Promise<void> {
    await this.client.notify(methods.client.session.update, { sessionId: this.sessionId, update });
  }
}
