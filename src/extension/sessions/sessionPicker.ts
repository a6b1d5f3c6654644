import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import type { SearchHit } from '../../protocol/session/commands.ts';
import type { Session } from '../../protocol/session/state.ts';
import { foundRows, openRows, putAwayRows, type Row, type RowButton, type RowFacts } from './pickerRows.ts';
import { TranscriptFinder } from './transcriptFinder.ts';

/** What a person can do with a session in the list. */
export interface PickerActions {
  /** `hit`: at this place of its transcript. */
  readonly open: (session: Session, hit?: SearchHit) => Promise<void>;
  readonly openInTab: (session: Session, hit?: SearchHit) => Promise<void>;
  readonly rename: (session: Session) => Promise<void>;
  readonly pin: (session: Session, pinned: boolean) => Promise<void>;
  readonly archive: (session: Session, archived: boolean) => Promise<void>;
  readonly close: (session: Session) => Promise<void>;
  readonly remove: (session: Session) => Promise<void>;
  readonly failed: (error: unknown) => Promise<void>;
}

export interface PickerFacts extends Omit<RowFacts, 'now'> {
  readonly calls: Pick<GatewayCalls, 'call'>;
  readonly folders: readonly string[];
  readonly sessions: () => readonly Session[];
  /** Those that were closed or archived, the newest. */
  readonly putAway: () => readonly Session[];
  readonly onChanged: (listener: () => void) => { dispose(): void };
}

const textOf = (list: readonly Row[]): string => list.map(({ label, description, detail, acts }) => [label, description, detail, acts?.join()].join('\0')).join('\n');

/** The list of sessions, kept up to date while it is open. What is typed is looked for in the list, and by the gateway in every transcript. */
export class SessionPicker {
  readonly #facts: PickerFacts;
  readonly #actions: PickerActions;
  readonly #store = new DisposableStore();
  readonly #pick = vscode.window.createQuickPick<Row>();
  readonly #finder: TranscriptFinder;
  /** Only when the list is gone: as it goes it gives the focus back to where it was, and would take it from the chat. */
  #whenHidden: (() => Promise<void>) | null = null;

  constructor(facts: PickerFacts, actions: PickerActions) {
    this.#facts = facts;
    this.#actions = actions;
    this.#finder = this.#store.add(new TranscriptFinder(facts.calls, facts.folders));
  }

  show(typed = ''): void {
    const pick = this.#pick;
    pick.title = vscode.l10n.t('Switch Session');
    pick.placeholder = this.#facts.sessions().length === 0 ? vscode.l10n.t('There is no open session here yet') : vscode.l10n.t('Type to search titles, goals, agents, folders and everything that was said');
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.keepScrollPosition = true;
    pick.items = this.#rows([]);
    pick.value = typed;
    this.#store.add(this.#facts.onChanged(() => this.#refresh()));
    this.#store.add(this.#finder.onChanged(({ isLooking }) => {
      pick.busy = isLooking;
      this.#refresh();
    }));
    pick.onDidChangeValue((value) => this.#finder.look(value));
    pick.onDidAccept(() => this.#accept());
    pick.onDidTriggerItemButton(({ button, item }) => this.#press(item, item.acts?.[(item.buttons ?? []).indexOf(button)]));
    pick.onDidHide(() => this.#hidden());
    pick.show();
    this.#finder.look(typed);
  }

  #refresh(): void {
    const next = this.#rows(this.#pick.items);
    if (textOf(next) === textOf(this.#pick.items)) return;
    const [active] = this.#pick.activeItems;
    this.#pick.items = next;
    const same = active === undefined ? undefined : next.find((row) => row.label !== '' && row.session?.sessionId === active.session?.sessionId && row.hit?.itemId === active.hit?.itemId && row.does === active.does);
    if (same !== undefined) this.#pick.activeItems = [same];
  }

  /** Places stay as they are while the list is open: a row that moves under a click would open another session. */
  #rows(shown: readonly Row[]): Row[] {
    const { sessions, putAway } = this.#facts;
    const facts = { ...this.#facts, now: Date.now() };
    const open = openRows(sessions(), facts);
    const away = putAwayRows(putAway(), facts);
    const listed = new Set([...open, ...away].flatMap(({ session }) => (session === undefined ? [] : [session.sessionId as string])));
    return [...kept(shown.filter(({ part }) => part === 'open'), open), ...away, ...foundRows(this.#finder.findings, listed, facts)];
  }

  #accept(): void {
    const [row] = this.#pick.selectedItems;
    if (row?.does === 'more') return this.#finder.more();
    const { session, hit } = row ?? {};
    if (session !== undefined) this.#leave(() => this.#actions.open(session, hit));
    else this.#pick.hide();
  }

  #press({ session, hit }: Row, act: RowButton | undefined): void {
    if (session === undefined || act === undefined) return;
    const { openInTab, rename, pin, archive, close, remove, failed } = this.#actions;
    const typed = this.#pick.value;
    if (act === 'tab') this.#leave(() => openInTab(session, hit));
    else if (act === 'close') this.#leave(() => close(session));
    else if (act === 'rename') this.#leave(async () => {
      await rename(session);
      new SessionPicker(this.#facts, this.#actions).show(typed);
    });
    else {
      const done = act === 'delete' ? remove(session) : act === 'pin' || act === 'unpin' ? pin(session, act === 'pin') : archive(session, act === 'archive');
      done.catch(failed);
    }
  }

  #leave(then: () => Promise<void>): void {
    this.#whenHidden = then;
    this.#pick.hide();
  }

  #hidden(): void {
    this.#store.dispose();
    this.#pick.dispose();
    this.#whenHidden?.().catch(this.#actions.failed);
  }
}

/** What is shown, with the present texts; what is new stands at the end. */
function kept(shown: readonly Row[], present: readonly Row[]): Row[] {
  if (shown.length === 0) return [...present];
  const byId = new Map(present.flatMap((row) => (row.session === undefined ? [] : [[row.session.sessionId as string, row] as const])));
  const left = shown.flatMap((row) => (row.session === undefined ? [row] : (byId.get(row.session.sessionId) ?? [])));
  const known = new Set(left.map(({ session }) => session?.sessionId as string | undefined));
  return [...left, ...[...byId].filter(([sessionId]) => !known.has(sessionId)).map(([, row]) => row)].filter((row, at, all) => row.session !== undefined || all[at + 1]?.session !== undefined);
}
