import { Deferred } from '../../base/deferred.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { pagesBackwards } from '../../client/export/readTranscript.ts';
import { sessionMirror, type SessionMirror } from '../../client/sessionMirror.ts';
import { asAttacheError } from '../../protocol/errors.ts';
import type { ItemId, SessionId } from '../../protocol/ids.ts';
import type { SessionSnapshot } from '../../protocol/subscription/state.ts';
import type { Attached } from '../gateway/attached.ts';
import { Changes, type Change, type Held } from './changes.ts';

export interface FollowOptions {
  readonly sessionId: SessionId;
  /** The first turn that is wanted, given the newest state. */
  readonly from: (view: SessionSnapshot) => number;
  /** Told every change, one after the other. True: enough was seen. */
  readonly tell: (change: Change) => Promise<boolean>;
}

/**
 * Follows a session over every cut: the gateway killed, drained or restarted, the link lost. Ends when enough was told, when
 * the session can be had no more, or when it is disposed of.
 */
export class Follower implements Disposable {
  readonly #attached: Attached;
  readonly #options: FollowOptions;
  readonly #mirror: SessionMirror;
  readonly #store = new DisposableStore();
  readonly #done = new Deferred<void>();
  #changes: Changes | null = null;
  #isDirty = false;
  #isRunning = false;
  /** The snapshot for which what lies before it was read. */
  #reached: SessionSnapshot | null = null;

  constructor(attached: Attached, options: FollowOptions) {
    this.#attached = attached;
    this.#options = options;
    this.#mirror = this.#store.add(sessionMirror(attached.calls, options.sessionId));
    this.#store.add(this.#mirror.onReplaced(() => this.#look()));
    this.#store.add(this.#mirror.onEvents(() => this.#look()));
    this.#store.add(this.#mirror.onFailed((error) => {
      // What may pass is asked for again by the mirror.
      if (asAttacheError(error)?.data.retry === 'never') this.#done.reject(error);
    }));
    this.#store.add(attached.link.onStateChanged((state) => {
      if (state.state === 'failed') this.#done.reject(state.failure);
    }));
    this.#store.add(attached.link.onOpened(() => void this.#mirror.connect()));
  }

  /** Resolves when enough was told. Rejects when the session, or a gateway at all, is not to be had any more. */
  async run(): Promise<void> {
    void this.#mirror.connect();
    try {
      await this.#done.promise;
    } finally {
      this.dispose();
    }
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** One look at a time: the next one sees all that came in during this one. */
  #look(): void {
    this.#isDirty = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#lookUntilCalm().catch((error: unknown) => this.#done.reject(error));
  }

  async #lookUntilCalm(): Promise<void> {
    try {
      while (this.#isDirty && !this.#store.isDisposed) {
        this.#isDirty = false;
        const { view } = this.#mirror;
        if (view !== null && (await this.#tellNews(view))) return this.#done.resolve();
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** True when enough was told. */
  async #tellNews(view: SessionSnapshot): Promise<boolean> {
    this.#changes ??= new Changes((item, from) => this.#rest(item.itemId, from), this.#options.from(view));
    const held = await this.#reachingBack(view, this.#changes.floor);
    for await (const change of this.#changes.since(held)) {
      if (this.#store.isDisposed || (await this.#options.tell(change))) return true;
    }
    return false;
  }

  /** The view, and before it what it does not reach of the turns that are wanted. */
  async #reachingBack(view: SessionSnapshot, floor: number): Promise<Held> {
    const held = { session: view.session, turns: [...view.turns], items: [...view.items], approvals: [...view.approvals] };
    if (this.#reached === view || isComplete(view, floor)) return held;
    // Once for each snapshot: what changes later comes into the view. What is read is newer than the copy, never older.
    this.#reached = view;
    for await (const page of pagesBackwards(this.#attached.calls, this.#options.sessionId, view)) {
      held.turns.push(...missing(held.turns, page.turns, ({ turnId }) => turnId));
      held.items.push(...missing(held.items, page.items, ({ itemId }) => itemId));
      held.approvals.push(...missing(held.approvals, page.approvals, ({ approvalId }) => approvalId));
      if (isComplete(page, floor)) break;
    }
    return held;
  }

  async #rest(itemId: ItemId, from: number): Promise<string> {
    let text = '';
    for (;;) {
      const { item } = await this.#attached.calls.call('item/get', { itemId, offset: from + text.length });
      text += item.text;
      if (item.text === '' || from + text.length >= item.textLength) return text;
    }
  }
}

/** True when nothing of the turn `floor`, or of a later one, lies before this page. */
function isComplete({ earlier, earlierItem }: Pick<SessionSnapshot, 'earlier' | 'earlierItem'>, floor: number): boolean {
  return earlier === null || earlier < floor || (earlier === floor && earlierItem === undefined);
}

function missing<T>(held: readonly T[], found: readonly T[], idOf: (value: T) => string): T[] {
  const known = new Set(held.map(idOf));
  return found.filter((value) => !known.has(idOf(value)));
}
