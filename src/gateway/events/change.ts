import type { CausedBy } from '../../protocol/envelope.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { AnyEvent, SessionEventBody, WorkspaceEventBody } from '../../protocol/subscription/events.ts';
import type { Scope } from '../../protocol/subscription/state.ts';
import type { Committed } from '../core.ts';
import type { EventLog } from './eventLog.ts';
import type { TextSource } from './eventRows.ts';
import { scopeKey } from './scopes.ts';

/** One transaction in the making: what it tells, numbered and stored at once, and what is to be done once it has been committed. */
export class Change {
  /** Wall time of the whole transaction. */
  readonly now: number;
  readonly touched = new Set<SessionId>();
  readonly afterwards: (() => void)[] = [];
  readonly undoing: (() => void)[] = [];
  #causedBy: CausedBy;
  readonly #log: EventLog;
  readonly #told = new Map<string, { readonly scope: Scope; readonly events: AnyEvent[] }>();

  constructor(log: EventLog, now: number, causedBy: CausedBy) {
    this.#log = log;
    this.now = now;
    this.#causedBy = causedBy;
  }

  /** Whose doing it is. */
  get causedBy(): CausedBy {
    return this.#causedBy;
  }

  /** Numbers of the log were used, which are free again when the transaction fails. */
  get hasTold(): boolean {
    return this.#told.size > 0;
  }

  /** What it has told so far, a list for each scope. */
  get told(): Committed[] {
    return [...this.#told.values()];
  }

  tellSession(sessionId: SessionId, body: SessionEventBody, source?: TextSource): void {
    this.#tell({ session: sessionId }, body, source);
  }

  tellWorkspace(workspace: string, body: WorkspaceEventBody): void {
    this.#tell({ workspace }, body);
  }

  /** The session's public face changed: one session.updated is told at the end, after its causes, in both scopes. */
  touch(sessionId: SessionId): void {
    this.touched.add(sessionId);
  }

  /** What `action` tells is somebody else's doing. */
  by<T>(causedBy: CausedBy, action: () => T): T {
    const before = this.#causedBy;
    this.#causedBy = causedBy;
    try {
      return action();
    } finally {
      this.#causedBy = before;
    }
  }

  /** Runs after the commit and after its events were published; not at all when the transaction fails. */
  after(action: () => void): void {
    this.afterwards.push(action);
  }

  /** Takes back what was changed in memory when the transaction fails. */
  undo(action: () => void): void {
    this.undoing.unshift(action);
  }

  #tell(scope: Scope, body: SessionEventBody | WorkspaceEventBody, source?: TextSource): void {
    const key = scopeKey(scope);
    const told = this.#told.get(key) ?? { scope, events: [] };
    this.#told.set(key, told);
    told.events.push(this.#log.append(scope, body, { at: this.now, causedBy: this.causedBy }, source));
  }
}
