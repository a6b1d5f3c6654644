import fs from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { StoreOutcome } from '../../protocol/gateway/commands.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { makeShrinkable, openDatabase, shrinks } from './openDatabase.ts';
import { PageCheck } from './pageCheck.ts';
import { decodeRow, encodeValue } from './sqlText.ts';
import { isDamage, named, storeError } from './sqliteErrors.ts';
import { fileBytes, readMarker, replaceFile, storeFiles, type Marker, type StoreFiles } from './storeFiles.ts';

/** lifecycle survives power loss; stream survives the death of the process. */
export type Durability = 'lifecycle' | 'stream';

/** One thing the store is about to do; `committed` comes after the commit and before anybody hears of it. */
export interface StoreStep {
  readonly kind: 'read' | 'write' | 'commit' | 'committed';
  readonly sql: string;
}

export interface StoreOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  /** No new turn is taken once so much is in use; by default the limit of the protocol. */
  readonly capBytes?: number;
  /** Sees every step before it is taken; throwing makes the step fail. */
  readonly observe?: (step: StoreStep) => void;
}

export type Row = Readonly<Record<string, SQLInputValue>>;

const SYNCHRONOUS = { lifecycle: 'FULL', stream: 'NORMAL' } as const;

/** What the store takes on the disk. */
export interface StoreSize {
  readonly storeBytes: number;
  readonly walBytes: number;
  /** Without pages that are free to be used again. */
  readonly usedBytes: number;
  readonly freeBytes: number;
}

/** The one SQLite connection of a gateway. All access is synchronous, so that a transaction never sees another one begin. */
export class Store {
  readonly path: string;
  readonly capBytes: number;
  /** How the files were found when it was opened. */
  readonly outcome: StoreOutcome;
  readonly #files: StoreFiles | null;
  readonly #database: DatabaseSync;
  readonly #observe: (step: StoreStep) => void;
  readonly #statements = new Map<string, StatementSync>();
  readonly #pages: PageCheck | null;
  #durability: Durability | null = null;
  #inTransaction = false;
  #commits = 0;
  #checkpointedAt = -1;
  #damage: string | null = null;

  constructor(options: StoreOptions) {
    this.path = options.path;
    this.capBytes = options.capBytes ?? LIMITS.storeBytes;
    this.#observe = options.observe ?? (() => undefined);
    this.#files = options.path === ':memory:' ? null : storeFiles(options.path);
    const { database, outcome, unchecked } = openDatabase(options.path, Date.now());
    this.#database = database;
    this.outcome = outcome;
    this.#pages = this.#files === null ? null : new PageCheck(this.#files, unchecked);
  }

  /** Damage that was met since the store was opened, for people; null when none was. */
  get damage(): string | null {
    return this.#damage;
  }

  /** Number of transactions that were committed. */
  get commits(): number {
    return this.#commits;
  }

  /** What is read now may yet be taken back. */
  get isInTransaction(): boolean {
    return this.#inTransaction;
  }

  get<R>(sql: string, ...values: SQLInputValue[]): R | undefined {
    this.#observe({ kind: 'read', sql });
    const row = this.#noting(() => this.#statement(sql).get(...values.map(encodeValue)));
    return (row && decodeRow(row)) as R | undefined;
  }

  all<R>(sql: string, ...values: SQLInputValue[]): R[] {
    this.#observe({ kind: 'read', sql });
    return this.#noting(() => this.#statement(sql).all(...values.map(encodeValue))).map(decodeRow) as R[];
  }

  /** Returns the number of rows that changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.#observe({ kind: 'write', sql });
    return Number(this.#statement(sql).run(...values.map(encodeValue)).changes);
  }

  /** Returns the number of the new row. */
  insert(table: string, row: Row): number {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    this.#observe({ kind: 'write', sql });
    return Number(this.#statement(sql).run(...Object.values(row).map(encodeValue)).lastInsertRowid);
  }

  /** Changes the named columns of the one row with this key. */
  patch(table: string, key: Row, changes: Row): number {
    const set = Object.keys(changes).map((name) => `${name} = ?`).join(', ');
    const where = Object.keys(key).map((name) => `${name} = ?`).join(' AND ');
    return this.run(`UPDATE ${table} SET ${set} WHERE ${where}`, ...Object.values(changes), ...Object.values(key));
  }

  /** Everything in `body` is committed, or nothing. Transactions do not nest. */
  transaction<T>(durability: Durability, body: () => T): T {
    if (this.#inTransaction) throw new Error('a transaction is open already');
    this.#noting(() => {
      this.#setDurability(durability);
      this.#statement('BEGIN IMMEDIATE').run();
    });
    this.#inTransaction = true;
    let result: T;
    try {
      result = body();
      this.#observe({ kind: 'commit', sql: 'COMMIT' });
      this.#statement('COMMIT').run();
    } catch (error) {
      this.#rollback();
      throw this.#noted(error);
    } finally {
      this.#inTransaction = false;
    }
    this.#commits += 1;
    this.#observe({ kind: 'committed', sql: 'COMMIT' });
    return result;
  }

  /** Moves committed pages from the log into the file. */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
    if (this.#checkpointedAt === this.#commits && mode === 'PASSIVE') return;
    this.#noting(() => {
      const written = this.#pages?.written() ?? new Set();
      this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      // Until the sums are on the disk the log must still hold the pages that were written.
      this.#pages?.learn(written);
      if (mode === 'TRUNCATE') this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    });
    this.#checkpointedAt = this.#commits;
  }

  /** It was too large to be compared with its sums at the start. */
  get isPartlyChecked(): boolean {
    return this.#pages?.hasMore === true;
  }

  /** Compares a part of the file with its sums; false when all of it has been compared. */
  checkSome(): boolean {
    const found = this.#pages?.some() ?? null;
    if (found === null) return false;
    if (found.wrong > 0) this.#noteDamage(`${found.wrong} pages of the file are not what was written`);
    return true;
  }

  walBytes(): number {
    return fileBytes(`${this.path}-wal`);
  }

  bytes(): number {
    if (this.#files !== null) return fileBytes(this.path) + this.walBytes();
    return this.#pragma('page_count') * this.#pragma('page_size');
  }

  size(): StoreSize {
    const pageSize = this.#pragma('page_size');
    const freeBytes = this.#pragma('freelist_count') * pageSize;
    return { storeBytes: this.bytes(), walBytes: this.#files === null ? 0 : this.walBytes(), usedBytes: this.#pragma('page_count') * pageSize - freeBytes, freeBytes };
  }

  /** Whether there is room for new turns. What runs may always end. */
  isFull(): boolean {
    return this.bytes() >= this.capBytes && this.size().usedBytes >= this.capBytes;
  }

  /** Whether free pages can be given back bit by bit; else only by writing the whole store anew, which nobody is made to wait for unasked. */
  get shrinksBitByBit(): boolean {
    return shrinks(this.#database);
  }

  /** Gives free pages back, at most so many; returns how many are still free. A store of an older build is written anew as a whole, once. */
  shrink(pages: number): number {
    this.#noting(() => {
      if (shrinks(this.#database)) this.#database.exec(`PRAGMA incremental_vacuum(${pages})`);
      else makeShrinkable(this.#database);
    });
    this.#commits += 1;
    return this.#pragma('freelist_count');
  }

  marker(): Marker | null {
    return this.#files === null ? null : readMarker(this.#files.marker);
  }

  setMarker(marker: Marker): void {
    const files = this.#files;
    // It counts only where the store itself has lost something.
    if (files !== null) named(() => replaceFile(files.marker, JSON.stringify(marker), false));
  }

  close(): void {
    this.#statements.clear();
    try {
      this.checkpoint('TRUNCATE');
    } catch {
      // What is in the log stays there for the next start.
    }
    this.#database.close();
  }

  #pragma(name: 'page_count' | 'page_size' | 'freelist_count'): number {
    return Number(Object.values(this.#statement(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
  }

  #noting<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw this.#noted(error);
    }
  }

  #noted(error: unknown): unknown {
    if (isDamage(error)) this.#noteDamage(error instanceof Error ? error.message : String(error));
    return storeError(error);
  }

  /** Remembered for the next start, which looks at all of the store and saves what can be saved. */
  #noteDamage(what: string): void {
    if (this.#damage !== null) return;
    this.#damage = what;
    if (this.#files !== null) fs.writeFileSync(this.#files.suspect, what, { mode: 0o600 });
  }

  #setDurability(durability: Durability): void {
    if (this.#durability === durability) return;
    this.#database.exec(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}`);
    this.#durability = durability;
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #rollback(): void {
    try {
      this.#statement('ROLLBACK').run();
    } catch {
      // SQLite has rolled back by itself (disk full, I/O error).
    }
  }
}
