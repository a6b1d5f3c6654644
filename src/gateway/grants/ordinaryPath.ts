import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../execution/containment.ts';
import { isProtectedBelow } from '../../execution/protectedPath.ts';

export interface Place {
  /** Canonical real path of the session's folder. */
  readonly workspace: string;
  /** The gateway's own folder; null when its store is only in memory. */
  readonly dataRoot: string | null;
}

/** True for a file inside the workspace that is really where its path says and that no protection covers. Anything in doubt is not ordinary. */
export function isOrdinaryPath(file: string, { workspace, dataRoot }: Place): boolean {
  if (!path.isAbsolute(file) || path.resolve(file) !== file || file.includes('\0')) return false;
  if (file === workspace || !isWithin(workspace, file) || (dataRoot !== null && isWithin(dataRoot, file))) return false;
  return !isProtectedBelow(workspace, file) && isItself(file);
}

/** No link leads to it or through it. A file that does not exist yet is looked up by its nearest existing folder. */
function isItself(file: string): boolean {
  for (let existing = file; ; existing = path.dirname(existing)) {
    try {
      return realpathSync.native(existing) === existing;
    } catch {
      // A link to nothing, and what cannot be looked up, are in doubt.
      if (isThere(existing) || path.dirname(existing) === existing) return false;
    }
  }
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
