import { randomBytes } from 'node:crypto';
import type { Store } from './store.ts';

/** Who this gateway is, and how often it has been started. */
export interface Identity {
  readonly gatewayId: string;
  readonly epoch: number;
}

/** Raises the epoch durably, before anything else is done with the store. It is above every one that was given out, also where the store lost the last. */
export function beginEpoch(store: Store): Identity {
  const marker = store.marker();
  const identity = store.transaction('lifecycle', () => {
    const gatewayId = read(store, 'gatewayId') ?? (marker?.gatewayId || `gw_${randomBytes(16).toString('hex')}`);
    const epoch = Math.max(Number(read(store, 'epoch') ?? 0), marker?.epoch ?? 0) + 1;
    write(store, 'gatewayId', gatewayId);
    write(store, 'epoch', String(epoch));
    return { gatewayId, epoch };
  });
  store.setMarker(identity);
  return identity;
}

function read(store: Store, name: string): string | undefined {
  return store.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)?.value;
}

function write(store: Store, name: string, value: string): void {
  store.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, value);
}
