import { LIMITS } from '../../protocol/limits.ts';
import type { AnyEvent } from '../../protocol/subscription/events.ts';

/**
 * Consecutive events of one scope as the JSON that goes over the wire, made once and handed out by reference to every reader: the events in
 * order with SEPARATOR between them. JSON itself holds no line breaks, so that any of them is found again without parsing.
 */
export interface EncodedEvents {
  readonly first: number;
  readonly last: number;
  readonly json: Buffer;
}

const SEPARATOR = ',\n';
const LINE_BREAK = 0x0a;

/** Puts events that are encoded already together. */
export function joinEvents(first: number, texts: readonly string[]): EncodedEvents {
  return { first, last: first + texts.length - 1, json: Buffer.from(texts.join(SEPARATOR), 'utf8') };
}

/** Cuts events into batches within the replay limits. */
export function encodeEvents(events: readonly AnyEvent[]): EncodedEvents[] {
  const batches: EncodedEvents[] = [];
  let texts: string[] = [];
  let size = 0;
  let first = 0;
  const flush = (): void => {
    if (texts.length > 0) batches.push(joinEvents(first, texts));
    texts = [];
    size = 0;
  };
  for (const event of events) {
    const text = JSON.stringify(event);
    const bytes = Buffer.byteLength(text);
    if (texts.length >= LIMITS.replayEvents || size + bytes > LIMITS.replayBytes) flush();
    if (texts.length === 0) first = event.seq;
    size += bytes;
    texts.push(text);
  }
  flush();
  return batches;
}

export function decodeEvents({ json }: EncodedEvents): AnyEvent[] {
  return JSON.parse(`[${json.toString('utf8')}]`) as AnyEvent[];
}

/** At most `limit` of the events after a place; shares their bytes. Null when there is none. */
export function eventsAfter(events: EncodedEvents, after: number, limit: number): EncodedEvents | null {
  const first = Math.max(events.first, after + 1);
  const last = Math.min(events.last, first + limit - 1);
  if (first > last) return null;
  if (first === events.first && last === events.last) return events;
  const begin = placeOf(events.json, first - events.first, 0);
  const end = last === events.last ? events.json.length : placeOf(events.json, last - first + 1, begin) - SEPARATOR.length;
  return { first, last, json: events.json.subarray(begin, end) };
}

/** Where the event begins that comes `count` events after the one at `from`. */
function placeOf(json: Buffer, count: number, from: number): number {
  let place = from;
  for (let left = count; left > 0; left--) place = json.indexOf(LINE_BREAK, place) + 1;
  return place;
}
