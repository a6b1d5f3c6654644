import type { Item } from '../../src/protocol/item/state.ts';
import { type ItemNode, type TurnPart, sameNodes, treeOf } from './transcript.ts';

/** What is drawn in one piece: a turn, or so much of a long one. */
export interface Row {
  readonly key: string;
  readonly part: TurnPart;
  /** Which of the turn's items stand here; null: all of them. */
  readonly slice: readonly ItemNode[] | null;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** A request waits in it: it is never out of reach. */
  readonly isWaiting: boolean;
}

// A turn of more items than this, or of longer ones, is drawn in several rows, so that a long one can be left out in part.
const SLICE = 20;
const SLICE_CHARS = 24_000;

/** Splits turns into rows; one in which nothing changed is the same row as before, also where its turn goes on. */
export class RowSplitter {
  #parts: readonly TurnPart[] = [];
  #rows: readonly Row[] = [];

  rows(parts: readonly TurnPart[]): readonly Row[] {
    if (parts === this.#parts) return this.#rows;
    const same = parts.findIndex((part, index) => part !== this.#parts[index]);
    const from = same < 0 ? Math.min(parts.length, this.#parts.length) : same;
    const rowsFrom = from === 0 ? 0 : this.#rows.findLastIndex(({ part }) => part.turn.turnIdx < (this.#parts[from]?.turn.turnIdx ?? Infinity)) + 1;
    const known = Map.groupBy(this.#rows.slice(rowsFrom), ({ part }) => part.turn.turnId as string);
    const rows = this.#rows.slice(0, rowsFrom);
    for (const part of parts.slice(from)) rows.push(...(known.size === 0 ? rowsOf(part) : kept(rowsOf(part), known.get(part.turn.turnId) ?? [])));
    this.#rows = rows;
    this.#parts = parts;
    return this.#rows;
  }
}

function rowsOf(part: TurnPart): readonly Row[] {
  const { turnId } = part.turn;
  if (part.items.length <= SLICE && part.items.slice(0, -1).reduce((sum, item) => sum + weightOf(item), 0) < SLICE_CHARS) return [{ key: turnId, part, slice: null, isFirst: true, isLast: true, isWaiting: part.approvals.some(({ status }) => status === 'pending') }];
  const pending = part.approvals.filter(({ status }) => status === 'pending');
  const slices = slicesOf(treeOf(part).roots);
  const isLoose = (itemId: string): boolean => !part.items.some((item) => item.itemId === itemId);
  return slices.map((slice, n) => {
    const isLast = n === slices.length - 1;
    const isWaiting = pending.some(({ itemId }) => contains(slice, itemId) || (isLast && isLoose(itemId)));
    return { key: n === 0 ? turnId : `${turnId}/${n}`, part, slice, isFirst: n === 0, isLast, isWaiting };
  });
}

/** What an item begins depends only on those before it: one that still grows stays where it is. */
function slicesOf(roots: readonly ItemNode[]): (readonly ItemNode[])[] {
  const slices: ItemNode[][] = [[]];
  let chars = 0;
  for (const node of roots) {
    const last = slices.at(-1) ?? [];
    if (last.length < SLICE && chars < SLICE_CHARS) last.push(node);
    else {
      slices.push([node]);
      chars = 0;
    }
    chars += weightOf(node.item) + node.children.reduce((sum, { item }) => sum + weightOf(item), 0);
  }
  return slices;
}

/** How much of an item is drawn: output is folded, messages are not. */
const weightOf = ({ data: { kind }, text }: Item): number => (kind === 'agent_message' || kind === 'user_message' ? text.length : Math.min(text.length, 1000));

/** The last row says how its turn is; every other one shows nothing but its items. */
function kept(rows: readonly Row[], before: readonly Row[]): readonly Row[] {
  return rows.map((row, n) => {
    const old = before[n];
    if (old === undefined) return row;
    const shows = !old.isLast && !row.isLast && old.part.turn === row.part.turn && old.isWaiting === row.isWaiting && sameNodes(old.slice ?? [], row.slice ?? []);
    return old.part === row.part || shows ? old : row;
  });
}

const contains = (nodes: readonly ItemNode[], itemId: string): boolean => nodes.some(({ item, children }) => item.itemId === itemId || contains(children, itemId));

/** Where a row stands that holds an item or a request; -1 when none does. */
export function rowOf(rows: readonly Row[], { itemId, approvalId }: { readonly itemId?: string; readonly approvalId?: string }): number {
  const owner = approvalId === undefined ? itemId : rows.flatMap(({ part }) => part.approvals).find((approval) => approval.approvalId === approvalId)?.itemId;
  if (owner === undefined) return -1;
  return rows.findIndex(({ part, slice }) => (slice === null ? part.items.some((item) => item.itemId === owner) : contains(slice, owner)));
}
