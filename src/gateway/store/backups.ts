import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AttacheError } from '../../protocol/errors.ts';
import { pragma, schemaVersionOf } from './migrations.ts';

const KEPT = 2;
const NAME = /^store-v(\d+)-(\d+)\.db$/;

/**
 * A whole copy of the store as it was before it is brought to a newer version, proven to open. The newest two are kept, readable by this user only.
 * Throws when it cannot be made: then the store must not be changed.
 */
export function backUp(database: DatabaseSync, folder: string, now: number): string {
  const version = schemaVersionOf(database);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = path.join(folder, `store-v${version}-${now}.db`);
  const draft = `${target}.tmp`;
  fs.rmSync(draft, { force: true });
  try {
    database.prepare('VACUUM INTO ?').run(draft);
    fs.chmodSync(draft, 0o600);
    verify(draft, version);
    fs.renameSync(draft, target);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
  for (const old of listBackups(folder).slice(KEPT)) fs.rmSync(old, { force: true });
  return target;
}

/** The newest first. */
export function listBackups(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  const made = (name: string): number => Number(NAME.exec(name)?.[2]);
  return fs.readdirSync(folder).filter((name) => NAME.test(name)).sort((a, b) => made(b) - made(a)).map((name) => path.join(folder, name));
}

/** When a backup was made. */
export const backupTime = (file: string): number => Number(NAME.exec(path.basename(file))?.[2] ?? 0);

function verify(file: string, version: number): void {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    if (pragma(copy, 'quick_check(1)') !== 'ok' || schemaVersionOf(copy) !== version) throw new AttacheError('store_unreadable', { message: 'The backup before the change of the store could not be read back, so nothing was changed.' });
  } finally {
    copy.close();
  }
}
