import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { SessionId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { isActive } from '../../protocol/turn/phase.ts';
import type { Deadlines } from '../deadlines.ts';
import { BY_GATEWAY, type Changes } from '../events/changes.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import type { Executors } from './executors.ts';
import type { TurnEnds } from './turnEnds.ts';
import type { TurnStore } from './turnStore.ts';

export interface LeasesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly deadlines: Deadlines;
  readonly changes: Changes;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly turnEnds: TurnEnds;
  readonly executors: Executors;
}

const RETRY_MS = 1000;

/** How long a silent host keeps what it holds: 30 s from its last message, measured on the monotonic clock. */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #heard = new Map<SessionId, number>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** A message came from the host of this session. */
  heard(sessionId: SessionId): void {
    this.#heard.set(sessionId, this.#options.clock.monotonic());
  }

  /** From now on the silence of the host counts. */
  watch(sessionId: SessionId): void {
    this.#options.deadlines.setOnce(`lease:${sessionId}`, this.#left(sessionId), () => this.#look(sessionId));
  }

  /** How much of its lease a host has left. */
  leftMs(sessionId: SessionId): number {
    return this.#left(sessionId);
  }

  #left(sessionId: SessionId): number {
    const heard = this.#heard.get(sessionId) ?? this.#options.clock.monotonic();
    this.#heard.set(sessionId, heard);
    return heard + LIMITS.leaseMs - this.#options.clock.monotonic();
  }

  #look(sessionId: SessionId): void {
    if (this.#left(sessionId) > 0) {
      this.watch(sessionId);
      return;
    }
    try {
      this.#expire(sessionId);
    } catch (error) {
      // A full disk must not keep a turn "running" for ever.
      this.#options.logger.warn(`the lease of ${sessionId} could not be ended: ${String(error)}`);
      this.#options.deadlines.set(`lease:${sessionId}`, RETRY_MS, () => this.#look(sessionId));
    }
  }

  #expire(sessionId: SessionId): void {
    const { changes, sessions, turns, turnEnds, executors } = this.#options;
    const session = sessions.get(sessionId);
    const turn = session.activeTurnId === null ? undefined : turns.find(session.activeTurnId);
    const held = turn !== undefined && isActive(turn.state) && turn.state !== 'completing';
    // An idle host on an open link has nothing to lose.
    if (!held && executors.find(sessionId)?.connectionId !== null) return;
    changes.commit(BY_GATEWAY, 'lifecycle', (change) => {
      executors.expire(change, sessionId);
      if (held) turnEnds.end(change, turn, { state: 'interrupted', cause: 'executor_lost', executorGone: true });
      change.touch(sessionId);
    });
    this.#heard.delete(sessionId);
  }
}
