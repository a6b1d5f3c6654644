import { Buffer } from 'node:buffer';
import fs from 'node:fs';
import path from 'node:path';

/** The files of one store. All beside each other, so that they move together. */
export interface StoreFiles {
  readonly main: string;
  readonly wal: string;
  readonly shm: string;
  /** Checksums of the pages of `main`. */
  readonly sums: string;
  /** Says that there is a store here, even when `main` has vanished. */
  readonly marker: string;
  /** Damage was met while it was in use: it is looked at as a whole at the next start. */
  readonly suspect: string;
  /** A new store in the making from what a damaged one gave, and the same once it is whole. */
  readonly salvaged: string;
  readonly ready: string;
  readonly backups: string;
}

export function storeFiles(main: string): StoreFiles {
  const folder = path.dirname(main);
  const beside = (name: string): string => `${main}-${name}`;
  return {
    main, wal: beside('wal'), shm: beside('shm'), sums: beside('sums'), marker: beside('marker'), suspect: beside('suspect'),
    salvaged: beside('salvaged'), ready: beside('ready'), backups: path.join(folder, 'backups'),
  };
}

export const fileBytes = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Reads of a file; it is closed whatever happens. */
export function withFile<T>(file: string, action: (fd: number) => T): T {
  const fd = fs.openSync(file, 'r');
  try {
    return action(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** At most so many bytes from its beginning. */
export function readHead(file: string, bytes: number): Buffer {
  const head = Buffer.alloc(bytes);
  return head.subarray(0, withFile(file, (fd) => fs.readSync(fd, head, 0, bytes, 0)));
}

/** Replaces a file in one step; with `flush` it is on the disk before it returns. Only this user can read it. */
export function replaceFile(file: string, content: string | Uint8Array, flush: boolean): void {
  const draft = `${file}.tmp`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush });
  fs.renameSync(draft, file);
}

/** What the marker of a store says. The epoch is repeated here so that a store that lost its newest commits never gives an epoch out twice. */
export interface Marker {
  readonly gatewayId: string;
  readonly epoch: number;
}

export function readMarker(file: string): Marker | null {
  try {
    const found = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<Marker>;
    return { gatewayId: String(found.gatewayId ?? ''), epoch: Number.isSafeInteger(found.epoch) ? Number(found.epoch) : 0 };
  } catch {
    return fs.existsSync(file) ? { gatewayId: '', epoch: 0 } : null;
  }
}
