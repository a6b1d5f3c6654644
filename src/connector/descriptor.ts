import fs from 'node:fs';
import { gatewayDescriptor, type GatewayDescriptor } from '../protocol/gateway/descriptor.ts';
import type { DataRootPaths } from './dataRoot.ts';

/** What the last gateway of this data root said about itself; null when there is nothing readable. It may be stale: only a connection proves life. */
export function readDescriptor(paths: DataRootPaths): GatewayDescriptor | null {
  const text = readText(paths.descriptor);
  if (text === null) return null;
  try {
    const parsed = gatewayDescriptor.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export function readToken(paths: DataRootPaths): string | null {
  return readText(paths.token)?.trim() ?? null;
}

function readText(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
