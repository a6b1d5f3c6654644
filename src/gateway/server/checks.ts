import { storeLossWords } from '../../protocol/gateway/storeLossWords.ts';
import type { CoreCounts } from '../core.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** From this part of its size on a store is said to be nearly full. */
const NEARLY_FULL = 0.8;
const MEMORY_BYTES = 512 * 1024 * 1024;

const mib = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

export function storeCheck({ usedBytes, capBytes, storeBytes }: Pick<CoreCounts, 'usedBytes' | 'capBytes' | 'storeBytes'>): Check {
  if (usedBytes >= capBytes) return { name: 'store', ok: false, detail: `full: ${mib(usedBytes)}, so that no new turn is taken; “Attaché: Free Up Space…” helps` };
  if (usedBytes >= NEARLY_FULL * capBytes) return { name: 'store', ok: false, detail: `nearly full: ${mib(usedBytes)} of ${mib(capBytes)}; “Attaché: Free Up Space…” helps` };
  return { name: 'store', ok: true, detail: `${Math.round(storeBytes / 1024)} KiB` };
}

/** Whether the store is all that was written into it. */
export function outcomeCheck({ storeOutcome, storeDamage }: Pick<CoreCounts, 'storeOutcome' | 'storeDamage'>): Check {
  if (storeDamage !== null) return { name: 'store content', ok: false, detail: `damaged: ${storeDamage}; restart the gateway, which then saves what can be saved` };
  if (storeOutcome.kind !== 'recovered') return { name: 'store content', ok: true, detail: storeOutcome.kind === 'created' ? 'new' : 'whole' };
  return {
    name: 'store content', ok: false,
    detail: `${storeLossWords(storeOutcome)} The damaged files are in ${storeOutcome.keptIn} of the data folder; without that folder this is not said any more`,
  };
}

/** Sessions that wait for somebody to try again. */
export function heldCheck({ heldSessions }: Pick<CoreCounts, 'heldSessions'>): Check {
  if (heldSessions === 0) return { name: 'held sessions', ok: true, detail: 'none' };
  return { name: 'held sessions', ok: false, detail: `${heldSessions} ${heldSessions === 1 ? 'session is' : 'sessions are'} held, since three turns in a row went down with what runs them: open it, see why, and choose Try Again` };
}

export const memoryCheck = (bytes: number): Check => ({ name: 'memory', ok: bytes < MEMORY_BYTES, detail: `${mib(bytes)} of resident memory` });
