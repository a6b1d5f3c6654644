import type { ReportOp } from '../protocol/host/commands.ts';
import type { ItemKey } from '../protocol/ids.ts';
import type { ItemDataOf } from '../protocol/item/state.ts';

interface Call {
  readonly parent: ItemKey | null;
  data: ItemDataOf<'tool_call'>;
  isOpen: boolean;
  wasAsked: boolean;
  /** Aborts when what it belongs to came to nothing. */
  readonly orphaned: AbortController;
}

const never = new AbortController().signal;
const maxName = 500;

/** The tool calls of a turn, as the agent nests them: what lies below another call is done by a sub-agent. */
export class CallTree {
  readonly #calls = new Map<ItemKey, Call>();

  take(op: ReportOp): void {
    if (op.op === 'item.start' && op.data.kind === 'tool_call') {
      this.#calls.set(op.itemKey, { parent: op.parent ?? null, data: op.data, isOpen: true, wasAsked: false, orphaned: new AbortController() });
      return;
    }
    const call = 'itemKey' in op ? this.#calls.get(op.itemKey) : undefined;
    if (call === undefined || (op.op !== 'item.update' && op.op !== 'item.end')) return;
    if (op.data?.kind === 'tool_call') call.data = op.data;
    if (op.op !== 'item.end') return;
    call.isOpen = false;
    // One that completed may have left a sub-agent at work in the background; one that did not has nobody to tell an answer to.
    if (op.state !== 'completed') this.#orphan(op.itemKey);
  }

  data(key: ItemKey): ItemDataOf<'tool_call'> | null {
    return this.#calls.get(key)?.data ?? null;
  }

  /** Who acts in this call, in the agent's words; null: the agent itself. */
  actor(key: ItemKey): string | null {
    const parent = this.#calls.get(key)?.parent;
    const title = parent === undefined || parent === null ? undefined : this.#calls.get(parent)?.data.title;
    return title === undefined ? null : title.slice(0, maxName).toWellFormed();
  }

  /** Aborts when a call around this one ends without completing. */
  orphaned(key: ItemKey): AbortSignal {
    return this.#calls.get(key)?.orphaned.signal ?? never;
  }

  /** Consent was asked for in this call; null: in one that is not known, so that it may be any open one of this kind. */
  asked(key: ItemKey | null, toolKind: string): void {
    for (const [known, call] of this.#calls) {
      if (known === key || (key === null && call.isOpen && call.data.toolKind === toolKind)) call.wasAsked = true;
    }
  }

  /** Whether consent to this call was asked for. Some agents ask under another id than they act: that call stays open, and stands for one other. */
  takeConsent(key: ItemKey): boolean {
    const call = this.#calls.get(key);
    if (call === undefined || call.wasAsked) return true;
    const other = [...this.#calls.values()].find((each) => each.wasAsked && each.isOpen && each.data.title === call.data.title);
    if (other !== undefined) other.wasAsked = false;
    return other !== undefined;
  }

  #orphan(key: ItemKey): void {
    for (const [below, call] of this.#calls) {
      if (call.parent !== key) continue;
      call.orphaned.abort();
      this.#orphan(below);
    }
  }
}
