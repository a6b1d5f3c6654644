import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { sessionMirror, type SessionMirror } from '../../client/sessionMirror.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import { isGone } from '../../protocol/errors.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { SessionEvent } from '../../protocol/subscription/events.ts';
import type { SessionSnapshot } from '../../protocol/subscription/state.ts';
import type { GatewayConnection } from '../gateway/gatewayConnection.ts';
import { describeError } from '../log.ts';

/** One session as somebody watches it. */
export interface SessionFeed extends Disposable {
  readonly view: SessionSnapshot | null;
  /** The first snapshot is on its way. */
  readonly isLoading: boolean;
  /** There is no such session any more. */
  readonly isGone: boolean;
  readonly onReplaced: Event<unknown>;
  readonly onEvents: Event<readonly SessionEvent[]>;
}

// Mirrors that nobody watches stay for a while, so that switching back shows at once what is there.
const KEPT_IDLE = 4;

interface Entry {
  readonly mirror: SessionMirror;
  readonly changed: Emitter<unknown>;
  watchers: number;
  failure: unknown;
}

/** The one mirror of each session that is shown somewhere in this window. */
export class SessionHub implements Disposable {
  readonly #calls: GatewayCalls;
  readonly #connection: GatewayConnection;
  readonly #log: Logger;
  readonly #disposables = new DisposableStore();
  readonly #entries = new Map<string, Entry>();
  readonly #approval = new Emitter<Approval>();

  /** A request of a shown session was made or answered. */
  readonly onApproval = this.#approval.event;

  constructor(calls: GatewayCalls, connection: GatewayConnection, log: Logger) {
    this.#calls = calls;
    this.#connection = connection;
    this.#log = log;
    this.#disposables.add(connection.onOpened(() => {
      for (const entry of this.#entries.values()) this.#connect(entry);
    }));
  }

  /** The session's state if somebody watches it. */
  peek(sessionId: string): SessionSnapshot | null {
    return this.#entries.get(sessionId)?.mirror.view ?? null;
  }

  open(sessionId: string): SessionFeed {
    const entry = this.#entries.get(sessionId) ?? this.#create(sessionId);
    // Last in the map: the most recently used.
    this.#entries.delete(sessionId);
    this.#entries.set(sessionId, entry);
    entry.watchers += 1;
    let isOpen = true;
    const { state } = this.#connection;
    if (entry.failure !== null && state.state === 'connected') this.#connect(entry);
    return {
      get view() {
        return entry.mirror.view;
      },
      get isLoading() {
        return entry.mirror.view === null && entry.failure === null;
      },
      get isGone() {
        return isGone(entry.failure);
      },
      onReplaced: entry.changed.event,
      onEvents: entry.mirror.onEvents,
      dispose: () => {
        if (!isOpen) return;
        isOpen = false;
        entry.watchers -= 1;
        this.#dropIdle();
      },
    };
  }

  dispose(): void {
    for (const { mirror } of this.#entries.values()) mirror.dispose();
    this.#entries.clear();
    this.#disposables.dispose();
  }

  #create(sessionId: string): Entry {
    const mirror = sessionMirror(this.#calls, sessionId as SessionId);
    const entry: Entry = { mirror, changed: new Emitter(), watchers: 0, failure: null };
    mirror.onReplaced(() => {
      entry.failure = null;
      entry.changed.fire(undefined);
    });
    mirror.onEvents((events) => {
      for (const event of events) if ('approval' in event) this.#approval.fire(event.approval);
    });
    mirror.onFailed((error) => {
      this.#log.warn(`session ${sessionId} cannot be shown: ${describeError(error)}`);
      entry.failure = error;
      entry.changed.fire(undefined);
    });
    if (this.#connection.state.state === 'connected') this.#connect(entry);
    return entry;
  }

  #connect(entry: Entry): void {
    entry.failure = null;
    void entry.mirror.connect();
  }

  #dropIdle(): void {
    const idle = [...this.#entries].filter(([, entry]) => entry.watchers === 0);
    for (const [sessionId, { mirror }] of idle.slice(0, Math.max(0, idle.length - KEPT_IDLE))) {
      this.#entries.delete(sessionId);
      mirror.dispose();
    }
  }
}
