import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { workspaceMirror, type WorkspaceMirror } from '../../client/workspaceMirror.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { GatewayConnection } from '../gateway/gatewayConnection.ts';
import { describeError } from '../log.ts';

export interface WorkspacesOptions {
  readonly calls: GatewayCalls;
  readonly connection: GatewayConnection;
  readonly log: Logger;
}

/** The goals and sessions of all folders of this window. */
export class Workspaces implements Disposable {
  readonly #options: WorkspacesOptions;
  readonly #disposables = new DisposableStore();
  readonly #mirrors = new Map<string, WorkspaceMirror>();
  /** Folders with more open sessions than their lists hold. */
  readonly #cut = new Set<string>();
  #removed: ReadonlySet<string> = new Set();
  readonly #changed = new Emitter<void>();
  readonly #loaded = new Emitter<string>();
  readonly #session = new Emitter<Session>();

  readonly onChanged = this.#changed.event;
  /** A session as it is now, also one that was closed, archived or deleted. */
  readonly onSession = this.#session.event;
  /** The list of a folder has been read anew. */
  readonly onLoaded = this.#loaded.event;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.#disposables.add(options.connection.onOpened(() => {
      for (const mirror of this.#mirrors.values()) void mirror.connect();
    }));
  }

  /** Sessions that are not closed. */
  get sessions(): Session[] {
    return this.#views().flatMap((view) => view.sessions.filter((session) => session.status !== 'closed'));
  }

  /** Those that lists show: not put away either. */
  get listed(): Session[] {
    return this.sessions.filter(({ archivedAt }) => archivedAt === null);
  }

  /** The folders whose sessions are here. */
  get folders(): string[] {
    return [...this.#mirrors.keys()];
  }

  /** A folder has more open sessions than are here; `session/list` leads to all of them. */
  get mayHaveOlder(): boolean {
    return this.#cut.size > 0;
  }

  get goals(): Goal[] {
    return this.#views().flatMap((view) => view.goals);
  }

  get isLoaded(): boolean {
    return [...this.#mirrors.values()].every((mirror) => mirror.view !== null);
  }

  session(sessionId: string): Session | undefined {
    return this.sessions.find((session) => session.sessionId === sessionId);
  }

  /** A root that was removed from the window: what waits or works there is no concern of its. */
  isRemoved(folder: string): boolean {
    return this.#removed.has(folder);
  }

  /** From now on these folders, by their canonical paths; `removed` can only be read. */
  follow(open: readonly string[], removed: readonly string[] = []): void {
    const wanted = new Set([...open, ...removed]);
    this.#removed = new Set(removed);
    const left = this.#mirrors.size;
    for (const [path, mirror] of [...this.#mirrors]) {
      if (wanted.has(path)) continue;
      mirror.dispose();
      this.#mirrors.delete(path);
      this.#cut.delete(path);
    }
    if (left > 0) this.#changed.fire();
    for (const path of wanted) if (!this.#mirrors.has(path)) this.#add(path);
  }

  dispose(): void {
    for (const mirror of this.#mirrors.values()) mirror.dispose();
    this.#mirrors.clear();
    this.#disposables.dispose();
  }

  #add(path: string): void {
    const { calls, connection, log } = this.#options;
    const mirror = workspaceMirror(calls, path);
    this.#mirrors.set(path, mirror);
    mirror.onReplaced(({ sessions }) => {
      if (isCut(sessions)) this.#cut.add(path);
      else this.#cut.delete(path);
      this.#loaded.fire(path);
      this.#changed.fire();
    });
    mirror.onEvents((events) => {
      for (const event of events) if (event.type === 'session.updated') this.#session.fire(event.session);
      this.#changed.fire();
    });
    mirror.onFailed((error) => log.warn(`the sessions of ${path} cannot be read: ${describeError(error)}`));
    if (connection.state.state === 'connected') void mirror.connect();
  }

  #views(): readonly { readonly goals: readonly Goal[]; readonly sessions: readonly Session[] }[] {
    return [...this.#mirrors.values()].map(({ view }) => view).filter((view) => view !== null);
  }
}

// Somewhat below what the gateway puts into one list, in sessions and in characters of JSON.
const MANY = 1000;
const LONG = 900_000;

const isCut = (sessions: readonly Session[]): boolean => sessions.length >= MANY || JSON.stringify(sessions).length > LONG;
