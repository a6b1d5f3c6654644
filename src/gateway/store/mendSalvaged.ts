import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { mintId } from '../mint.ts';
import { CHUNKS_PER_ITEM } from './chunkNumbers.ts';
import { isPossible, JUDGED_TABLES } from './possibleRow.ts';

export interface Mended {
  readonly incompleteSessions: number;
  readonly dropped: ReadonlyMap<string, number>;
}

/** Columns that hold JSON: what cannot be parsed was not written like that. */
const JSON_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['agent', 'attachedCapabilities', 'wanted'], turns: ['completion'], grants: ['pattern'], receipts: [`nullif(result, '')`],
};

/** What only makes sense below something else, the upper ones first. */
const PARENTS = [
  ['turns', 'sessionId', 'sessions'], ['items', 'turnId', 'turns'], ['approvals', 'turnId', 'turns'], ['approvals', 'itemId', 'items'],
  ['effects', 'turnId', 'turns'], ['turnProgress', 'turnId', 'turns'], ['earlyCancels', 'sessionId', 'sessions'],
] as const;

const LOSS_NOTICE = 'The gateway’s store was damaged, and a part of this conversation could not be read any more.';

/**
 * Makes a store out of what was salvaged: nothing hangs in the air, every text is whole up to its end, and a session of which something is known to
 * be missing says so. Events are not taken over, since their numbers might have a gap: clients get the whole state anew.
 */
export function mendSalvaged(database: DatabaseSync, now: number): Mended {
  const dropped = new Map<string, number>();
  const drop = (table: string, where: string): void => {
    const { changes } = database.prepare(`DELETE FROM ${table} WHERE ${where}`).run();
    if (Number(changes) > 0) dropped.set(table, (dropped.get(table) ?? 0) + Number(changes));
  };
  database.exec('BEGIN');
  for (const [table, columns] of Object.entries(JSON_COLUMNS)) for (const column of columns) drop(table, `${column} IS NOT NULL AND NOT json_valid(${column})`);
  for (const table of JUDGED_TABLES) dropImpossible(database, table, drop);
  for (const [table, column, parent] of PARENTS) drop(table, `NOT EXISTS (SELECT 1 FROM ${parent} AS p WHERE p.${column} = ${table}.${column})`);
  dropBrokenTexts(database, drop);
  dropBrokenBlobs(database, drop);
  const incomplete = incompleteSessions(database);
  reconnect(database);
  for (const sessionId of incomplete) tellLoss(database, sessionId, now);
  database.exec('DELETE FROM events; DELETE FROM eventSegments; DELETE FROM scopes; COMMIT');
  return { incompleteSessions: incomplete.length, dropped };
}

type Drop = (table: string, where: string) => void;

function dropImpossible(database: DatabaseSync, table: string, drop: Drop): void {
  const bad: number[] = [];
  for (const row of database.prepare(`SELECT rowid AS "#", * FROM ${table}`).iterate()) if (!isPossible(table, row)) bad.push(Number(row['#']));
  for (const rowid of bad) drop(table, `rowid = ${rowid}`);
}

/** A streamed text goes up to its first missing piece; a finished one has the length that was written beside it. */
function dropBrokenTexts(database: DatabaseSync, drop: Drop): void {
  drop('itemChunks', `NOT EXISTS (SELECT 1 FROM items WHERE itemNo = chunkNo / ${CHUNKS_PER_ITEM})`);
  const chunks = database.prepare('SELECT chunkNo, offset, length FROM itemChunks ORDER BY chunkNo').all();
  let [item, end] = [-1, 0];
  const bad: number[] = [];
  for (const { chunkNo, offset, length } of chunks) {
    const of = Math.floor(Number(chunkNo) / CHUNKS_PER_ITEM);
    if (of !== item) [item, end] = [of, 0];
    if (Number(offset) === end) end += Number(length);
    else bad.push(Number(chunkNo));
  }
  for (const chunkNo of bad) drop('itemChunks', `chunkNo = ${chunkNo}`);
}

/** What a blob holds must be what its name says. */
function dropBrokenBlobs(database: DatabaseSync, drop: Drop): void {
  const chunks = database.prepare('SELECT bytes FROM blobChunks WHERE workspace = ? AND digest = ? ORDER BY offset');
  for (const { workspace, digest, complete } of database.prepare('SELECT workspace, digest, complete FROM blobs').all()) {
    if (complete !== 1) continue;
    const hash = createHash('sha256');
    for (const { bytes } of chunks.iterate(String(workspace), String(digest))) hash.update(bytes as Uint8Array);
    if (hash.digest('hex') !== digest) database.prepare('DELETE FROM blobs WHERE workspace = ? AND digest = ?').run(String(workspace), String(digest));
  }
  drop('blobs', 'complete = 0');
  drop('blobChunks', 'NOT EXISTS (SELECT 1 FROM blobs AS b WHERE b.workspace = blobChunks.workspace AND b.digest = blobChunks.digest)');
}

/** Turns are numbered without gaps within a session, and items within a turn. */
function incompleteSessions(database: DatabaseSync): string[] {
  return database.prepare(`
    SELECT sessionId FROM sessions AS s WHERE turnCount <> (SELECT count(*) FROM turns AS t WHERE t.sessionId = s.sessionId)
      OR EXISTS (SELECT 1 FROM turns AS t LEFT JOIN turnProgress AS p USING (turnId)
        WHERE t.sessionId = s.sessionId AND coalesce(p.itemCount, -1) <> (SELECT count(*) FROM items AS i WHERE i.turnId = t.turnId))`).all().map(({ sessionId }) => String(sessionId));
}

/** Counters and links that other rows decide. That a goal once had a stamped session is never forgotten. */
function reconnect(database: DatabaseSync): void {
  database.exec(`
    UPDATE sessions SET turnCount = max(turnCount, (SELECT coalesce(max(turnIdx), 0) FROM turns AS t WHERE t.sessionId = sessions.sessionId));
    UPDATE sessions SET activeTurnId = NULL, status = CASE status WHEN 'busy' THEN 'stale' ELSE status END
      WHERE activeTurnId IS NOT NULL AND activeTurnId NOT IN (SELECT turnId FROM turns);
    INSERT OR IGNORE INTO turnProgress (turnId, reportSeq, itemCount) SELECT turnId, 0, 0 FROM turns;
    UPDATE turnProgress SET itemCount = max(itemCount, (SELECT coalesce(max(idx) + 1, 0) FROM items AS i WHERE i.turnId = turnProgress.turnId));
    INSERT OR IGNORE INTO stampedHistory (workspace, goalId) SELECT workspace, goalId FROM sessions WHERE goalInstanceId IS NOT NULL;
    UPDATE items SET parentId = NULL WHERE parentId IS NOT NULL AND parentId NOT IN (SELECT itemId FROM items)`);
}

function tellLoss(database: DatabaseSync, sessionId: string, now: number): void {
  const turn = database.prepare('SELECT turnId, turnIdx FROM turns WHERE sessionId = ? ORDER BY turnIdx DESC LIMIT 1').get(sessionId);
  if (turn === undefined) return;
  const [turnId, turnIdx] = [String(turn['turnId']), Number(turn['turnIdx'])];
  const idx = Number(database.prepare('SELECT itemCount FROM turnProgress WHERE turnId = ?').get(turnId)?.['itemCount'] ?? 0);
  database.prepare(`INSERT INTO items (itemId, sessionId, turnId, turnIdx, idx, state, outcome, rev, data, text, textLength, startedAt, endedAt)
    VALUES (?, ?, ?, ?, ?, 'completed', 'known', 1, ?, ?, ?, ?, ?)`).run(
    mintId('itm', now), sessionId, turnId, turnIdx, idx, JSON.stringify({ kind: 'notice', level: 'warning', code: 'store_loss' }), LOSS_NOTICE, LOSS_NOTICE.length, now, now);
  database.prepare('UPDATE turnProgress SET itemCount = ? WHERE turnId = ?').run(idx + 1, turnId);
}
