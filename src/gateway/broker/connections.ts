import type { Logger } from '../../base/logger.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { isActive } from '../../protocol/turn/phase.ts';
import { BY_GATEWAY, type Changes } from '../events/changes.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import type { Executors } from './executors.ts';
import type { Leases } from './leases.ts';
import type { TurnStore } from './turnStore.ts';
import type { WaitingClaims } from './waitingClaims.ts';

export interface ConnectionsOptions {
  readonly logger: Logger;
  readonly changes: Changes;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly executors: Executors;
  readonly leases: Leases;
  readonly waiting: WaitingClaims;
}

/** What the end of a link means: its waiting claim ends, its sessions are disconnected, its leases run on. */
export class Connections {
  readonly #options: ConnectionsOptions;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  closed(connectionId: string): void {
    const { executors, waiting, changes, logger } = this.#options;
    waiting.endWhere((claim) => claim.connectionId === connectionId, new AttacheError('connection_closed'));
    const sessionIds = executors.cut(connectionId);
    if (sessionIds.length === 0) return;
    for (const sessionId of sessionIds) this.#beginGrace(sessionId);
    try {
      changes.commit(BY_GATEWAY, 'stream', (change) => {
        for (const sessionId of sessionIds) change.touch(sessionId);
      });
    } catch (error) {
      logger.warn(`the end of a connection could not be told: ${String(error)}`);
    }
  }

  /** A running turn has what is left of its lease; an idle session is disconnected for as long as one. */
  #beginGrace(sessionId: Parameters<Leases['watch']>[0]): void {
    const { sessions, turns, leases } = this.#options;
    const { activeTurnId } = sessions.get(sessionId);
    const held = activeTurnId !== null && isActive(turns.get(activeTurnId).state);
    if (!held) leases.heard(sessionId);
    leases.watch(sessionId);
  }
}
