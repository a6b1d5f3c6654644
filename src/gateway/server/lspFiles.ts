import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWithin } from '../../execution/containment.ts';
import type { Principal } from '../core.ts';

/** The file behind a document's URI; null for what is no file of this machine. */
export function fileOfUri(uri: string): string | null {
  try {
    const { protocol, hostname } = new URL(uri);
    if (protocol !== 'file:' || (process.platform !== 'win32' && hostname !== '' && hostname !== 'localhost')) return null;
    const file = fileURLToPath(hostname === 'localhost' ? uri.replace('//localhost', '//') : uri);
    return file.includes('\0') ? null : file;
  } catch {
    return null;
  }
}

/** The one name of a file, whether it exists or not: links followed, letters as the disk has them. */
export async function canonicalFile(file: string): Promise<string> {
  const resolved = path.resolve(file);
  try {
    return await fs.promises.realpath(resolved);
  } catch {
    const parent = path.dirname(resolved);
    return parent === resolved ? resolved : path.join(await canonicalFile(parent), path.basename(resolved));
  }
}

/** Every granted folder that may be the root of a session which works on the file: the nearest grants and what lies between. */
export function foldersAround(principal: Principal, file: string): string[] {
  const grants = principal.workspaces.map((grant) => grant.path).filter((grant) => isWithin(grant, file));
  const folders = new Set<string>();
  for (const grant of grants) {
    for (let folder = path.dirname(file); isWithin(grant, folder); folder = path.dirname(folder)) {
      folders.add(folder);
      if (folder === path.dirname(folder)) break;
    }
  }
  return [...folders];
}
