// A store of each released schema version, as text. Run by itself it writes the fixtures that are missing:
//   node test/support/storeFixtures.ts
import fs from 'node:fs';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate, SCHEMA_VERSION } from '../../src/gateway/store/migrations.ts';
import { fillStore } from '../unit/gateway/support/fillStore.ts';
import { repository } from './repository.ts';

const FOLDER = path.join(repository, 'test/fixtures/stores');
const fileOf = (version: number): string => path.join(FOLDER, `schema-${version}.sql`);

export const fixtureVersions = (): number[] =>
  readdirSync(FOLDER).map((name) => Number(/^schema-(\d+)\.sql$/.exec(name)?.[1])).filter((version) => version > 0).sort((a, b) => a - b);

/** Makes the store that a gateway of that version left. */
export function loadFixture(version: number, file: string): void {
  const database = new DatabaseSync(file);
  database.exec(readFileSync(fileOf(version), 'utf8'));
  database.close();
}

export type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** Every row of every table, in the order of their numbers. */
export function rowsOf(file: string): Rows {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.fromEntries(tablesOf(database).map((table) => [table, database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all().map((row) => ({ ...row }))]));
  } finally {
    database.close();
  }
}

const tablesOf = (database: DatabaseSync): string[] =>
  database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`).all().map(({ name }) => String(name));

const columnsOf = (database: DatabaseSync, table: string): string[] => database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all().map(({ name }) => String(name));

/** Text that makes the same store again, byte for byte in every value. */
function dump(database: DatabaseSync, version: number): string {
  const schema = (type: string): string[] => database.prepare('SELECT sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE \'sqlite_%\' ORDER BY name').all(type).map(({ sql }) => `${String(sql)};`);
  const rows = tablesOf(database).flatMap((table) => {
    const columns = columnsOf(database, table);
    const quoted = database.prepare(`SELECT ${columns.map((name) => `quote(${name})`).join(` || ', ' || `)} AS line FROM ${table} ORDER BY rowid`);
    return quoted.all().map(({ line }) => `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${String(line)});`);
  });
  return ['BEGIN;', ...schema('table'), ...rows, ...schema('index'), ...schema('trigger'), `PRAGMA user_version = ${version};`, 'COMMIT;', ''].join('\n');
}

/** The rows of a full store that a store of an older version has room for. */
function inVersion(version: number, from: string): string {
  const full = new DatabaseSync(from, { readOnly: true });
  const old = new DatabaseSync(':memory:');
  migrate(old, version);
  for (const table of tablesOf(old)) {
    const names = columnsOf(old, table).filter((name) => columnsOf(full, table).includes(name));
    const put = old.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`);
    for (const row of full.prepare(`SELECT ${names.join(', ')} FROM ${table} ORDER BY rowid`).all()) put.run(...names.map((name) => row[name] ?? null));
  }
  const text = dump(old, version);
  old.close();
  full.close();
  return text;
}

async function writeMissing(): Promise<void> {
  const file = path.join(fs.mkdtempSync('/tmp/attfix-'), 'store.db');
  await fillStore(file);
  const missing = Array.from({ length: SCHEMA_VERSION }, (_, at) => at + 1).filter((version) => !fs.existsSync(fileOf(version)));
  for (const version of missing) writeFileSync(fileOf(version), inVersion(version, file));
  console.log(missing.length === 0 ? 'every version has its fixture' : `written: ${missing.join(', ')}`);
  fs.rmSync(path.dirname(file), { recursive: true });
}

if (import.meta.main) await writeMissing();
