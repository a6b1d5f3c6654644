import type { ReportOp } from '../protocol/host/commands.ts';
import type { ItemKey } from '../protocol/ids.ts';
import { LIMITS } from '../protocol/limits.ts';

/** Keeps the text of the agent's last message (not of a sub-agent's), up to a little more than may be sent as an answer. */
export class MessageTracker {
  #key: ItemKey | null = null;
  #text = '';
  #isPicture = false;

  get key(): ItemKey | null {
    return this.#key;
  }

  get text(): string {
    return this.#text;
  }

  /** It has a picture. */
  get isPicture(): boolean {
    return this.#isPicture;
  }

  take(op: ReportOp): void {
    if (op.op === 'item.start' && op.data.kind === 'agent_message' && op.parent === undefined) {
      this.#key = op.itemKey;
      this.#text = op.text ?? '';
      this.#isPicture = op.data.pictures !== undefined;
    } else if (op.op === 'item.update' && op.itemKey === this.#key && op.data?.kind === 'agent_message') this.#isPicture = op.data.pictures !== undefined;
    else if (op.op === 'item.delta' && op.itemKey === this.#key && this.#text.length <= LIMITS.responseChars) this.#text += op.text;
  }
}
