import { AttacheError } from '../../protocol/errors.ts';

const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

const KINDS = new Map<number, 'store_read_only' | 'store_disk_failed' | 'store_unreadable' | 'storage_full'>([
  [SQLITE_READONLY, 'store_read_only'],
  [SQLITE_CANTOPEN, 'store_read_only'],
  [SQLITE_IOERR, 'store_disk_failed'],
  [SQLITE_CORRUPT, 'store_unreadable'],
  [SQLITE_NOTADB, 'store_unreadable'],
  [SQLITE_FULL, 'storage_full'],
]);

const isSqliteError = (error: unknown): error is Error & { errcode: number } =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';

const OURS: ReadonlySet<string> = new Set(KINDS.values());

/** True when the store itself failed, and not what was asked of it. */
export const isStoreFailure = (error: unknown): boolean => isSqliteError(error) || (error instanceof AttacheError && OURS.has(error.kind));

export function isDamage(error: unknown): boolean {
  const named = storeError(error);
  return named instanceof AttacheError && named.kind === 'store_unreadable';
}

/** A failure of SQLite or of the disk that has a code of ours, under that code; anything else as it is. */
export function storeError(error: unknown): unknown {
  if (isSqliteError(error)) {
    const kind = KINDS.get(error.errcode & 0xff);
    return kind === undefined ? error : new AttacheError(kind);
  }
  return fileError(error) ?? error;
}

function fileError(error: unknown): AttacheError | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new AttacheError('storage_full');
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new AttacheError('store_read_only', { message: `The store cannot be written: ${error.message}.` });
    case 'EISDIR':
    case 'ELOOP':
      return new AttacheError('store_unreadable', { message: `The store cannot be opened: ${error.message}.` });
    case 'EIO':
      return new AttacheError('store_disk_failed');
    default:
      return null;
  }
}

/** Gives a failure that has a code of ours that code. */
export function named<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw storeError(error);
  }
}
