import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { Workspaces } from './workspaces.ts';

/** What was put away, and what is too old to be in the list of a folder's open sessions. */
export type ShelfKind = 'older' | 'archived' | 'closed';

const PAGE = 100;

const WHICH: Readonly<Record<ShelfKind, Omit<ParamsOf<'session/list'>, 'workspace'>>> = {
  older: { archived: 'exclude' },
  archived: { archived: 'only', includeClosed: true },
  closed: { archived: 'exclude', status: ['closed'] },
};

const belongs: Readonly<Record<ShelfKind, (session: Session) => boolean>> = {
  older: ({ status, archivedAt }) => status !== 'closed' && archivedAt === null,
  archived: ({ archivedAt }) => archivedAt !== null,
  closed: ({ status, archivedAt }) => status === 'closed' && archivedAt === null,
};

interface Place {
  readonly sessions: Map<string, Session>;
  /** Those that an event has taken away: a page that was read before it must not bring them back. */
  readonly left: Set<string>;
  /** Where the next page begins; undefined before the first one, null at the end. */
  cursor: string | null | undefined;
}

/** Sessions that are read a page at a time when somebody looks for them, and follow the events from then on. */
export class Shelf {
  readonly #kind: ShelfKind;
  readonly #calls: GatewayCalls;
  readonly #places = new Map<string, Place>();
  readonly #changed = new Emitter<void>();
  #loading: Promise<void> | null = null;

  readonly onChanged = this.#changed.event;

  constructor(kind: ShelfKind, calls: GatewayCalls) {
    this.#kind = kind;
    this.#calls = calls;
  }

  get isLoading(): boolean {
    return this.#loading !== null;
  }

  sessions(folders: readonly string[]): Session[] {
    return folders.flatMap((folder) => [...(this.#places.get(folder)?.sessions.values() ?? [])]);
  }

  /** At least its first page. */
  isRead(folder: string): boolean {
    return this.#places.get(folder)?.cursor !== undefined;
  }

  /** True where nothing was read yet, or the last page leads on. */
  hasMore(folders: readonly string[]): boolean {
    return folders.some((folder) => this.#places.get(folder)?.cursor !== null);
  }

  /** Reads the next page of each folder. A second call while one is on its way waits for that one. */
  async more(folders: readonly string[]): Promise<void> {
    this.#loading ??= this.#read(folders).finally(() => {
      this.#loading = null;
      this.#changed.fire();
    });
    this.#changed.fire();
    await this.#loading;
  }

  /** Takes in what an event says; a folder that nobody has looked into stays unread. */
  note(session: Session): void {
    const place = this.#places.get(session.workspace);
    if (place === undefined) return;
    const { sessionId } = session;
    if (belongs[this.#kind](session) && session.deleted !== true) {
      place.left.delete(sessionId);
      place.sessions.set(sessionId, session);
    } else {
      place.left.add(sessionId);
      if (!place.sessions.delete(sessionId)) return;
    }
    this.#changed.fire();
  }

  /** After a gap in the events nothing that was read counts any more. */
  forget(folder: string): void {
    if (this.#places.delete(folder)) this.#changed.fire();
  }

  async #read(folders: readonly string[]): Promise<void> {
    await Promise.all(folders.map(async (workspace) => {
      const place: Place = this.#places.get(workspace) ?? { sessions: new Map(), left: new Set(), cursor: undefined };
      if (place.cursor === null) return;
      // Before the answer: what an event says meanwhile is newer than it.
      this.#places.set(workspace, place);
      const { sessions, next } = await this.#calls.call('session/list', { ...WHICH[this.#kind], workspace, limit: PAGE, ...(place.cursor === undefined ? {} : { cursor: place.cursor }) });
      for (const session of sessions) if (!place.sessions.has(session.sessionId) && !place.left.has(session.sessionId)) place.sessions.set(session.sessionId, session);
      place.cursor = next;
    }));
  }
}

/** The shelves of a window. */
export class Shelves implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #changed = new Emitter<void>();
  readonly #workspaces: Workspaces;
  readonly older: Shelf;
  readonly archived: Shelf;
  readonly closed: Shelf;

  readonly onChanged = this.#changed.event;

  constructor(calls: GatewayCalls, workspaces: Workspaces) {
    this.#workspaces = workspaces;
    this.older = new Shelf('older', calls);
    this.archived = new Shelf('archived', calls);
    this.closed = new Shelf('closed', calls);
    for (const shelf of [this.older, this.archived, this.closed]) {
      this.#disposables.add(workspaces.onSession((session) => shelf.note(session)));
      this.#disposables.add(workspaces.onLoaded((folder) => shelf.forget(folder)));
      this.#disposables.add(shelf.onChanged(() => this.#changed.fire()));
    }
  }

  /** What was closed or archived and has been read. */
  get putAway(): Session[] {
    const { folders } = this.#workspaces;
    return [...this.closed.sessions(folders), ...this.archived.sessions(folders)];
  }

  /** Reads the newest of what was put away, where nobody has yet. */
  async open(): Promise<void> {
    const { folders } = this.#workspaces;
    await Promise.all([this.closed, this.archived].filter((shelf) => folders.some((folder) => !shelf.isRead(folder))).map((shelf) => shelf.more(folders)));
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#changed.dispose();
  }
}
