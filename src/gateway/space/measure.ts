import type { ResultOf } from '../../protocol/methods.ts';
import type { Store } from '../store/store.ts';

type Kinds = ResultOf<'gateway/space'>['kinds'];

/** Rows that are read before others get their turn. */
const ROWS_AT_ONCE = 5000;

/** What each kind is made of: a table, its number, and the bytes of a row. */
const PARTS = {
  texts: [['items', 'itemNo', 'octet_length(text) + octet_length(data)'], ['itemChunks', 'chunkNo', 'octet_length(text)'], ['turns', 'rowid', 'octet_length(text)']],
  events: [['events', 'eventNo', 'octet_length(event)'], ['eventSegments', 'eventNo', 'octet_length(packed)']],
  blobs: [['blobChunks', 'rowid', 'octet_length(bytes)']],
} as const;

const DELETED_TEXTS = `SELECT coalesce(sum(octet_length(i.text) + octet_length(i.data)), 0) AS n FROM sessions AS s JOIN items AS i USING (sessionId) WHERE s.deletedAt IS NOT NULL`;
const DELETED_BLOBS = `SELECT coalesce(sum(size), 0) AS n FROM blobs AS b WHERE complete = 1
  AND EXISTS (SELECT 1 FROM blobRefs AS r JOIN sessions AS s USING (sessionId) WHERE r.workspace = b.workspace AND r.digest = b.digest)
  AND NOT EXISTS (SELECT 1 FROM blobRefs AS r JOIN sessions AS s USING (sessionId) WHERE r.workspace = b.workspace AND r.digest = b.digest AND s.deletedAt IS NULL)`;

/** Sums up what the store holds. It looks at every row, so it does so in pieces and lets others go on in between. */
export async function measureKinds(store: Store): Promise<Kinds> {
  const sums = { texts: 0, events: 0, blobs: 0 };
  for (const [kind, parts] of Object.entries(PARTS) as [keyof typeof PARTS, (typeof PARTS)['texts' | 'events' | 'blobs']][]) {
    for (const [table, key, bytes] of parts) sums[kind] += await sum(store, `SELECT count(*) AS rows, max(k) AS last, coalesce(sum(b), 0) AS bytes
      FROM (SELECT ${key} AS k, ${bytes} AS b FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${ROWS_AT_ONCE})`);
  }
  const one = (sql: string): number => store.get<{ n: number }>(sql)?.n ?? 0;
  return { ...sums, deleted: one(DELETED_TEXTS) + one(DELETED_BLOBS) };
}

async function sum(store: Store, sql: string): Promise<number> {
  let total = 0;
  for (let after = -1; ; ) {
    const { rows, last, bytes } = store.get<{ rows: number; last: number; bytes: number }>(sql, after) ?? { rows: 0, last: 0, bytes: 0 };
    total += bytes;
    if (rows < ROWS_AT_ONCE) return total;
    after = last;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
