import type { DatabaseSync } from 'node:sqlite';
import { AttacheError } from '../../protocol/errors.ts';
import { SCHEMA_1 } from './schema1.ts';
import { SCHEMA_2 } from './schema2.ts';
import { SCHEMA_3 } from './schema3.ts';
import { SCHEMA_4 } from './schema4.ts';
import { SCHEMA_5 } from './schema5.ts';

/** Step n brings a store from version n to n + 1. Steps are never changed once released; each version has a fixture in test/fixtures/stores. */
export const STEPS: readonly string[] = [SCHEMA_1, SCHEMA_2, SCHEMA_3, SCHEMA_4, SCHEMA_5];

export const SCHEMA_VERSION = STEPS.length;

/** What a pragma that tells one thing says. */
export const pragma = (database: DatabaseSync, name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

export const schemaVersionOf = (database: DatabaseSync): number => Number(pragma(database, 'user_version'));

/** Brings the store to a version, by default the newest: all steps in one transaction, so that it is at the new version or as it was. */
export function migrate(database: DatabaseSync, to = SCHEMA_VERSION, steps = STEPS): void {
  const version = schemaVersionOf(database);
  if (version >= to) return;
  try {
    database.exec(['BEGIN IMMEDIATE', ...steps.slice(version, to), `PRAGMA user_version = ${to}`, 'COMMIT'].join(';\n'));
  } catch (error) {
    rollBack(database);
    // The disk and the file have codes of their own.
    if (!isSqlError(error)) throw error;
    throw new AttacheError('store_migration_failed', { message: `The store could not be brought from version ${version} to ${to} (${error.message}) and was left as it was.` });
  }
}

const SQLITE_ERROR = 1;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;

/** The statements do not fit the data. */
function isSqlError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return false;
  return [SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH].includes(error.errcode & 0xff);
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself.
  }
}
