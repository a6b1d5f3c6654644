import { DatabaseSync } from 'node:sqlite';
import type { Disposable } from '../../base/disposable.ts';
import { AttacheError } from '../../protocol/errors.ts';

/** SQLite's primary result code for a file that another connection has locked. */
const SQLITE_BUSY = 5;

/**
 * Proves to be the only gateway of a data root for as long as it is held. The lock is the operating system's own lock on the
 * file: it ends with the process, also by kill -9, and means nothing on a file left behind. Null when another process holds it.
 */
export function acquireInstanceLock(file: string): Disposable | null {
  let database: DatabaseSync | null = null;
  try {
    const held = (database = new DatabaseSync(file));
    held.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
    return { dispose: () => held.close() };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw new AttacheError('gateway_unavailable', { message: `${file} cannot be used as the gateway’s lock: ${error instanceof Error ? error.message : String(error)}.`, next: 'Remove that file when no gateway runs, then try again.' });
  }
}

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === SQLITE_BUSY;
