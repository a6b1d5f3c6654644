import type { Disposable } from '../../../../src/base/disposable.ts';
import { toDisposable } from '../../../../src/base/disposable.ts';
import { Emitter } from '../../../../src/base/event.ts';
import type { GatewayCalls } from '../../../../src/client/gatewayClient.ts';
import type { Committed, CoreMethod, Principal } from '../../../../src/gateway/core.ts';
import type { HostLink } from '../../../../src/host/hostOptions.ts';
import { AttacheError } from '../../../../src/protocol/errors.ts';
import { methods } from '../../../../src/protocol/methods.ts';
import type { Scope } from '../../../../src/protocol/subscription/state.ts';
import { WORKSPACE, type CoreHarness } from '../../gateway/support/coreHarness.ts';

type Interfere = (method: string, params: unknown) => void;

/** An editor's link to a core in this process: the same calls and notifications, no socket between them. */
export class CoreLink implements HostLink {
  /** May throw, so that the call fails before it reaches the gateway. */
  before: Interfere = () => undefined;
  /** May throw, so that the answer is lost. */
  after: Interfere = () => undefined;
  readonly sent: string[] = [];
  readonly #harness: CoreHarness;
  readonly #clientId: string;
  readonly #opened = new Emitter<void>();
  readonly #listeners = new Map<string, Set<(params: unknown) => void>>();
  readonly #scopes = new Map<string, Scope>();
  #principal: Principal | null = null;
  #following: Disposable | null = null;
  #subscriptions = 0;

  readonly onOpened = this.#opened.event;

  readonly calls: GatewayCalls = {
    call: async (method, params) => {
      await Promise.resolve();
      const principal = this.#principal;
      this.sent.push(method);
      if (principal === null) throw new AttacheError('connection_closed');
      this.before(method, params);
      const result = (await this.#carryOut(principal, method, params)) as never;
      this.after(method, params);
      if (this.#principal !== principal) throw new AttacheError('connection_closed');
      return result;
    },
    notify: () => undefined,
    on: (name, listener) => {
      const own = (params: unknown): void => listener(params as never);
      const known = this.#listeners.get(name) ?? new Set();
      this.#listeners.set(name, known.add(own));
      return toDisposable(() => known.delete(own));
    },
  };

  constructor(harness: CoreHarness, clientId: string) {
    this.#harness = harness;
    this.#clientId = clientId;
  }

  open(): void {
    this.#principal = this.#harness.client(this.#clientId).principal;
    this.#following = this.#harness.core.onCommitted((committed) => this.#publish(committed));
    this.#opened.fire();
  }

  /** Without a word. `gatewayKnows` false: the other side still holds the dead link for alive. */
  cut(gatewayKnows = true): void {
    const principal = this.#principal;
    this.#principal = null;
    this.#scopes.clear();
    this.#following?.dispose();
    if (principal !== null && gatewayKnows) this.#harness.core.connectionClosed(principal.connectionId);
  }

  #carryOut(principal: Principal, method: string, params: unknown): unknown {
    const { core } = this.#harness;
    if (method === 'sub/unsubscribe') return { ok: this.#scopes.delete((params as { subscriptionId: string }).subscriptionId) };
    if (method !== 'sub/subscribe') {
      const checked: unknown = methods[method as CoreMethod].params.parse(params);
      return core.handle(principal, method as CoreMethod, checked as never, new AbortController().signal);
    }
    const { scope } = params as { scope: Scope };
    const subscriptionId = `sub-${String(++this.#subscriptions)}`;
    this.#scopes.set(subscriptionId, scope);
    const snapshot = core.snapshot(principal, scope);
    return { subscriptionId, epoch: core.epoch, head: 'session' in snapshot ? snapshot.session.head : snapshot.workspace.head, reason: null, snapshot };
  }

  #publish({ scope, events }: Committed): void {
    for (const [subscriptionId, followed] of this.#scopes) {
      if (JSON.stringify(followed) !== JSON.stringify(scope)) continue;
      for (const listener of this.#listeners.get('event/batch') ?? []) listener({ subscriptionId, epoch: 1, deliverySeq: 0, events: structuredClone(events), head: 0 });
    }
  }
}

export { WORKSPACE };
