import type { Approval } from '../../src/protocol/approval/state.ts';
import type { Item } from '../../src/protocol/item/state.ts';
import type { SessionSnapshot } from '../../src/protocol/subscription/state.ts';
import type { Turn } from '../../src/protocol/turn/state.ts';

/** One turn with all that belongs to it. Equal content is the same object, so that only what changed is drawn again. */
export interface TurnPart {
  readonly turn: Turn;
  readonly items: readonly Item[];
  readonly approvals: readonly Approval[];
  /** A later turn repeats this one. */
  readonly retried: boolean;
}

/** An item with what is shown under it. */
export interface ItemNode {
  readonly item: Item;
  readonly approvals: readonly Approval[];
  readonly children: readonly ItemNode[];
  /** An edit that was approved once already, as part of its tool call. */
  readonly askedAgain?: boolean;
}

/** Splits a session into turns, keeping the parts that did not change since the last call. While only the last turn grows, the others are not looked at. */
export class Transcript {
  #turns: readonly Turn[] = [];
  #items: Item[] = [];
  #approvals: readonly Approval[] = [];
  #parts: readonly TurnPart[] = [];

  parts(view: SessionSnapshot): readonly TurnPart[] {
    const { turns, items, approvals } = view;
    const isOther = !sameList(turns, this.#turns) || !sameList(approvals, this.#approvals);
    const changed = firstChange(items, this.#items);
    if (!isOther && changed === null) return this.#parts;
    const turnIdx = isOther || changed === null ? 0 : Math.min(...[items, this.#items].map((list) => list[changed]?.turnIdx ?? Infinity));
    this.#parts = this.#partsFrom(view, turnIdx);
    if (isOther) [this.#turns, this.#approvals] = [[...turns], [...approvals]];
    if (changed === 0) this.#items = [...items];
    else if (changed !== null) this.#items.splice(changed, Infinity, ...items.slice(changed));
    return this.#parts;
  }

  /** Parts before a turn are as they were. */
  #partsFrom(view: SessionSnapshot, turnIdx: number): readonly TurnPart[] {
    const itemsFrom = view.items.findLastIndex((item) => item.turnIdx < turnIdx) + 1;
    const partsFrom = this.#parts.findLastIndex(({ turn }) => turn.turnIdx < turnIdx) + 1;
    const approvals = Map.groupBy(view.approvals, ({ turnId }) => turnId as string);
    const retried = new Set(view.turns.flatMap(({ retryOf }) => (retryOf === null ? [] : [retryOf as string])));
    const known = new Map(this.#parts.slice(partsFrom).map((part) => [part.turn.turnId as string, part]));
    // Those of a turn stand together: both lists are in its order.
    const made: TurnPart[] = [];
    let at = itemsFrom;
    for (const turn of view.turns.slice(view.turns.findLastIndex(({ turnIdx: idx }) => idx < turnIdx) + 1)) {
      while ((view.items[at]?.turnIdx ?? Infinity) < turn.turnIdx) at += 1;
      const from = at;
      while (view.items[at]?.turnIdx === turn.turnIdx) at += 1;
      if (turn.state === 'queued') continue;
      const own = approvals.size === 0 ? NONE : approvals.get(turn.turnId) ?? NONE;
      const part = { turn, items: view.items.slice(from, at), approvals: own, retried: retried.size > 0 && retried.has(turn.turnId) };
      made.push(known.size === 0 ? part : keptPart(part, known.get(turn.turnId)));
    }
    return partsFrom === 0 ? made : [...this.#parts.slice(0, partsFrom), ...made];
  }
}

const NONE: readonly Approval[] = [];

function keptPart(next: TurnPart, last: TurnPart | undefined): TurnPart {
  const same = last !== undefined && last.turn === next.turn && last.retried === next.retried && sameList(last.items, next.items) && sameList(last.approvals, next.approvals);
  return same ? last : next;
}

/** Null when the lists are equal. */
function firstChange(a: readonly unknown[], b: readonly unknown[]): number | null {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) if (a[index] !== b[index]) return index;
  return a.length === b.length ? null : length;
}

export const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean => a.length === b.length && a.every((entry, index) => entry === b[index]);

/** The items of a turn, each with what belongs to it. */
interface ItemTree {
  readonly roots: readonly ItemNode[];
  /** Requests of items that are not here; they come last, on their own. */
  readonly loose: readonly Approval[];
}

const trees = new WeakMap<TurnPart, ItemTree>();

/** The tree of a turn, made once for all its rows. */
export function treeOf(part: TurnPart): ItemTree {
  const tree = trees.get(part) ?? itemTree(part);
  trees.set(part, tree);
  return tree;
}

export function itemTree({ items, approvals }: Pick<TurnPart, 'items' | 'approvals'>): ItemTree {
  const known = new Set<string>(items.map(({ itemId }) => itemId));
  const owners = new Map<string, string>(items.flatMap(({ itemId, data }) => (data.kind === 'approval' ? [[data.approvalId, itemId]] : [])));
  // An item made for a request names it; else the request names its item.
  const ownerOf = ({ approvalId, itemId }: Approval): string => owners.get(approvalId) ?? itemId;
  const requests = Map.groupBy(approvals, ownerOf);
  const below = Map.groupBy(items, ({ parentId, itemId }) => (parentId !== null && parentId !== itemId && known.has(parentId) ? (parentId as string) : ''));
  const node = (item: Item): ItemNode => ({ item, approvals: requests.get(item.itemId) ?? [], children: (below.get(item.itemId) ?? []).map(node) });
  return {
    roots: (below.get('') ?? []).map(node),
    loose: approvals.filter((approval) => !known.has(ownerOf(approval))),
  };
}

/** True when two nodes are drawn alike. */
export const sameNode = (a: ItemNode, b: ItemNode): boolean =>
  a === b || (a.item === b.item && a.askedAgain === b.askedAgain && sameList(a.approvals, b.approvals) && sameNodes(a.children, b.children));

export const sameNodes = (a: readonly ItemNode[], b: readonly ItemNode[]): boolean =>
  a.length === b.length && a.every((node, index) => { const other = b[index]; return other !== undefined && sameNode(node, other); });
