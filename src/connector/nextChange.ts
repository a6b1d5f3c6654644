import fs from 'node:fs';
import type { AbortSignalLike } from '../base/abort.ts';
import type { StartedGateway } from './spawnGateway.ts';

const LOOK_AGAIN_MS = 100;

/** Resolves when a file of the data root or the starting process changes; at the latest after a moment, as no watcher is sure on every file system. */
export function nextChange(folder: string, started: StartedGateway | null, signal: AbortSignalLike | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, LOOK_AGAIN_MS);
    const watcher = watch(folder, done);
    function done(): void {
      clearTimeout(timer);
      watcher?.close();
      signal?.removeEventListener('abort', done);
      resolve();
    }
    started?.onExit(done);
    signal?.addEventListener('abort', done);
  });
}

function watch(folder: string, changed: () => void): fs.FSWatcher | null {
  try {
    const watcher = fs.watch(folder, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
