import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AttacheError } from '../protocol/errors.ts';

/**
 * The real path behind `path` when it lies inside `root`, else path_refused, or link_leaves_folder when only a link leads
 * out. A file that does not exist yet is placed by its nearest existing folder. A link to nothing is refused.
 */
export async function resolveInside(root: string, path: string): Promise<string> {
  if (!isAbsolute(path) || path.includes('\0')) throw refused(path, 'it is not an absolute path');
  const realRoot = await realpath(root);
  const whole = resolve(path);
  const real = await realOf(whole, path);
  if (isWithin(realRoot, real)) return real;
  if (isWithin(realRoot, whole) || isWithin(resolve(root), whole)) {
    throw new AttacheError('link_leaves_folder', { message: `${path} may not be used: a link in it leads out of the session’s folder ${root}.` });
  }
  throw refused(path, `it is outside the session’s folder ${root}`);
}

/** By whole path segments: `/a/bc` is not within `/a/b`. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function realOf(path: string, asked: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw refused(asked, 'it cannot be looked up');
  }
  if (await exists(path)) throw refused(asked, 'it is a link to nothing');
  const parent = dirname(path);
  if (parent === path) throw refused(asked, 'its folder does not exist');
  return join(await realOf(parent, asked), basename(path));
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(() => true, () => false);
}

export const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT';

/** The system's error code, empty when there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function refused(path: string, reason: string): AttacheError {
  return new AttacheError('path_refused', { message: `${path} may not be used: ${reason}.` });
}
