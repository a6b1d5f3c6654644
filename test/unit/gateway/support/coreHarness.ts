import assert from 'node:assert/strict';
import { silentLogger } from '../../../../src/base/logger.ts';
import type { Committed, CoreMethod, GatewayCore, Principal } from '../../../../src/gateway/core.ts';
import { createCore } from '../../../../src/gateway/createCore.ts';
import type { RetentionLimits } from '../../../../src/gateway/events/eventLog.ts';
import { Store, type StoreStep } from '../../../../src/gateway/store/store.ts';
import type { ClientKind, GrantedFolder } from '../../../../src/protocol/envelope.ts';
import { AttacheError, type ErrorKind } from '../../../../src/protocol/errors.ts';
import type { SessionId } from '../../../../src/protocol/ids.ts';
import { methods, type ParamsOf, type ResultOf } from '../../../../src/protocol/methods.ts';
import type { AnyEvent, SessionEvent } from '../../../../src/protocol/subscription/events.ts';
import { sessionSnapshot, workspaceSnapshot, type Scope, type SessionSnapshot, type WorkspaceSnapshot } from '../../../../src/protocol/subscription/state.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

export const WORKSPACE = '/w/demo';

/** Parameters as a client would write them, before the schema brands them. */
export type Loose<T> = T extends string ? string : T extends readonly (infer E)[] ? readonly Loose<E>[] : T extends object ? { [K in keyof T]: Loose<T[K]> } : T;

/** Driven time whose wall clock may be set, as people and time servers do. */
export class JumpingClock extends FakeClock {
  wallOffset = 0;

  override now(): number {
    return super.now() + this.wallOffset;
  }
}

/** A real core over a real store, with time and failures in the hands of the test. Everything public that comes out of it is checked and kept. */
export class CoreHarness {
  readonly clock = new JumpingClock();
  readonly store: Store;
  readonly published: Committed[] = [];
  /** Every answer and event as JSON. */
  readonly heard: string[] = [];
  observe: (step: StoreStep) => void = () => undefined;
  core: GatewayCore;
  readonly #retention: RetentionLimits | undefined;
  #connections = 0;

  constructor(path = ':memory:', capBytes?: number, retention?: RetentionLimits) {
    this.#retention = retention;
    this.store = new Store({ path, observe: (step) => this.observe(step), ...(capBytes === undefined ? {} : { capBytes }) });
    this.core = this.#open();
  }

  /** A new gateway over the same store, as after a crash: nothing of the old one's memory is left. */
  restart(): void {
    this.core.dispose();
    this.core = this.#open();
  }

  close(): void {
    this.core.dispose();
    this.store.close();
  }

  client(clientId: string, kind: ClientKind = 'editor', workspaces: readonly GrantedFolder[] = [{ path: WORKSPACE, trusted: true }]): TestClient {
    this.#connections += 1;
    return new TestClient(this, { connectionId: `connection-${this.#connections}`, clientId, windowId: clientId, kind, workspaces });
  }

  /** All tables, row by row, in an order that does not depend on how they were written. */
  dump(except: readonly string[] = []): Record<string, string[]> {
    const tables = this.store.all<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).filter(({ name }) => !except.includes(name));
    return Object.fromEntries(tables.map(({ name }) => [name, this.store.all<object>(`SELECT * FROM ${name}`).map((row) => JSON.stringify(row)).sort()]));
  }

  sessionEvents(sessionId: string): SessionEvent[] {
    return this.#events((scope) => 'session' in scope && scope.session === sessionId) as SessionEvent[];
  }

  workspaceEvents(workspace = WORKSPACE): AnyEvent[] {
    return this.#events((scope) => 'workspace' in scope && scope.workspace === workspace);
  }

  #events(matches: (scope: Scope) => boolean): AnyEvent[] {
    return this.published.filter(({ scope }) => matches(scope)).flatMap(({ events }) => events);
  }

  #open(): GatewayCore {
    const core = createCore({ store: this.store, clock: this.clock, logger: silentLogger, ...(this.#retention === undefined ? {} : { retention: this.#retention }) });
    core.onCommitted((committed) => {
      this.published.push(committed);
      this.heard.push(JSON.stringify(committed));
    });
    return core;
  }
}

/** One connection to the core. */
export class TestClient {
  readonly principal: Principal;
  readonly #harness: CoreHarness;
  readonly #abort = new AbortController();
  #commands = 0;

  constructor(harness: CoreHarness, principal: Principal) {
    this.#harness = harness;
    this.principal = principal;
  }

  /** Sends what a client would send; the answer must fit its schema. */
  async call<M extends CoreMethod>(method: M, params: Loose<ParamsOf<M>>, signal: AbortSignal = this.#abort.signal): Promise<ResultOf<M>> {
    const { params: schema, result: resultSchema } = methods[method];
    const parsed = schema.parse(params) as ParamsOf<M>;
    const result = await this.#harness.core.handle(this.principal, method, parsed, signal);
    resultSchema.parse(result);
    this.#harness.heard.push(JSON.stringify(result));
    return result;
  }

  /** A fresh key for a command. */
  command(): string {
    this.#commands += 1;
    return `${this.principal.connectionId}:${this.#commands}`;
  }

  snapshot(sessionId: string): SessionSnapshot {
    const { core, heard } = this.#harness;
    const found = core.snapshot(this.principal, { session: sessionId as SessionId });
    assert.ok('session' in found);
    heard.push(JSON.stringify(found));
    return sessionSnapshot.parse(found.session);
  }

  workspace(workspace: string): WorkspaceSnapshot {
    const { core, heard } = this.#harness;
    const found = core.snapshot(this.principal, { workspace });
    assert.ok('workspace' in found);
    heard.push(JSON.stringify(found));
    return workspaceSnapshot.parse(found.workspace);
  }

  disconnect(): void {
    this.#harness.core.connectionClosed(this.principal.connectionId);
  }
}

/** The call is refused with this code, and the store is as it was. */
export async function refused(harness: CoreHarness, kind: ErrorKind, call: () => Promise<unknown>): Promise<AttacheError> {
  const before = harness.dump();
  const published = harness.published.length;
  const error = await rejection(call);
  assert.equal(error.kind, kind);
  assert.deepEqual(harness.dump(), before, 'a refusal must leave the store as it was');
  assert.equal(harness.published.length, published, 'a refusal must tell nothing');
  return error;
}

export async function rejection(call: () => Promise<unknown>): Promise<AttacheError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof AttacheError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'it was not refused' });
}
