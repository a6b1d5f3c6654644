import { render } from 'preact';
import { Actions } from './actions.ts';
import type { Announcer } from './announcer.ts';
import { CaretMemory } from './caretMemory.ts';
import { ComposerDesk } from './composer/desk.ts';
import { isFindKey, keep } from './find/findKey.ts';
import type { Finding } from './find/finding.ts';
import { Focus } from './focus.ts';
import type { PanelChrome } from '../../src/protocol/panel.ts';
import { sendBlocked } from './format/banners.ts';
import { type Host, type Kept, submitMessage } from './host.ts';
import { type LaterParts, later, whenLater } from './later.ts';
import { liveRegion } from './liveRegion.ts';
import { Outbox } from './outbox.ts';
import { Revealing } from './reveal.ts';
import { RowStage } from './rowStage.ts';
import { Scroller } from './scroller.ts';
import { PanelStore, type StoreChange, asItIs, bringsNews } from './store.ts';
import { surround } from './surround.ts';
import { Transcript } from './transcript.ts';
import { App, type Handles, type Model } from './view/app.ts';
import { type Surroundings, draw } from './view/dom.ts';
import { PromptHistory } from './view/promptHistory.ts';
import { watchClicks, watchFocus } from './view/watch.ts';

// Heights are guessed until rows are drawn; drawing twice more is enough to fill any view.
const MAX_PASSES = 3;

/** The running page: takes messages, draws at most once per frame, carries a person's acts back. Owned by main, which makes a new one after a failure. */
export class Page {
  readonly #root: HTMLElement;
  readonly #store: PanelStore;
  readonly #desk: ComposerDesk;
  readonly #outbox: Outbox;
  readonly actions: Actions;
  #announcer: Announcer | null = null;
  readonly #carets: CaretMemory;
  #transcript = new Transcript();
  readonly #handles: Handles;
  readonly #rows: RowStage;
  #finding: Finding | null = null;
  readonly #stop = new AbortController();
  #kept: Kept;
  readonly #host: Host;
  #surroundings: Surroundings | null = null;
  #scroller: Scroller | null = null;
  #following = { following: true, unseen: false };
  #scheduled = false;
  #news = false;
  #turnsChanged = true;
  #switched = false;
  readonly #reveal: Revealing;
  readonly #focus: Focus;
  #hasShown = false;

  constructor(root: HTMLElement, host: Host) {
    this.#root = root;
    this.#host = host;
    this.#kept = host.kept();
    const post = host.post.bind(host);
    this.#store = new PanelStore(post);
    this.#desk = new ComposerDesk({ post, kept: this.#kept.draft, keep: (draft) => this.#keep({ draft }), changed: () => this.#drawSoon() });
    this.#outbox = new Outbox({ load: () => this.#kept.submissions, save: (submissions) => this.#keep({ submissions }) });
    this.#carets = new CaretMemory(this.#kept.carets, (carets) => this.#keep({ carets }));
    this.actions = new Actions({ post, store: this.#store, outbox: this.#outbox, draft: this.#desk.draft, tray: this.#desk.tray, followEnd: () => this.#scroller?.jumpToEnd() });
    const region = liveRegion(root.parentElement ?? document.body);
    this.#stop.signal.addEventListener('abort', () => region.remove());
    this.#handles = { history: new PromptHistory(), desk: this.#desk, input: { current: null }, scroll: { current: null }, content: { current: null }, rows: { current: null }, revealFirst: () => this.#revealFirst(), jumpToEnd: () => this.#scroller?.jumpToEnd(), findBar: () => this.#finding?.bar() ?? null };
    this.#rows = new RowStage(this.#handles);
    this.#reveal = new Revealing({ root, store: this.#store, actions: this.actions, rows: this.#rows, scroller: () => this.#scroller, drawSoon: () => this.#drawSoon() });
    this.#focus = new Focus({ root, input: this.#handles.input, isTaken: () => this.#reveal.isWanted }, this.#stop.signal);
    this.#listen(host);
    this.#drawNow();
    whenLater((parts) => this.#complete(parts, region.say));
    post({ type: 'ready' });
  }

  /** What was not needed to show the page is here. */
  #complete({ Announcer, Finding }: LaterParts, say: (text: string) => void): void {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    this.#announcer = new Announcer(say);
    this.#finding = new Finding({
      view: () => this.#store.state?.view ?? null, scroll: () => this.#handles.scroll.current, drawItem: (itemId) => this.#drawItem(itemId), bringIntoView: (range) => this.#scroller?.show(range),
      loadEarlier: () => this.actions.loadEarlier(), changed: () => this.#drawSoon(), draw: () => this.#drawNow(),
    }, signal);
    this.#drawSoon();
  }

  /** Who asks to find something before that is possible gets it as soon as it is. */
  #wantsFind(event: KeyboardEvent): void {
    if (this.#finding !== null || !isFindKey(event)) return;
    keep(event);
    whenLater(() => this.#finding?.open(), () => this.actions.lacksParts());
  }

  /** Kept, too, until there is who says it. What there are many of is never said. */
  #announce(change: StoreChange): void {
    const { state } = this.#store;
    if (change.kind !== 'replaced' && (change.kind !== 'event' || change.event.type === 'item.delta')) return;
    if (this.#announcer !== null) return this.#announcer.observe(change, state);
    const now = asItIs(change);
    whenLater(() => this.#announcer?.observe(now, state), () => undefined);
  }

  /** Only so far that it can be shown: where the reader then is decides about the others. */
  #drawItem(itemId: string): void {
    this.#takeRows();
    this.#rows.aimAt({ itemId });
    this.#render();
    this.#rows.arrived();
  }

  dispose(): void {
    this.#stop.abort();
    this.#finding?.finder.close();
    this.#scroller?.dispose();
    render(null, this.#root);
  }

  #listen(host: Host): void {
    const { signal } = this.#stop;
    const messages = host.onMessage((message) => this.#store.receive(message));
    const changes = this.#store.onChange((change) => this.#changed(change));
    signal.addEventListener('abort', () => { messages.dispose(); changes.dispose(); });
    document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && this.#leave(), { signal });
    window.addEventListener('pagehide', () => this.#leave(), { signal });
    window.addEventListener('blur', () => this.#leave(), { signal });
    document.addEventListener('keydown', (event) => this.#wantsFind(event), { signal, capture: true });
    watchClicks(this.#root, this.actions, signal);
    watchFocus(this.#root, this.actions, signal);
    this.#desk.watchDrops(this.#root, () => this.#store.state !== null && sendBlocked(this.#store.state) === null, () => this.#handles.input.current?.focus(), signal);
  }

  #keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    this.#host.keep(this.#kept);
  }

  /** The page may not come back. */
  #leave(): void {
    this.#desk.draft.flush();
    this.#scroller?.flush();
    const { input } = this.#handles;
    const conversation = this.#store.state?.conversation;
    if (input.current !== null && conversation !== undefined) this.#carets.keep(conversation, input.current);
  }

  #changed(change: StoreChange): void {
    if (change.kind === 'replaced') this.#replaced(change);
    if (change.kind === 'event') this.#happened(change);
    else this.#turnsChanged = true;
    if (change.kind === 'prefill') {
      this.#desk.draft.set(change.text);
      this.#desk.draft.flush();
      this.#focus.wantInput(change.caret);
    }
    if (change.kind === 'composer') this.#desk.receive(change.message);
    if (change.kind === 'focusInput') this.#focus.wantInput('end');
    if (change.kind === 'reveal') this.#reveal.want(change.reveal);
    this.#finding?.finder.update();
    const { state } = this.#store;
    if (state?.view) this.#outbox.acknowledge(state.view.turns);
    this.#announce(change);
    if (state?.chrome.font !== undefined) applyFont(state.chrome.font);
    this.#syncInput();
    this.#drawSoon();
  }

  #happened(change: Extract<StoreChange, { kind: 'event' }>): void {
    const { state } = this.#store;
    const { type } = change.event;
    this.#news ||= bringsNews(change, state);
    this.#turnsChanged ||= type === 'turn.updated' || type === 'turn.ended';
    // Nobody reads what is far above while the end is followed.
    if (type === 'turn.ended' && this.#following.following && this.#finding?.finder.isOpen !== true && state?.view) later()?.trimView(state.view);
  }

  /** At once, not with the next frame: a key pressed in between must not bring back what was sent or left. */
  #syncInput(): void {
    const input = this.#handles.input.current;
    if (input !== null && input.value !== this.#desk.draft.text) input.value = this.#desk.draft.text;
  }

  #replaced({ before, after }: Extract<StoreChange, { kind: 'replaced' }>): void {
    const { input, history } = this.#handles;
    if (before !== null && before.conversation !== after.conversation && input.current !== null) this.#carets.keep(before.conversation, input.current);
    this.#switched ||= before?.conversation !== after.conversation;
    if (this.#switched) this.#finding?.finder.forget();
    this.#desk.show(after);
    if (after.conversation !== this.#kept.conversation) this.#keep({ conversation: after.conversation });
    history.reset();
    if (after.view !== null) this.#outbox.acknowledge(after.view.turns);
    for (const submission of this.#outbox.takeUnsure(after.conversation, after.chrome.outbox)) this.actions.post(submitMessage(submission));
  }

  #drawSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow(): void {
    this.#scheduled = false;
    if (this.#stop.signal.aborted) return;
    const held = this.#focus.held();
    this.#takeRows();
    this.#render();
    this.#startScroller();
    if (this.#switched) this.#showPlace();
    else this.#scroller?.after(this.#news);
    this.#rows.arrived();
    for (let pass = 0; pass < MAX_PASSES && this.#rows.lacks(this.#following.following); pass += 1) {
      this.#render();
      this.#scroller?.after(false);
    }
    this.#news = false;
    if (this.#finding?.finder.isOpen === true) this.#finding.finder.drawn();
    this.#focus.keep(held);
    this.#serveWishes();
  }

  #takeRows(): void {
    const { state } = this.#store;
    if (this.#switched) this.#transcript = new Transcript();
    this.#rows.take(state?.view ? this.#transcript.parts(state.view) : []);
    if (!this.#switched || state === null) return;
    this.#rows.forget();
    if (state.scroll !== null) this.#rows.aimAt(state.scroll);
  }

  #render(): void {
    this.#scroller?.before();
    render(draw(App, { model: this.#model(), handles: this.#handles }), this.#root);
  }

  #model(): Model | null {
    const { state, page } = this.#store;
    if (state === null) return null;
    const turns = state.view?.turns ?? [];
    if (this.#turnsChanged) this.#handles.history.show(turns.map(({ text }) => text));
    this.#turnsChanged = false;
    this.#surroundings = surround(state, page, { actions: this.actions, pictures: this.#desk.pictures }, this.#surroundings);
    return {
      state, page, surroundings: this.#surroundings, draft: this.#desk.draft.text, ...this.#following,
      entries: this.#rows.entries(this.#following.following || (this.#switched && state.scroll === null)),
      outbox: this.#outbox.entries(state.conversation, state.chrome.outbox, turns),
    };
  }

  #startScroller(): void {
    const { scroll, content } = this.#handles;
    if (this.#scroller !== null || scroll.current === null || content.current === null) return;
    this.#scroller = new Scroller(scroll.current, content.current, {
      onFollowing: (following, unseen) => {
        this.#following = { following, unseen };
        this.#drawSoon();
      },
      onPlace: (place) => this.actions.scrolledTo(place),
      onNearTop: () => this.actions.loadEarlier(),
      onMoved: () => this.#rows.lacks(this.#following.following) && this.#drawSoon(),
    });
  }

  #showPlace(): void {
    const { state } = this.#store;
    if (state === null) return;
    this.#switched = false;
    this.#scroller?.restore(state.scroll);
    const { input } = this.#handles;
    if (input.current !== null) this.#carets.restore(state.conversation, input.current);
  }

  #revealFirst(): void {
    const first = this.#surroundings?.pending[0];
    if (first !== undefined) this.#store.receive({ type: 'reveal', approvalId: first, focus: true });
  }

  #serveWishes(): void {
    this.#focus.serve();
    if (this.#reveal.isWanted) this.#reveal.serve();
    else if (this.#store.state !== null && !this.#hasShown) {
      this.#hasShown = true;
      this.#focus.catch();
    }
  }
}

/** The reader's own choice goes over the theme's; the style sheet reads these two. */
function applyFont({ family, size }: NonNullable<PanelChrome['font']>): void {
  const { style } = document.documentElement;
  const set = (name: string, value: string | null): void => (value === null ? void style.removeProperty(name) : style.setProperty(name, value));
  set('--attache-font-family', family);
  set('--attache-font-size', size === null ? null : `${size}px`);
}
