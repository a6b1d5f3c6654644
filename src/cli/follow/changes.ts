import type { Approval } from '../../protocol/approval/state.ts';
import type { Item } from '../../protocol/item/state.ts';
import type { Session } from '../../protocol/session/state.ts';
import { hasEnded } from '../../protocol/turn/phase.ts';
import type { Turn } from '../../protocol/turn/state.ts';

/** An item without its text, which comes in pieces of its own. */
export type ItemHead = Omit<Item, 'text'>;

/**
 * What is new about a session since it was last looked at. Every character of every text comes once and in order, however often
 * the link was cut in between; of states that passed while nobody looked only the last one comes.
 */
export type Change =
  | { readonly type: 'session'; readonly session: Session }
  | { readonly type: 'turn'; readonly turn: Turn }
  /** Last of its turn. */
  | { readonly type: 'turn.ended'; readonly turn: Turn }
  | { readonly type: 'item'; readonly item: ItemHead }
  /** `replaces`: what came of this text before does not count any more; `offset` is 0 then. */
  | { readonly type: 'text'; readonly itemId: string; readonly turnId: string; readonly offset: number; readonly text: string; readonly replaces?: true }
  | { readonly type: 'item.ended'; readonly item: ItemHead }
  | { readonly type: 'approval'; readonly approval: Approval };

/** What a client holds of a session at one moment. */
export interface Held {
  readonly session: Session;
  readonly turns: readonly Turn[];
  readonly items: readonly Item[];
  readonly approvals: readonly Approval[];
}

interface KnownItem {
  readonly turnId: string;
  rev: number;
  head: string;
  text: string;
  hasEnded: boolean;
}

/** Reads what a text misses, from a place on. */
export type ReadText = (item: Item, from: number) => Promise<string>;

/** Finds out what changed between two looks at a session. Remembers what was told, and nothing of turns that are over. */
export class Changes {
  readonly #readText: ReadText;
  readonly #items = new Map<string, KnownItem>();
  readonly #turns = new Map<string, number>();
  readonly #approvals = new Map<string, string>();
  /** Turns before this place are over and told, or are not wanted. */
  #floor: number;
  #session = '';

  constructor(readText: ReadText, fromTurn: number) {
    this.#readText = readText;
    this.#floor = fromTurn;
  }

  /** The first turn of which something may still be missing. */
  get floor(): number {
    return this.#floor;
  }

  /** All that is new in `held`, which must reach back to `floor`. */
  async* since({ session, turns, items, approvals }: Held): AsyncGenerator<Change> {
    const wanted = turns.filter(({ turnIdx }) => turnIdx >= this.#floor).sort((a, b) => a.turnIdx - b.turnIdx);
    // Copies of one moment: what comes in while a text is read belongs to the next look.
    const itemsOf = (turnId: string): Item[] => items.filter((item) => item.turnId === turnId);
    const plan = wanted.map((turn) => ({ turn, items: itemsOf(turn.turnId), approvals: approvals.filter(({ turnId }) => turnId === turn.turnId) }));
    if (this.#sessionIsNew(session)) yield { type: 'session', session };
    for (const { turn, items: own, approvals: asked } of plan) {
      if (this.#turns.get(turn.turnId) === Infinity) continue;
      if (!hasEnded(turn.state) && this.#turns.get(turn.turnId) !== turn.rev) yield { type: 'turn', turn };
      this.#turns.set(turn.turnId, turn.rev);
      for (const item of own.sort((a, b) => a.idx - b.idx)) yield* this.#item(item, asked.filter(({ itemId }) => itemId === item.itemId));
      if (hasEnded(turn.state)) yield* this.#end(turn);
    }
    this.#raiseFloor(wanted);
  }

  async* #item(item: Item, asked: readonly Approval[]): AsyncGenerator<Change> {
    const known: KnownItem = this.#items.get(item.itemId) ?? { turnId: item.turnId, rev: -1, head: '', text: '', hasEnded: false };
    this.#items.set(item.itemId, known);
    if (known.rev !== item.rev) yield* this.#itemChanged(item, known);
    for (const approval of asked) {
      if (this.#approvals.get(approval.approvalId) === approval.status) continue;
      this.#approvals.set(approval.approvalId, approval.status);
      yield { type: 'approval', approval };
    }
    if (item.state === 'started' || known.hasEnded) return;
    known.hasEnded = true;
    yield { type: 'item.ended', item: headOf(item) };
  }

  async* #itemChanged(item: Item, known: KnownItem): AsyncGenerator<Change> {
    const head = JSON.stringify({ ...headOf(item), rev: 0, textLength: 0, state: '', endedAt: 0 });
    if (known.head !== head) yield { type: 'item', item: headOf(item) };
    known.head = head;
    known.rev = item.rev;
    const text = await this.#wholeText(item, known.text);
    if (text === known.text) return;
    const goesOn = text.startsWith(known.text);
    const offset = goesOn ? known.text.length : 0;
    known.text = text;
    yield { type: 'text', itemId: item.itemId, turnId: item.turnId, offset, text: text.slice(offset), ...(goesOn ? {} : { replaces: true }) };
  }

  /**
   * Of a long text only the head is at hand. While it grows, what is known of it is not read again; once it has ended all of it is, since
   * it may have been replaced behind its head.
   */
  async #wholeText(item: Item, known: string): Promise<string> {
    if (item.text.length >= item.textLength) return item.text;
    const isSame = item.state === 'started' && known.length >= item.text.length && known.length <= item.textLength && known.startsWith(item.text);
    const held = isSame ? known : item.text;
    return held + (await this.#readText(item, held.length));
  }

  *#end(turn: Turn): Generator<Change> {
    this.#turns.set(turn.turnId, Infinity);
    for (const [itemId, { turnId }] of this.#items) if (turnId === turn.turnId) this.#items.delete(itemId);
    yield { type: 'turn.ended', turn };
  }

  #raiseFloor(turns: readonly Turn[]): void {
    const open = turns.find(({ turnId }) => this.#turns.get(turnId) !== Infinity);
    const last = turns.at(-1);
    if (last === undefined) return;
    this.#floor = open?.turnIdx ?? last.turnIdx + 1;
    for (const { turnId, turnIdx } of turns) if (turnIdx < this.#floor) this.#turns.delete(turnId);
  }

  #sessionIsNew({ title, status, bindingMatch, executor, queue, closedAt }: Session): boolean {
    const shown = JSON.stringify([title, status, bindingMatch, executor.state, queue.paused, closedAt]);
    if (shown === this.#session) return false;
    this.#session = shown;
    return true;
  }
}

function headOf({ text: _text, ...head }: Item): ItemHead {
  return head;
}
