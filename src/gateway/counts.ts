import { QUARANTINED } from './broker/quarantine.ts';
import { HELD } from './broker/turnStore.ts';
import type { CoreCounts } from './core.ts';
import { SCHEMA_VERSION } from './store/migrations.ts';
import type { Store } from './store/store.ts';

const TABLES = ['goals', 'sessions', 'turns', 'items', 'approvals', 'events', 'receipts', 'blobs'] as const;

/** Numbers for status, idle exit and diagnostics. A live turn is one that waits or that an executor holds. */
export function countAll(store: Store): CoreCounts {
  const count = (sql: string): number => countRows(store, sql);
  const { storeBytes, usedBytes } = store.size();
  return {
    liveTurns: count(`turns WHERE state IN ${HELD}`),
    waitingTurns: count(`turns WHERE state = 'waiting'`),
    pendingApprovals: count(`approvals WHERE status = 'pending'`),
    storeBytes,
    usedBytes,
    capBytes: store.capBytes,
    storeOutcome: store.outcome,
    storeDamage: store.damage,
    schemaVersion: SCHEMA_VERSION,
    // Counted only for who asks: they read all of the store, or of its sessions.
    get heldSessions() {
      return count(`sessions WHERE lastErrorCode = '${QUARANTINED}' AND status <> 'closed' AND deletedAt IS NULL`);
    },
    get rows() {
      return Object.fromEntries(TABLES.map((table) => [table, count(table)]));
    },
  };
}

/** Where the store cannot be read this says nothing: `storeDamage` is what is to be told then, and a restart what helps. */
function countRows(store: Store, sql: string): number {
  try {
    return store.get<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)?.n ?? 0;
  } catch (error) {
    if (store.damage === null) throw error;
    return 0;
  }
}
