import type { CausedBy } from '../../protocol/envelope.ts';
import type { ItemId, TurnId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { AnyEvent, SessionEventBody } from '../../protocol/subscription/events.ts';
import { headOf } from '../items/text.ts';

/** Says that the text of an event need not be stored with it: where it is, and the report that brought it. */
export type TextSource =
  /** The event is the only place of this piece of an item's text until the item ends. */
  | { readonly kind: 'delta'; readonly itemNo: number; readonly reportSeq: number }
  /** The item has ended: its row has the text, and will not change. */
  | { readonly kind: 'ended'; readonly itemNo: number };

/** A row of `events`. */
export interface EventRow {
  readonly eventNo: number;
  readonly event: string;
  readonly itemNo: number | null;
  readonly rev: number | null;
  readonly textEnd: number | null;
  readonly reportSeq: number | null;
  readonly at: number | null;
  /** JSON of CausedBy. */
  readonly causedBy: string | null;
}

/** A row with what its item adds to it. */
export interface ReadRow extends EventRow {
  readonly itemId: ItemId | null;
  readonly turnId: TurnId | null;
  readonly itemText: string | null;
}

/** Shorter ones are not worth a look into another table. */
const SHORT_TEXT = 256;

/** A text that SQLite cannot keep as it is is stored in another form, which must not be cut. */
const ITEM_TEXT = `CASE WHEN e.itemNo IS NULL OR e.rev IS NOT NULL THEN NULL WHEN unicode(i.text) = 1 THEN i.text ELSE substr(i.text, 1, ${LIMITS.inlineDataBytes}) END`;

/** Parameters: the numbers between which they lie, and how many at most. */
export const READ_ROWS = `
  SELECT e.*, i.itemId, i.turnId, ${ITEM_TEXT} AS itemText
  FROM events AS e LEFT JOIN items AS i ON i.itemNo = e.itemNo WHERE e.eventNo > ? AND e.eventNo < ? ORDER BY e.eventNo LIMIT ?`;

const PLAIN = { itemNo: null, rev: null, textEnd: null, reportSeq: null, at: null, causedBy: null } as const;

/** The row that an event is stored as. */
export function rowOf(eventNo: number, event: AnyEvent, source: TextSource | undefined): EventRow {
  if (source?.kind === 'delta' && event.type === 'item.delta') {
    const { text, offset, rev, at, causedBy } = event;
    return { eventNo, event: text, itemNo: source.itemNo, rev, textEnd: offset + text.length, reportSeq: source.reportSeq, at, causedBy: JSON.stringify(causedBy) };
  }
  if (source?.kind === 'ended' && 'item' in event && event.item.text.length > SHORT_TEXT) {
    return { ...PLAIN, eventNo, event: JSON.stringify({ ...event, item: { ...event.item, text: '' } }), itemNo: source.itemNo };
  }
  return { ...PLAIN, eventNo, event: JSON.stringify(event) };
}

/** The event as it was told, as JSON. */
export function jsonOf(row: ReadRow, seq: number): string {
  if (row.itemNo === null) return row.event;
  if (row.rev !== null) return JSON.stringify(deltaOf(row, seq));
  const event = JSON.parse(row.event) as Extract<AnyEvent, { item: unknown }>;
  return JSON.stringify({ ...event, item: { ...event.item, text: headOf(row.itemText ?? '', LIMITS.inlineDataBytes) } });
}

function deltaOf({ itemId, turnId, event: text, rev, textEnd, at, causedBy }: ReadRow, seq: number): { seq: number; at: number; causedBy: CausedBy } & Extract<SessionEventBody, { type: 'item.delta' }> {
  if (itemId === null || turnId === null || rev === null || at === null || causedBy === null) throw new Error(`event ${seq} belongs to an item that is not there`);
  return { seq, at, causedBy: JSON.parse(causedBy) as CausedBy, type: 'item.delta', itemId, turnId, rev, offset: (textEnd ?? 0) - text.length, text };
}
