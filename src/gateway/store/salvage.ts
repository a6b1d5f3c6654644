import fs from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { migrate, SCHEMA_VERSION, schemaVersionOf } from './migrations.ts';
import { mendSalvaged } from './mendSalvaged.ts';
import { isDamage } from './sqliteErrors.ts';
import type { StoreFiles } from './storeFiles.ts';

export interface Salvaged {
  readonly source: 'salvage' | 'backup';
  /** Rows by table that are known to be lost. */
  readonly lost: Readonly<Record<string, number>>;
  readonly incompleteSessions: number;
}

export interface SalvageOptions {
  readonly files: StoreFiles;
  /** Where the new store is written. */
  readonly target: string;
  readonly backup: string | null;
  readonly now: number;
}

/** Without these a store says nothing, and what it says of the rest cannot be placed. */
const ESSENTIAL = ['goals', 'sessions'] as const;

/**
 * Makes a new store of what can be read of a damaged one, table by table and row by row, and of the newest backup where a table cannot be read whole.
 * What cannot be proven to be as it was written is left out. Null when there is nothing to save.
 */
export function salvage(options: SalvageOptions): Salvaged | null {
  const { files, backup } = options;
  const damaged = fs.existsSync(files.main) ? fromDamaged(options) : null;
  if (damaged !== null) return damaged;
  return backup === null ? null : fromBackup(backup, options);
}

function fromDamaged(options: SalvageOptions): Salvaged | null {
  const source = openSource(options.files.main);
  if (source === null) return null;
  try {
    const copy = new Copy(source.database, options.target, source.version);
    try {
      if (!copy.tables()) return null;
      if (options.backup !== null) copy.complete(options.backup);
      return { source: 'salvage', ...copy.finish(options.now) };
    } finally {
      copy.close();
    }
  } finally {
    source.database.close();
  }
}

function fromBackup(backup: string, { target, now }: SalvageOptions): Salvaged | null {
  fs.rmSync(target, { force: true });
  fs.copyFileSync(backup, target);
  const database = new DatabaseSync(target);
  try {
    migrate(database);
    mendSalvaged(database, now);
    return { source: 'backup', lost: {}, incompleteSessions: 0 };
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  } finally {
    database.close();
  }
}

/** Null when not even its list of tables can be read. */
function openSource(file: string): { database: DatabaseSync; version: number } | null {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file);
    database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA cell_size_check = ON');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    const version = schemaVersionOf(database);
    if (version >= 1 && version <= SCHEMA_VERSION) return { database, version };
    database.close();
    return null;
  } catch (error) {
    database?.close();
    if (isDamage(error)) return null;
    throw error;
  }
}

type Row = Readonly<Record<string, SQLInputValue>>;

/** One salvage: a new store of the source's version, filled with what the source still gives. */
class Copy {
  readonly #source: DatabaseSync;
  readonly #target: DatabaseSync;
  readonly #lost = new Map<string, number>();
  readonly #partial = new Set<string>();
  readonly #triggers: readonly string[];

  constructor(source: DatabaseSync, target: string, version: number) {
    fs.rmSync(target, { force: true });
    this.#source = source;
    this.#target = new DatabaseSync(target);
    this.#target.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = OFF');
    migrate(this.#target, version);
    this.#triggers = this.#withoutTriggers();
  }

  /** False when an essential table cannot be read at all. */
  tables(): boolean {
    for (const table of this.#names()) {
      const { rows, whole } = this.#copy(table);
      if (whole) continue;
      this.#partial.add(table);
      if (rows === 0 && ESSENTIAL.some((name) => name === table)) return false;
    }
    return true;
  }

  /** Adds rows of an older copy to the tables that could not be read whole; a row that was read is newer. */
  complete(backup: string): void {
    if (this.#partial.size === 0) return;
    const older = new DatabaseSync(backup, { readOnly: true });
    try {
      for (const table of this.#partial) this.#addFrom(older, table);
    } catch (error) {
      if (!isDamage(error)) throw error;
    } finally {
      older.close();
    }
  }

  finish(now: number): Omit<Salvaged, 'source'> {
    for (const sql of this.#triggers) this.#target.exec(sql);
    migrate(this.#target);
    const { incompleteSessions, dropped } = mendSalvaged(this.#target, now);
    for (const [table, rows] of dropped) this.#lose(table, rows);
    return { lost: Object.fromEntries(this.#lost), incompleteSessions };
  }

  close(): void {
    this.#target.close();
  }

  /** What they would do has been done: their rows are copied as they are. */
  #withoutTriggers(): string[] {
    const triggers = this.#target.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all();
    for (const { name } of triggers) this.#target.exec(`DROP TRIGGER ${String(name)}`);
    return triggers.map(({ sql }) => String(sql));
  }

  #names(): string[] {
    const rows = this.#target.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid`).all();
    return rows.map(({ name }) => String(name));
  }

  #lose(table: string, rows: number): void {
    if (rows > 0) this.#lost.set(table, (this.#lost.get(table) ?? 0) + rows);
  }

  #copy(table: string): { rows: number; whole: boolean } {
    const put = this.#putter(table, 'INSERT OR IGNORE');
    let rows = 0;
    const take = (row: Row): void => {
      if (put(row)) rows += 1;
      else this.#lose(table, 1);
    };
    this.#target.exec('BEGIN');
    const last = this.#read(`SELECT rowid AS "#", * FROM ${table} NOT INDEXED ORDER BY rowid`, take);
    // Behind a page that cannot be read there may be others that can: they are reached from the other end.
    if (last !== null) this.#read(`SELECT rowid AS "#", * FROM ${table} NOT INDEXED WHERE rowid > ${last} ORDER BY rowid DESC`, take);
    this.#target.exec('COMMIT');
    return { rows, whole: last === null };
  }

  /** Null when all could be read; else the number of the last row before the damage. */
  #read(sql: string, take: (row: Row) => void): string | null {
    let last = '-9223372036854775808';
    try {
      const statement = this.#source.prepare(sql);
      statement.setReadBigInts(true);
      for (const found of statement.iterate()) {
        const { '#': rowid, ...row } = found as Record<string, SQLInputValue>;
        last = String(rowid);
        take(row);
      }
      return null;
    } catch (error) {
      // Bytes that are no text, or a table that the damaged list does not name: the same as a page that cannot be read.
      if (!(error instanceof Error)) throw error;
      return last;
    }
  }

  #addFrom(older: DatabaseSync, table: string): void {
    const put = this.#putter(table, 'INSERT OR IGNORE');
    this.#target.exec('BEGIN');
    for (const row of older.prepare(`SELECT * FROM ${table}`).iterate()) put(row as Row);
    this.#target.exec('COMMIT');
  }

  /** Gives whether the row was taken. Strict tables refuse values of a wrong type by themselves. */
  #putter(table: string, verb: string): (row: Row) => boolean {
    const known = new Set(this.#target.prepare(`SELECT name FROM pragma_table_info('${table}')`).all().map(({ name }) => String(name)));
    const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
    return (row) => {
      const names = Object.keys(row).filter((name) => known.has(name));
      const key = names.join(', ');
      const statement = statements.get(key) ?? this.#target.prepare(`${verb} INTO ${table} (${key}) VALUES (${names.map(() => '?').join(', ')})`);
      statements.set(key, statement);
      try {
        return Number(statement.run(...names.map((name) => row[name] ?? null)).changes) === 1;
      } catch {
        return false;
      }
    };
  }
}
