import type { AbortSignalLike } from '../base/abort.ts';
import type { Event } from '../base/event.ts';
import type { ClientKind, GrantedFolder } from '../protocol/envelope.ts';
import type { StoreOutcome } from '../protocol/gateway/commands.ts';
import type { MethodName, ParamsOf, ResultOf } from '../protocol/methods.ts';
import type { BindingMatch, Readback } from '../protocol/session/state.ts';
import type { AnyEvent } from '../protocol/subscription/events.ts';
import type { EncodedEvents } from './events/encodedEvents.ts';
import type { Scope, SessionSnapshot, WorkspaceSnapshot } from '../protocol/subscription/state.ts';

/** One authenticated connection. Folders are canonical real paths, compared by path segment. */
export interface Principal {
  readonly connectionId: string;
  readonly clientId: string;
  /** One life of an editor window; the client itself where it names none. */
  readonly windowId: string;
  readonly kind: ClientKind;
  readonly workspaces: readonly GrantedFolder[];
}

/** Requests about the process and about subscriptions belong to the server in front of the core; it answers all others itself. */
export type CoreMethod = Exclude<MethodName, 'gateway/status' | 'gateway/diagnostics' | 'gateway/drain' | 'gateway/shutdown' | `sub/${string}`>;

/** Events of one scope that have just been committed, in order. Published after the commit, in commit order per scope. */
export interface Committed {
  readonly scope: Scope;
  readonly events: readonly AnyEvent[];
}

/** What is kept of a scope's log: the numbers of its first and its newest event. */
export interface LogEnds {
  readonly first: number;
  readonly head: number;
}

export interface CoreCounts {
  readonly liveTurns: number;
  /** Those of the live turns that wait for an approval; a drain does not wait for them. */
  readonly waitingTurns: number;
  readonly pendingApprovals: number;
  /** Sessions that get no turns since those went down one after the other. */
  readonly heldSessions: number;
  readonly storeBytes: number;
  /** How full the store is, and from where on no new turn is taken. */
  readonly usedBytes: number;
  readonly capBytes: number;
  readonly schemaVersion: number;
  readonly storeOutcome: StoreOutcome;
  /** Damage that was met while the store was in use, for people. */
  readonly storeDamage: string | null;
  /** Rows per kind, for diagnostics. */
  readonly rows: Readonly<Record<string, number>>;
}

/** How channels and sessions stand, in numbers only. */
export interface BindingCounts {
  readonly readbacks: Record<Readback['sessionModeSource'], number>;
  readonly bindings: Record<BindingMatch, number>;
}

/** Owner of all durable state. Parameters are already checked against their schema; every refusal is an AttacheError. */
export interface GatewayCore {
  readonly epoch: number;
  readonly gatewayId: string;
  handle<M extends CoreMethod>(principal: Principal, method: M, params: ParamsOf<M>, signal: AbortSignalLike): Promise<ResultOf<M>>;
  /** Presence changes, waiting claims of the connection end, its leases run on. */
  connectionClosed(connectionId: string): void;
  /** Checks access, then reads the whole state and its head in one transaction. */
  snapshot(principal: Principal, scope: Scope): { session: SessionSnapshot } | { workspace: WorkspaceSnapshot };
  /** Checks access, then says where the log of a scope stands. */
  logEnds(principal: Principal, scope: Scope): LogEnds;
  /**
   * Checks access, then reads committed events after `after`: at most `limit`, and no more than one replay batch. Null: there is nothing. Begins later
   * than right after that place when what was there is not kept any more.
   */
  events(principal: Principal, scope: Scope, after: number, limit: number): EncodedEvents | null;
  readonly onCommitted: Event<Committed>;
  counts(): CoreCounts;
  /** Looks at every session: for diagnostics. */
  bindings(): BindingCounts;
  /** While draining new turns are refused with draining and nothing is claimed. */
  drain(): void;
  dispose(): void;
}
