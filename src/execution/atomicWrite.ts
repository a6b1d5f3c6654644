import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { chmod, link, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AttacheError } from '../protocol/errors.ts';
import { errorCode, isMissing } from './containment.ts';

/** What a file was when it was looked at; null: there was none. */
export type FileStamp = { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint; readonly mode: bigint; readonly nlink: bigint } | null;

export async function stampOf(path: string): Promise<FileStamp> {
  return stat(path, { bigint: true }).then((info: BigIntStats) => info, (error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

/**
 * Replaces a file's bytes whole or not at all, keeping its mode; makes missing folders. `path` is a real path. edit_conflict
 * when the file is not the one of the stamp any more.
 */
export async function writeAtomic(path: string, bytes: Uint8Array, seen: FileStamp): Promise<void> {
  if (seen === null) await mkdir(dirname(path), { recursive: true });
  // Another name of the same file would go on showing the old bytes.
  if (seen !== null && seen.nlink > 1n) return overwrite(path, bytes, seen);
  try {
    await replace(path, bytes, seen);
  } catch (error) {
    // The folder takes no new files, but the file itself may still be writable.
    if (seen === null || !['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error))) throw error;
    await overwrite(path, bytes, seen);
  }
}

async function replace(path: string, bytes: Uint8Array, seen: FileStamp): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  const mode = seen === null ? null : Number(seen.mode & 0o7777n);
  const file = await open(temporary, 'wx', mode ?? 0o666);
  try {
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    // The mode given at creation was cut by the umask.
    if (mode !== null) await chmod(temporary, mode);
    await requireSame(path, seen);
    if (seen === null) await place(temporary, path);
    else await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Never over a file that came to be in the meantime. */
async function place(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw movedOn(path);
    // A file system without second names.
    return rename(temporary, path);
  }
  await rm(temporary, { force: true });
}

async function overwrite(path: string, bytes: Uint8Array, seen: FileStamp): Promise<void> {
  await requireSame(path, seen);
  await writeFile(path, bytes, { flush: true });
}

async function requireSame(path: string, seen: FileStamp): Promise<void> {
  const now = await stampOf(path);
  if (now === null && seen === null) return;
  if (now !== null && seen !== null && now.ino === seen.ino && now.size === seen.size && now.mtimeNs === seen.mtimeNs) return;
  throw movedOn(path);
}

const movedOn = (path: string): AttacheError => new AttacheError('edit_conflict', { message: `${path} was changed while it was to be written. Nothing was written.` });
