import type * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { t } from '../../base/l10n.ts';
import type { PanelChrome, PanelState, ToPanel } from '../../protocol/panel.ts';
import type { ComposerAttachment } from '../../protocol/panelAttachment.ts';
import type { SessionEvent } from '../../protocol/subscription/events.ts';
import type { SessionSnapshot } from '../../protocol/subscription/state.ts';
import type { WindowMemory } from '../memory.ts';
import type { SessionFeed, SessionHub } from '../sessions/sessionHub.ts';

/** Where a chat is shown: the one view, or an editor tab. */
export interface ChatSurface {
  readonly webview: vscode.Webview;
  readonly isVisible: () => boolean;
  /** Brings it to the front. */
  readonly reveal: (preserveFocus: boolean) => void;
  readonly setTitle: (title: string) => void;
  /** Says outside of the page what the session is doing. */
  readonly setLook: (look: PanelLook) => void;
  /** Goes away, where it can. */
  readonly close: () => void;
}

/** What is to be seen of a session whose chat is hidden. */
export type PanelLook = 'idle' | 'working' | 'needsYou';

export interface ChatPanelOptions {
  readonly surface: ChatSurface;
  readonly hub: SessionHub;
  readonly memory: WindowMemory;
  /** A conversation to show instead of one that is gone. */
  readonly fresh: () => string;
  readonly chrome: (conversation: string, view: SessionSnapshot | null) => PanelChrome;
  /** What goes with the message being written in a conversation. */
  readonly attachments: (conversation: string, view: SessionSnapshot | null) => readonly ComposerAttachment[];
}

/** One chat on the screen: which conversation it shows, and everything its page has to be told. */
export class ChatPanel implements Disposable {
  readonly #options: ChatPanelOptions;
  readonly #disposables = new DisposableStore();
  readonly #conversationChanged = new Emitter<string>();
  #conversation: string;
  #feed: SessionFeed | null = null;
  #feedListeners = new DisposableStore();
  #generation = 0;
  #isReady = false;
  #waiting: ToPanel[] = [];
  /** The page shows the present conversation. */
  #isShown = false;

  readonly onConversationChanged = this.#conversationChanged.event;

  constructor(options: ChatPanelOptions, conversation: string) {
    this.#options = options;
    this.#conversation = conversation;
    this.#follow();
  }

  get conversation(): string {
    return this.#conversation;
  }

  get sessionId(): string | null {
    return this.#options.memory.sessionOf(this.#conversation);
  }

  get view(): SessionSnapshot | null {
    return this.#feed?.view ?? null;
  }

  get generation(): number {
    return this.#generation;
  }

  get isVisible(): boolean {
    return this.#options.surface.isVisible();
  }

  show(conversation: string): void {
    if (conversation === this.#conversation) return;
    this.#conversation = conversation;
    this.#waiting = [];
    this.#isShown = false;
    this.#follow();
    this.#conversationChanged.fire(conversation);
    this.sendState();
  }

  /** The conversation has become a session. */
  born(): void {
    this.#follow();
    this.sendState();
  }

  /** The page has loaded and knows nothing. */
  pageReady(): void {
    this.#isReady = true;
    this.sendState();
  }

  /** The page is gone: it was hidden. What it has to be told waits until it is back. */
  pageGone(): void {
    this.#isReady = false;
    this.#isShown = false;
  }

  post(message: ToPanel): void {
    if (this.#isReady) void this.#options.surface.webview.postMessage(message);
  }

  /** Reaches the page when it shows the present conversation, and never while it still shows another one. */
  postWhenReady(message: ToPanel): void {
    if (this.#isShown) this.post(message);
    else this.#waiting.push(message);
  }

  reveal(preserveFocus: boolean): void {
    this.#options.surface.reveal(preserveFocus);
  }

  sendChrome(): void {
    this.post({ type: 'chrome', chrome: this.#chrome() });
  }

  sendState(): void {
    this.#sendLook();
    // Better the page that was there than a flash of an empty one.
    if (this.#feed !== null && this.#feed.view === null && this.#feed.isLoading) return;
    const { draft, draftAt, scroll } = this.#options.memory.notes(this.#conversation);
    this.#generation += 1;
    const state: PanelState = { generation: this.#generation, conversation: this.#conversation, chrome: this.#chrome(), view: this.view, draft, draftAt, attachments: this.#options.attachments(this.#conversation, this.view), scroll };
    this.post({ type: 'state', state });
    if (!this.#isReady) return;
    this.#isShown = true;
    for (const message of this.#waiting.splice(0)) this.post(message);
  }

  dispose(): void {
    this.#feedListeners.dispose();
    this.#feed?.dispose();
    this.#disposables.dispose();
    this.#conversationChanged.dispose();
  }

  #chrome(): PanelChrome {
    return this.#options.chrome(this.#conversation, this.view);
  }

  /** Listens to the session of the present conversation, and to no other. */
  #follow(): void {
    const { sessionId } = this;
    const previous = this.#feed;
    this.#feedListeners.dispose();
    this.#feedListeners = new DisposableStore();
    this.#feed = sessionId === null ? null : this.#options.hub.open(sessionId);
    previous?.dispose();
    if (this.#feed === null) return;
    this.#feedListeners.add(this.#feed.onReplaced(() => (this.#feed?.isGone === true ? this.show(this.#options.fresh()) : this.sendState())));
    this.#feedListeners.add(this.#feed.onEvents((events) => this.#received(events)));
  }

  #received(events: readonly SessionEvent[]): void {
    const session = events.findLast((event) => event.type === 'session.updated')?.session;
    if (session?.deleted === true) return this.#leave();
    this.post({ type: 'events', generation: this.#generation, events });
    if (session !== undefined) this.#sendLook();
  }

  /** What was deleted is not looked at any more. */
  #leave(): void {
    this.show(this.#options.fresh());
    this.#options.surface.close();
  }

  /** Anybody can rename a session, and what it does changes while its page is hidden. */
  #sendLook(): void {
    const session = this.view?.session;
    const waiting = session?.pendingApprovals ?? 0;
    const title = session?.title ?? t('New Session');
    this.#options.surface.setTitle(waiting > 0 ? `(${waiting}) ${title}` : title);
    this.#options.surface.setLook(waiting > 0 ? 'needsYou' : session === undefined || session.activeTurnId === null ? 'idle' : 'working');
  }
}
