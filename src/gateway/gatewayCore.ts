import type { AbortSignalLike } from '../base/abort.ts';
import type { Event } from '../base/event.ts';
import { AttacheError } from '../protocol/errors.ts';
import type { ParamsOf, ResultOf } from '../protocol/methods.ts';
import type { Scope, SessionSnapshot, WorkspaceSnapshot } from '../protocol/subscription/state.ts';
import { requireGranted, requireVisible } from './admission/access.ts';
import type { BindingCounts, Committed, CoreCounts, CoreMethod, GatewayCore, LogEnds, Principal } from './core.ts';
import { countAll } from './counts.ts';
import type { EncodedEvents } from './events/encodedEvents.ts';
import { requireReadable } from './events/eventQueries.ts';
import type { Handlers } from './handlers.ts';
import type { Parts } from './parts.ts';

export interface CoreOptions extends Pick<Parts, 'identity' | 'store' | 'changes' | 'log' | 'sessions' | 'snapshots' | 'waiting' | 'draining' | 'deadlines' | 'connections' | 'maintenance' | 'views'> {
  readonly ownsStore: boolean;
  readonly handlers: Handlers<CoreMethod>;
}

/** The door of the core: looks up the method, and reads whole states. */
export class Core implements GatewayCore {
  readonly epoch: number;
  readonly gatewayId: string;
  readonly onCommitted: Event<Committed>;
  readonly #options: CoreOptions;

  constructor(options: CoreOptions) {
    this.#options = options;
    this.epoch = options.identity.epoch;
    this.gatewayId = options.identity.gatewayId;
    this.onCommitted = options.changes.onCommitted;
  }

  async handle<M extends CoreMethod>(principal: Principal, method: M, params: ParamsOf<M>, signal: AbortSignalLike): Promise<ResultOf<M>> {
    return this.#options.handlers[method]({ principal, signal }, params);
  }

  connectionClosed(connectionId: string): void {
    this.#options.connections.closed(connectionId);
  }

  snapshot(principal: Principal, scope: Scope): { session: SessionSnapshot } | { workspace: WorkspaceSnapshot } {
    const { sessions, snapshots } = this.#options;
    if ('session' in scope) return { session: snapshots.session(requireVisible(principal, sessions.find(scope.session))) };
    requireGranted(principal, scope.workspace);
    return { workspace: snapshots.workspace(scope.workspace) };
  }

  logEnds(principal: Principal, scope: Scope): LogEnds {
    const { sessions, log } = this.#options;
    requireReadable(principal, sessions, scope);
    return log.kept(scope);
  }

  events(principal: Principal, scope: Scope, after: number, limit: number): EncodedEvents | null {
    const { sessions, log } = this.#options;
    requireReadable(principal, sessions, scope);
    return log.read(scope, after, limit);
  }

  counts(): CoreCounts {
    return countAll(this.#options.store);
  }

  bindings(): BindingCounts {
    return this.#options.views.counts();
  }

  drain(): void {
    this.#options.draining.active = true;
    this.#options.waiting.endWhere(() => true, new AttacheError('draining'));
  }

  dispose(): void {
    const { deadlines, maintenance, waiting, changes, store, ownsStore } = this.#options;
    deadlines.dispose();
    maintenance.dispose();
    waiting.endWhere(() => true, new AttacheError('connection_closed'));
    changes.dispose();
    if (ownsStore) store.close();
  }
}
