import { randomUUID } from 'node:crypto';
import type {
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk';

export type ToolCardStart = {
  readonly kind: ToolKind;
  readonly title: string;
  readonly status: 'pending' | 'in_progress';
  readonly locations?: ToolCallLocation[];
  readonly content?: ToolCallContent[];
  readonly rawInput?: unknown;
};

type Send = (update: SessionUpdate) => Promise<void>;

/** One tool call of a turn. It ends exactly once; what comes after its end is dropped. */
export class ToolCard {
  readonly id = `offline-${randomUUID()}`;
  readonly #start: ToolCardStart;
  readonly #send: Send;
  #status: ToolCallStatus;
  #content: ToolCallContent[];

  constructor(start: ToolCardStart, send: Send) {
    this.#start = start;
    this.#send = send;
    this.#status = start.status;
    this.#content = start.content ?? [];
  }

  get status(): ToolCallStatus {
    return this.#status;
  }

  get kind(): ToolKind {
    return this.#start.kind;
  }

  get title(): string {
    return this.#start.title;
  }

  async open(): Promise<void> {
    await this.#send({ sessionUpdate: 'tool_call', toolCallId: this.id, ...this.#start });
  }

  /** The whole call as a permission request has to show it. */
  describe(): ToolCallUpdate {
    return { toolCallId: this.id, ...this.#start, status: this.#status };
  }

  async progress(content?: ToolCallContent[]): Promise<void> {
    if (content !== undefined) this.#content = content;
    await this.move('in_progress', content === undefined ? {} : { content });
  }

  async complete(change: Partial<ToolCallUpdate> = {}): Promise<void> {
    await this.move('completed', change);
  }

  /** Keeps what is already shown (a diff, a terminal) and adds the reason. */
  async fail(reason: string, change: Partial<ToolCallUpdate> = {}): Promise<void> {
    await this.move('failed', { content: [...this.#content, textContent(reason)], ...change });
  }

  private async move(status: ToolCallStatus, change: Partial<ToolCallUpdate>): Promise<void> {
    if (this.#status === 'completed' || this.#status === 'failed') return;
    this.#status = status;
    await this.#send({ sessionUpdate: 'tool_call_update', toolCallId: this.id, ...change, status });
  }
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}
