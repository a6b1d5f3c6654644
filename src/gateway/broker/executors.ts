import type { HostRunId, SessionId } from '../../protocol/ids.ts';
import type { Executor } from '../../protocol/session/state.ts';
import type { HostFacts } from '../admission/facts.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';

/** One runtime process that serves a session. `connectionId` null: its link is cut and it may come back. */
export interface Registration {
  readonly hostRunId: HostRunId;
  readonly windowId: string;
  readonly connectionId: string | null;
  /** Its lease ran out: it is heard, but holds nothing any more. */
  readonly expired: boolean;
}

/** Who executes each session right now. Lives in memory: it is about processes, and says nothing after a restart but what they say. */
export class Executors {
  readonly #bySession = new Map<SessionId, Registration>();

  find(sessionId: SessionId): Registration | undefined {
    return this.#bySession.get(sessionId);
  }

  /** Belongs to a change: a transaction that fails leaves everything as it was. */
  set(change: Change, sessionId: SessionId, registration: Registration): void {
    this.#put(change, sessionId, registration);
  }

  drop(change: Change, sessionId: SessionId): void {
    this.#put(change, sessionId, undefined);
  }

  /** The lease ran out: a silent host on an open link is still known, one without a link is gone. */
  expire(change: Change, sessionId: SessionId): void {
    const registration = this.#bySession.get(sessionId);
    const known = registration !== undefined && registration.connectionId !== null;
    this.#put(change, sessionId, known ? { ...registration, expired: true } : undefined);
  }

  /** The link of these sessions' hosts is cut, whatever the store says to it. */
  cut(connectionId: string): SessionId[] {
    const hit = [...this.#bySession].filter(([, registration]) => registration.connectionId === connectionId);
    for (const [sessionId, registration] of hit) this.#bySession.set(sessionId, { ...registration, connectionId: null });
    return hit.map(([sessionId]) => sessionId);
  }

  /** What the store remembers of the last run: it may come back. */
  expect(sessionId: SessionId, hostRunId: HostRunId): void {
    this.#bySession.set(sessionId, { hostRunId, windowId: '', connectionId: null, expired: false });
  }

  /** Host operations belong to the connection that registered, and to the run it registered for. */
  hostFacts(principal: Principal, sessionId: SessionId, hostRunId: HostRunId | null): HostFacts {
    const registration = this.#bySession.get(sessionId);
    if (principal.kind !== 'editor' || registration === undefined || registration.connectionId !== principal.connectionId) return 'other';
    return hostRunId === null || registration.hostRunId === hostRunId ? 'bound' : 'other';
  }

  /** A host whose lease ran out holds nothing and gets nothing until it registers again, whatever became of its session meanwhile. */
  mayClaim(sessionId: SessionId): boolean {
    return this.#bySession.get(sessionId)?.expired === false;
  }

  /** The one fact that readback, claim and every projection quote. */
  fact(sessionId: SessionId, hostSurface: string): Executor {
    const registration = this.#bySession.get(sessionId);
    if (registration === undefined || registration.expired) return { state: 'none', windowId: null, surface: hostSurface };
    return registration.connectionId === null
      ? { state: 'disconnected', windowId: null, surface: hostSurface }
      : { state: 'connected', windowId: registration.windowId, surface: hostSurface };
  }

  #put(change: Change, sessionId: SessionId, registration: Registration | undefined): void {
    const before = this.#bySession.get(sessionId);
    change.undo(() => this.#replace(sessionId, before));
    this.#replace(sessionId, registration);
  }

  #replace(sessionId: SessionId, registration: Registration | undefined): void {
    if (registration === undefined) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, registration);
  }
}
