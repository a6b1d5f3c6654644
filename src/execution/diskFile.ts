import { constants } from 'node:fs';
import { access, readFile, stat, unlink } from 'node:fs/promises';
import { AttacheError } from '../protocol/errors.ts';
import { LIMITS } from '../protocol/limits.ts';
import { stampOf, writeAtomic, type FileStamp } from './atomicWrite.ts';
import { errorCode, isMissing } from './containment.ts';

/** A file's bytes and what it was when they were read. */
export interface DiskFile {
  readonly bytes: Uint8Array;
  readonly stamp: FileStamp;
}

/** Null when there is no such file. Takes a real path. */
export async function readDiskFile(path: string): Promise<DiskFile | null> {
  try {
    const info = await stat(path);
    if (!info.isFile()) throw new AttacheError('path_refused', { message: `${path} is not a file.` });
    if (info.size > LIMITS.blobBytes) throw new AttacheError('too_large', { message: `${path} is larger than 16 MiB.` });
    // The stamp comes first: what changes after it is noticed.
    const stamp = await stampOf(path);
    return { stamp, bytes: await readFile(path) };
  } catch (error) {
    if (isMissing(error)) return null;
    throw asFileError(error, path);
  }
}

/** Writes unless the file has changed since the stamp (null: there was none). Takes a real path. */
export async function writeDiskFile(path: string, bytes: Uint8Array, seen: FileStamp): Promise<void> {
  try {
    await requireWritable(path);
    await writeAtomic(path, bytes, seen);
  } catch (error) {
    throw asFileError(error, path);
  }
}

export async function deleteDiskFile(path: string): Promise<void> {
  try {
    await requireWritable(path);
    await unlink(path);
  } catch (error) {
    throw asFileError(error, path);
  }
}

/** file_read_only when nobody is meant to write the file. Renaming over it, and the superuser, would not be stopped. */
export async function requireWritable(path: string): Promise<void> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o222) === 0) throw readOnly(path);
    await access(path, constants.W_OK);
  } catch (error) {
    if (!isMissing(error)) throw asFileError(error, path);
  }
}

export const readOnly = (path: string): AttacheError => new AttacheError('file_read_only', { message: `${path} is read-only.` });

function asFileError(error: unknown, path: string): unknown {
  if (error instanceof AttacheError) return error;
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AttacheError('storage_full', { message: `There is no space left to write ${path}.` });
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return readOnly(path);
  return new AttacheError('path_refused', { message: `${path} cannot be used (${code === '' ? String(error) : code}).`, next: 'Check its rights and its kind.' });
}
