import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { assembleCore } from './assembleCore.ts';
import type { GatewayCore } from './core.ts';
import type { RetentionLimits } from './events/eventLog.ts';
import { Store } from './store/store.ts';

interface Seams {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How much of the event log is kept; by default the limits of the protocol. */
  readonly retention?: RetentionLimits;
}

/** The folder that holds the store, or an open store of the caller's, which also closes it. */
export type CoreOptions = Seams & ({ readonly dataRoot: string } | { readonly store: Store });

export const STORE_FILE = 'store.db';

/** Opens the store, raises the epoch, settles what the last run left, and is ready to answer. */
export function createCore(options: CoreOptions): GatewayCore {
  const { clock, logger, retention } = options;
  const seams = { clock, logger, ...(retention === undefined ? {} : { retention }) };
  if ('store' in options) return assembleCore({ store: options.store, ownsStore: false, ...seams });
  return assembleCore({ store: new Store({ path: path.join(options.dataRoot, STORE_FILE) }), ownsStore: true, ...seams });
}
