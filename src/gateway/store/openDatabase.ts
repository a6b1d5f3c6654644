import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AttacheError } from '../../protocol/errors.ts';
import type { StoreOutcome } from '../../protocol/gateway/commands.ts';
import { backUp, backupTime, listBackups } from './backups.ts';
import { inspectStore, type Inspection } from './inspectStore.ts';
import { migrate, pragma, SCHEMA_VERSION, schemaVersionOf } from './migrations.ts';
import type { PageSums } from './pageSums.ts';
import { salvage, type Salvaged } from './salvage.ts';
import { isDamage, named, storeError } from './sqliteErrors.ts';
import { fileBytes, readMarker, storeFiles, type StoreFiles } from './storeFiles.ts';
import type { WalContent } from './walFile.ts';

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  readonly outcome: StoreOutcome;
  /** Sums of a store that is too large to be checked at once. */
  readonly unchecked: PageSums | null;
}

type Recovered = Extract<StoreOutcome, { kind: 'recovered' }>;

/** Above this a store is made one that can shrink only when somebody asks for space: it is written anew as a whole. */
const REWRITTEN_AT_ONCE = 64 * 1024 * 1024;
const LOSS = 'storeLoss';

/**
 * Opens a store, whatever its files have become: as it is; with a marked loss and a copy of the damaged files beside it; or not at all, with the
 * reason, and then every file is as it was. Damage is never taken for an empty store.
 */
export function openDatabase(main: string, now: number): OpenedDatabase {
  if (main === ':memory:') return { database: prepare(connect(main)), outcome: { kind: 'created' }, unchecked: null };
  const files = storeFiles(main);
  const found = named(() => {
    requireWritable(files);
    finishTakeOver(files);
    return inspectStore(files);
  });
  refuseNewer(found);
  if (found.kind === 'damaged') return recovered(files, found.reason, now);
  if (found.kind === 'shortened') return shortened(files, found.reason, now);
  try {
    if (found.kind === 'fresh') return { database: open(files, now), outcome: { kind: 'created' }, unchecked: null };
    const database = open(files, now, found.doubtful);
    fs.rmSync(files.suspect, { force: true });
    return { database, outcome: isOlder(database, files) ? aged(database, files, found.wal, now) : outcomeOf(database, files), unchecked: found.unchecked };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return recovered(files, 'it cannot be read', now);
  }
}

/** A newer gateway’s store is not even opened: SQLite would move its log. */
function refuseNewer(found: Inspection): void {
  if ((found.kind === 'sound' || found.kind === 'shortened') && found.schemaVersion > SCHEMA_VERSION) throw new AttacheError('gateway_outdated');
}

/** A gateway that cannot write could not even keep its epoch: it says so at once instead of at the first command. */
function requireWritable({ main, wal }: StoreFiles): void {
  fs.accessSync(path.dirname(main), fs.constants.W_OK);
  for (const file of [main, wal]) if (fs.existsSync(file)) fs.closeSync(fs.openSync(file, 'r+'));
}

/** `doubtful`: SQLite looks at the whole of it first. */
function open(files: StoreFiles, now: number, doubtful = false): DatabaseSync {
  let database: DatabaseSync | null = null;
  try {
    database = connect(files.main);
    if (doubtful && pragma(database, 'quick_check(1)') !== 'ok') throw new AttacheError('store_unreadable');
    if (schemaVersionOf(database) > 0 && schemaVersionOf(database) < SCHEMA_VERSION) backUp(database, files.backups, now);
    return prepare(database, fileBytes(files.main));
  } catch (error) {
    database?.close();
    // Closing has moved the log into the file: the sums are of what was before, and the next start looks at all of it instead.
    if (database !== null) fs.rmSync(files.sums, { force: true });
    throw storeError(error);
  }
}

/** SQLite must never move its log by itself, from the first statement on: pages that were written without their sums would pass for damage. */
function connect(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA wal_autocheckpoint = 0');
  return database;
}

function prepare(database: DatabaseSync, size = 0): DatabaseSync {
  // Before the first page is written; an older store has to be written anew once. On a store that has it already the pragma would be a commit.
  if (!shrinks(database)) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000; PRAGMA cell_size_check = ON');
  const old = schemaVersionOf(database) > 0;
  migrate(database);
  if (old && !shrinks(database) && size <= REWRITTEN_AT_ONCE) makeShrinkable(database);
  return database;
}

/** Whether free pages can be given back. */
export const shrinks = (database: DatabaseSync): boolean => pragma(database, 'auto_vacuum') === 2;

/** Writes the whole store anew. */
export function makeShrinkable(database: DatabaseSync): void {
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
}

/** All that is whole is here: only the files as they were found are kept, and the loss is marked. */
function shortened(files: StoreFiles, reason: string, now: number): OpenedDatabase {
  const keptIn = named(() => keepAside(files, now));
  const database = open(files, now);
  return { database, outcome: mark(database, { kind: 'recovered', at: now, reason, keptIn, source: 'wal', lost: {}, incompleteSessions: 0 }), unchecked: null };
}

/** The marker beside the store has seen a later start than the store itself: its log is gone, or was cut. */
function isOlder(database: DatabaseSync, files: StoreFiles): boolean {
  const epoch = Number(database.prepare(`SELECT value FROM meta WHERE name = 'epoch'`).get()?.['value'] ?? 0);
  return epoch < (readMarker(files.marker)?.epoch ?? 0);
}

function aged(database: DatabaseSync, files: StoreFiles, wal: WalContent, now: number): Recovered {
  const keptIn = named(() => keepAside(files, now));
  // Its file has not been touched yet, its log has.
  named(() => fs.writeFileSync(path.join(path.dirname(files.main), keptIn, path.basename(files.wal)), wal.bytes));
  return mark(database, { kind: 'recovered', at: now, reason: 'the log with the newest changes is missing', keptIn, source: 'wal', lost: {}, incompleteSessions: 0 });
}

function recovered(files: StoreFiles, reason: string, now: number): OpenedDatabase {
  const keptIn = named(() => keepAside(files, now));
  try {
    const [backup = null] = listBackups(files.backups);
    const saved = named(() => salvage({ files, target: files.salvaged, backup, now }));
    if (saved === null) throw unreadable(files, reason);
    const outcome: Recovered = { kind: 'recovered', at: now, reason: reasonFor(saved, reason, backup), keptIn, ...saved };
    markFile(files.salvaged, outcome);
    named(() => takeOver(files));
    return { database: open(files, now), outcome, unchecked: null };
  } catch (error) {
    putBack(files, path.join(path.dirname(files.main), keptIn));
    throw storeError(error);
  }
}

function reasonFor({ source }: Salvaged, reason: string, backup: string | null): string {
  return source === 'backup' && backup !== null ? `${reason}; this is the copy of ${new Date(backupTime(backup)).toISOString()}` : reason;
}

function unreadable({ main }: StoreFiles, reason: string): AttacheError {
  return new AttacheError('store_unreadable', {
    message: `The store ${main} is damaged: ${reason}. Nothing could be saved from it, and it was left as it is.`,
    next: `Put a copy of it back, or, to begin with an empty store, move all files named ${path.basename(main)}* out of ${path.dirname(main)}; then reload the window.`,
  });
}

/** A copy of every file as it was found, under a name that says when. */
function keepAside(files: StoreFiles, now: number): string {
  const name = `store-damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  const folder = path.join(path.dirname(files.main), name);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    for (const file of kept(files)) fs.copyFileSync(file, path.join(folder, path.basename(file)));
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return name;
}

const kept = ({ main, wal, shm, sums }: StoreFiles): string[] => [main, wal, shm, sums].filter((file) => fs.existsSync(file));

/** Nothing was saved: every file is as it was found. */
function putBack(files: StoreFiles, folder: string): void {
  for (const file of [files.salvaged, files.ready]) fs.rmSync(file, { force: true });
  for (const file of [files.main, files.wal, files.shm, files.sums]) {
    const copy = path.join(folder, path.basename(file));
    if (fs.existsSync(copy)) fs.copyFileSync(copy, file);
    else fs.rmSync(file, { force: true });
  }
  fs.rmSync(folder, { recursive: true, force: true });
}

/** From the moment the new store has its second name on it replaces the old one, also when the gateway is killed in between. */
function takeOver(files: StoreFiles): void {
  flush(files.salvaged);
  fs.chmodSync(files.salvaged, 0o600);
  fs.renameSync(files.salvaged, files.ready);
  finishTakeOver(files);
}

function finishTakeOver(files: StoreFiles): void {
  if (!fs.existsSync(files.ready)) return;
  for (const file of [files.wal, files.shm, files.sums, files.suspect]) fs.rmSync(file, { force: true });
  fs.renameSync(files.ready, files.main);
}

function flush(file: string): void {
  const fd = fs.openSync(file, 'r+');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

function markFile(file: string, outcome: Recovered): void {
  const database = new DatabaseSync(file);
  try {
    named(() => mark(database, outcome));
  } finally {
    database.close();
  }
}

function mark(database: DatabaseSync, outcome: Recovered): Recovered {
  database.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)').run(LOSS, JSON.stringify(outcome));
  return outcome;
}

/** A loss is told for as long as the damaged files are kept. */
function outcomeOf(database: DatabaseSync, files: StoreFiles): StoreOutcome {
  const row = database.prepare('SELECT value FROM meta WHERE name = ?').get(LOSS);
  if (row === undefined) return { kind: 'opened' };
  const loss = JSON.parse(String(row['value'])) as Recovered;
  return fs.existsSync(path.join(path.dirname(files.main), loss.keptIn)) ? loss : { kind: 'opened' };
}
