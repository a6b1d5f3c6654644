import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { AttacheError } from '../protocol/errors.ts';
import { isWithin } from './containment.ts';
import type { WriteRight } from './plane.ts';
import { isOfGit, isSensitive, plainName } from './protectedName.ts';

/**
 * What may be done to a path inside a session's folder. Git's own files are never written: its hooks and settings run
 * commands. Settings of the workspace and files of variables are written only when a person says so each time: they widen
 * rights or hold secrets. Both names count, the one that was asked for and the one behind the links.
 */
export async function writeRightOf(root: string, asked: string, real: string): Promise<WriteRight> {
  const realRoot = await realpath(root);
  const below = (path: string): string => relative(isWithin(root, path) ? root : realRoot, path);
  const names = [resolve(asked), real].flatMap((path) => below(path).split(sep)).map(plainName);
  if (names.some(isOfGit)) throw new AttacheError('path_protected', { message: `${asked} belongs to Git itself. Agents may not write there.`, next: 'Use Git’s commands, or make this change yourself.' });
  return names.some(isSensitive) ? 'ask' : 'free';
}

/** True when a name between the workspace and the file is one of Git's or a sensitive one. Looks at the path only, not behind links. */
export const isProtectedBelow = (workspace: string, file: string): boolean =>
  relative(workspace, file).split(sep).map(plainName).some((name) => isOfGit(name) || isSensitive(name));

/** path_protected inside of one of the folders, whether they exist or not. */
export async function refuseWithin(folders: readonly string[], real: string): Promise<void> {
  for (const folder of folders) {
    const whole = await realpath(folder).catch(() => resolve(folder));
    if (isWithin(whole, real)) throw new AttacheError('path_protected', { message: `${real} belongs to Attaché’s own data. Agents may neither read nor write there.`, next: 'Leave it alone.' });
  }
}
