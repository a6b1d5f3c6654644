import { Buffer } from 'node:buffer';
import { AttacheError } from '../../protocol/errors.ts';
import type { ItemId, SessionId, TurnId } from '../../protocol/ids.ts';
import type { Item, ItemState } from '../../protocol/item/state.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ResultOf } from '../../protocol/methods.ts';
import { hasEnded } from '../../protocol/turn/phase.ts';
import type { AnyEvent } from '../../protocol/subscription/events.ts';
import { accessTo } from '../admission/access.ts';
import type { Committed } from '../core.ts';
import { withJson } from '../encodedResult.ts';
import type { ReplayCache, ReplayRow, TurnSnapshot } from '../events/replayCache.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../store/store.ts';
import type { ItemStore } from './itemStore.ts';
import { headOf } from './text.ts';

export interface TurnReplayOptions {
  readonly store: Store;
  readonly items: ItemStore;
  readonly replayCache: ReplayCache;
}

interface Row {
  readonly itemNo: number;
  readonly itemId: ItemId;
  readonly sessionId: SessionId;
  readonly idx: number;
  readonly state: ItemState;
  readonly workspace: string;
  readonly turnState: string;
  /** The item as JSON; that of one which has not ended lacks its text. */
  readonly json: string;
}

/** Half a frame: what is longer is read on from where it was cut. */
const ANSWER_BYTES = LIMITS.frameBytes / 2;
/** Of a text that does not even fit alone; fits into a frame however its characters are written there. */
const HEAD_BYTES = 512 * 1024;

/** Hands out a turn with the full texts of its items; one that has ended comes from the cache when it was asked for lately. */
export function turnReplay(options: TurnReplayOptions): Handlers<'turn/replay'> {
  const { replayCache } = options;
  return {
    'turn/replay': ({ principal }, { turnId, after = -1 }) => {
      const snapshot = replayCache.find(turnId) ?? read(options, turnId);
      if (snapshot === null || accessTo(principal, snapshot.workspace) === 'none') throw new AttacheError('not_found');
      return page(replayCache.after(snapshot, after));
    },
  };
}

/** What a commit changed is no longer what the cache has. */
export function dropReplays(cache: ReplayCache, { events }: Committed): void {
  for (const event of events) {
    if (event.type === 'session.updated' && event.session.status === 'closed') cache.forget(event.session.sessionId);
    const turnId = turnOf(event);
    if (turnId !== undefined) cache.changed(turnId);
  }
}

function turnOf(event: AnyEvent): TurnId | undefined {
  if ('item' in event) return event.item.turnId;
  if ('turn' in event) return event.turn.turnId;
  return event.type === 'item.delta' ? event.turnId : undefined;
}

/** Made by the store, so that no text is written as JSON twice. A text that it keeps in another form is kept as JSON behind a mark. */
const TEXT_JSON = `json(CASE WHEN unicode(i.text) = 1 THEN substr(i.text, 2) ELSE json_quote(i.text) END)`;
const ITEM_JSON = `json_object('itemId', i.itemId, 'sessionId', i.sessionId, 'turnId', i.turnId, 'turnIdx', i.turnIdx, 'idx', i.idx, 'rev', i.rev, 'state', i.state,
  'outcome', i.outcome, 'text', ${TEXT_JSON}, 'textLength', i.textLength, 'data', json(i.data), 'parentId', i.parentId, 'startedAt', i.startedAt, 'endedAt', i.endedAt)`;

/** One read for all: the turn, the folder that it is in, and its items in order. */
function read({ store, items, replayCache }: TurnReplayOptions, turnId: TurnId): TurnSnapshot | null {
  const reading = replayCache.begin(turnId);
  const found = store.all<Row>(
    `SELECT s.workspace, t.state AS turnState, i.itemNo, i.itemId, i.sessionId, i.idx, i.state, ${ITEM_JSON} AS json
       FROM turns AS t JOIN sessions AS s ON s.sessionId = t.sessionId AND s.deletedAt IS NULL
       JOIN items AS i ON i.sessionId = t.sessionId AND i.turnIdx = t.turnIdx WHERE t.turnId = ? ORDER BY i.idx`, turnId);
  const [first] = found;
  const snapshot = first === undefined ? null : { turnId, sessionId: first.sessionId, workspace: first.workspace, rows: found.map((row) => rowOf(items, row)) };
  replayCache.retain(reading, first !== undefined && hasEnded(first.turnState) ? snapshot : null);
  return snapshot;
}

/** An item that has ended is all in its row. */
function rowOf(items: ItemStore, { idx, itemId, state, json }: Row): ReplayRow {
  const open = state === 'started' ? items.find(itemId) : undefined;
  return { seq: idx, item: Buffer.from(open === undefined ? json : JSON.stringify(items.from(open, 0, Number.POSITIVE_INFINITY)), 'utf8') };
}

type Answer = ResultOf<'turn/replay'>;

function page(rows: readonly ReplayRow[]): Answer {
  const shown: ReplayRow[] = [];
  let room = ANSWER_BYTES;
  for (const row of rows) {
    const fitting = fitted(row);
    room -= fitting.item.length;
    if (room < 0 && shown.length > 0) break;
    shown.push(fitting);
  }
  return answerOf(shown, shown.length < rows.length ? (shown.at(-1)?.seq ?? null) : null);
}

/** Its rows are read only by who is in this process; others get the bytes. */
function answerOf(shown: readonly ReplayRow[], next: number | null): Answer {
  const json: Buffer[] = [Buffer.from('{"rows":[')];
  for (const [at, { seq, item }] of shown.entries()) json.push(Buffer.from(`${at === 0 ? '' : ','}{"seq":${seq},"item":`), item, Buffer.from('}'));
  json.push(Buffer.from(`],"next":${next}}`));
  const answer: Answer = {
    get rows() {
      return shown.map(({ seq, item }) => ({ seq, item: parsed(item) }));
    },
    next,
  };
  return withJson(answer, json);
}

const parsed = (item: Buffer): Item => JSON.parse(item.toString('utf8')) as Item;

function fitted(row: ReplayRow): ReplayRow {
  if (row.item.length <= ANSWER_BYTES) return row;
  const item = parsed(row.item);
  return { ...row, item: Buffer.from(JSON.stringify({ ...item, text: headOf(item.text, HEAD_BYTES) }), 'utf8') };
}
