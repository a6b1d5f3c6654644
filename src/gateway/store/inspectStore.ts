import type { Buffer } from 'node:buffer';
import fs from 'node:fs';
import { SCHEMA_VERSION } from './migrations.ts';
import { DB_HEADER, pageSizeOf, PageSums } from './pageSums.ts';
import { fileBytes, readHead, readMarker, type StoreFiles } from './storeFiles.ts';
import { readWal, type WalContent } from './walFile.ts';

/** What the files of a store look like from outside, before SQLite may touch them. `reason` is for people. */
export type Inspection =
  | { readonly kind: 'fresh' }
  /** `doubtful`: SQLite itself should look at all of it. `unchecked`: what is left to be compared while the gateway runs. */
  | { readonly kind: 'sound'; readonly schemaVersion: number; readonly doubtful: boolean; readonly unchecked: PageSums | null; readonly wal: WalContent }
  /** Whole as far as it goes; its newest changes cannot be read. */
  | { readonly kind: 'shortened'; readonly schemaVersion: number; readonly reason: string }
  | { readonly kind: 'damaged'; readonly reason: string };

/** A store up to this size is checked whole at each start; a larger one bit by bit while the gateway runs. */
const CHECKED_AT_ONCE = 32 * 1024 * 1024;
/** Of versions to come. */
const BELIEVABLE = 1000;
const SQLITE_MAGIC = 'SQLite format 3\0';

export function inspectStore(files: StoreFiles): Inspection {
  const walBytes = fileBytes(files.wal);
  if (!fs.existsSync(files.main)) return inspectMissing(files, walBytes);
  const size = fileBytes(files.main);
  // SQLite would take an empty file for a new store, and throw its log away.
  if (size === 0) return walBytes > 0 || readMarker(files.marker) !== null ? damaged('its file is empty') : { kind: 'fresh' };
  const header = readHead(files.main, DB_HEADER);
  if (header.length < DB_HEADER || header.toString('latin1', 0, 16) !== SQLITE_MAGIC) return damaged('its file is not a database');
  return inspectPages(files, size, header);
}

function inspectMissing(files: StoreFiles, walBytes: number): Inspection {
  if (walBytes > 0) return damaged('its file is missing and only its log is there');
  return readMarker(files.marker) === null ? { kind: 'fresh' } : damaged('its file is missing');
}

function inspectPages(files: StoreFiles, size: number, header: Buffer): Inspection {
  const wal = readWal(files.wal);
  const schemaVersion = (wal.pageAt(1) ?? header).readUInt32BE(60);
  // A newer build may keep other files beside its store: nothing about it is judged here.
  if (schemaVersion > SCHEMA_VERSION && schemaVersion < SCHEMA_VERSION + BELIEVABLE) return { kind: 'sound', schemaVersion, doubtful: false, unchecked: null, wal };
  if (schemaVersion === 0 && readMarker(files.marker) !== null) return damaged('it is empty, and was not');
  return judgePages(files, { size, header, wal, schemaVersion });
}

interface Pages {
  readonly size: number;
  readonly header: Buffer;
  readonly wal: WalContent;
  readonly schemaVersion: number;
}

function judgePages(files: StoreFiles, { size, header, wal, schemaVersion }: Pages): Inspection {
  const pageSize = pageSizeOf(header);
  // Pages that are only in the log are no loss: a checkpoint that was cut short is done again.
  const pages = wal.dbPages > 0 ? wal.dbPages : header.readUInt32BE(28);
  if (!isWhole(size / pageSize, pages, wal)) return damaged('its file was cut off');
  const sums = sumsFor(files, pageSize);
  const suspect = fs.existsSync(files.suspect);
  const atOnce = suspect || size <= CHECKED_AT_ONCE;
  // The first page tells what all else is read by: it is checked always.
  const until = atOnce ? Math.min(pages, sums?.pages ?? 0) : 1;
  const wrong = sums?.wrong(files.main, wal.pages, 1, Math.max(1, until)).length ?? 0;
  if (wrong > 0) return damaged(`${wrong} of the ${size / pageSize} pages of its file are not what was written`);
  if (wal.broken) return { kind: 'shortened', schemaVersion, reason: 'its log is damaged, so that the newest changes cannot be read' };
  return { kind: 'sound', schemaVersion, doubtful: suspect || (atOnce && sums === null), unchecked: atOnce ? null : sums, wal };
}

function sumsFor({ sums }: StoreFiles, pageSize: number): PageSums | null {
  const found = PageSums.read(sums);
  return found?.pageSize === pageSize ? found : null;
}

function isWhole(there: number, expected: number, wal: WalContent): boolean {
  if (!Number.isInteger(there)) return false;
  for (let page = there + 1; page <= expected; page++) if (!wal.pages.has(page)) return false;
  return true;
}

const damaged = (reason: string): Inspection => ({ kind: 'damaged', reason });
