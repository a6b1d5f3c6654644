import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { isMissing, Problem } from './problem.ts';

/**
 * Absolute path of what the person named, always inside the session's folder: neither `..` nor a
 * symbolic link leads out of it.
 */
export async function resolveInside(cwd: string, named: string): Promise<string> {
  const path = resolve(cwd, named);
  if (named.includes('\0') || !isInside(cwd, path)) throw outside(named, cwd);
  if (!isInside(await realpath(cwd), await realpathOfNearest(path))) throw outside(named, cwd);
  return path;
}

/** How the path reads in a sentence: relative to the session's folder, with `/` on every platform. */
export function displayPath(cwd: string, path: string): string {
  return (relative(cwd, path) || '.').split(sep).join('/');
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function realpathOfNearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return resolve(await realpathOfNearest(dirname(path)), relative(dirname(path), path));
  }
}

function outside(named: string, cwd: string): Problem {
  return new Problem(`\`${named}\` is outside of this session's folder.`, `Name a path inside \`${cwd}\`.`);
}
