import type { Approval, ApprovedPart } from '../../src/protocol/approval/state.ts';
import type { FromPanel, PanelCommand, ScrollPlace } from '../../src/protocol/panel.ts';
import { isActive } from '../../src/protocol/turn/phase.ts';
import type { Turn } from '../../src/protocol/turn/state.ts';
import type { Tray } from './composer/tray.ts';
import type { Draft } from './draft.ts';
import { chosenPart, mayAnswer, refuses } from './format/parts.ts';
import { submitMessage } from './host.ts';
import { t } from './l10n.ts';
import type { FilePlace } from './markdown/linkTarget.ts';
import type { Outbox } from './outbox.ts';
import type { PanelStore } from './store.ts';

interface ActionParts {
  readonly post: (message: FromPanel) => void;
  readonly store: PanelStore;
  readonly outbox: Outbox;
  readonly draft: Draft;
  readonly tray: Tray;
  /** Shows the end of the transcript and stays there: what a person starts is what they want to see. */
  readonly followEnd: () => void;
}

/** All that a person can do on the page. Each is one message to the extension and, where it must show at once, a mark in the page's own state. */
export class Actions {
  readonly #parts: ActionParts;

  constructor(parts: ActionParts) {
    this.#parts = parts;
  }

  get #conversation(): string {
    return this.#parts.store.state?.conversation ?? '';
  }

  post(message: FromPanel): void {
    this.#parts.post(message);
  }

  run(command: PanelCommand): void {
    this.post({ type: 'run', command });
  }

  /** Hands over what the composer holds. False when there is nothing to send. */
  submit(): boolean {
    const { draft, outbox, store, tray } = this.#parts;
    const text = draft.text.trim();
    if (text === '' || store.state === null || !tray.mayGo(draft.text, () => this.submit())) return false;
    const attached = tray.shown(draft.text);
    const ids = attached.map(({ id }) => id);
    const submission = { conversation: this.#conversation, clientTurnId: crypto.randomUUID(), text, ...(ids.length === 0 ? {} : { attachments: ids, names: attached.map(({ name }) => name) }) };
    outbox.add(submission);
    this.post(submitMessage(submission));
    tray.sent(ids);
    draft.set('');
    draft.flush();
    store.update({ toast: null });
    // While the agent works the message waits beside the composer, and the reader's place is their own.
    if (store.state.view?.turns.some((turn) => isActive(turn.state)) !== true) this.#parts.followEnd();
    return true;
  }

  resend(clientTurnId: string): void {
    const { outbox, store } = this.#parts;
    const held = store.state?.chrome.outbox.some((entry) => entry.clientTurnId === clientTurnId) ?? false;
    const own = outbox.find(clientTurnId);
    if (!held && own !== undefined) this.post(submitMessage(own));
    else this.post({ type: 'resend', clientTurnId });
    this.#parts.followEnd();
  }

  /** Back into the composer: a message that was not delivered is to be changed. */
  takeBack(clientTurnId: string): void {
    this.#parts.outbox.remove(clientTurnId);
    this.post({ type: 'takeBack', clientTurnId });
    this.#parts.store.update({});
  }

  discard(clientTurnId: string): void {
    this.#parts.outbox.remove(clientTurnId);
    this.post({ type: 'discard', clientTurnId });
    this.#parts.store.update({});
  }

  stop(): void {
    const { store } = this.#parts;
    const active = store.state?.view?.turns.find((turn) => isActive(turn.state));
    this.post({ type: 'stop', conversation: this.#conversation });
    if (active !== undefined) store.update({ stoppingTurnId: active.turnId });
  }

  /** An answer is sent once; the buttons rest until the gateway has spoken. */
  decide(approval: Approval, optionId: string, comment: string): void {
    const { store } = this.#parts;
    const current = store.state?.view?.approvals.find((entry) => entry.approvalId === approval.approvalId);
    if (current?.status !== 'pending' || store.page.deciding.has(approval.approvalId)) return;
    const said = comment.trim();
    const part = this.#partFor(approval, optionId);
    if (part === 'nothing') return;
    this.post({ type: 'decide', approvalId: approval.approvalId, optionId, actionDigest: approval.actionDigest, ...(said === '' ? {} : { comment: said }), ...part });
    store.update({ deciding: new Map([...store.page.deciding, [approval.approvalId, optionId]]), toast: null });
  }

  /** What the answer is about, just as the card shows it; nothing where it cannot be given with something left out. */
  #partFor(approval: Approval, optionId: string): { part?: ApprovedPart } | 'nothing' {
    const option = approval.options.find((each) => each.optionId === optionId);
    const chosen = chosenPart(approval, this.#parts.store.state?.chrome.leftOut?.[approval.approvalId]);
    if (option === undefined || chosen === null) return {};
    if (!mayAnswer(option, chosen)) return 'nothing';
    return refuses(option) ? {} : { part: chosen.part };
  }

  /** Makes one new turn, however often the button is pressed. */
  retry(turn: Turn): void {
    const { store } = this.#parts;
    if (store.page.retrying.has(turn.turnId)) return;
    store.update({ retrying: new Set([...store.page.retrying, turn.turnId]), toast: null });
    this.post({ type: 'retry', turnId: turn.turnId, clientTurnId: crypto.randomUUID() });
    this.#parts.followEnd();
  }

  editQueued(turn: Turn, text: string): void {
    const next = text.trim();
    if (next !== '' && next !== turn.text) this.post({ type: 'queueEdit', turnId: turn.turnId, text: next, expectedRev: turn.rev });
  }

  removeQueued(turn: Turn): void {
    this.post({ type: 'queueRemove', turnId: turn.turnId });
  }

  resumeQueue(): void {
    this.post({ type: 'queueResume', conversation: this.#conversation });
    this.#parts.followEnd();
  }

  loadEarlier(): void {
    const { store } = this.#parts;
    const { earlier: before = null, earlierItem: beforeItem } = store.state?.view ?? {};
    if (before === null || store.page.loadingEarlier) return;
    this.post({ type: 'history', conversation: this.#conversation, before, ...(beforeItem === undefined ? {} : { beforeItem }) });
    store.update({ loadingEarlier: true });
  }

  setOption(optionId: string, value: string): void {
    this.post({ type: 'setOption', conversation: this.#conversation, optionId, value });
  }

  openFile(path: string, place: FilePlace = {}): void {
    this.post({ type: 'openFile', path, ...place });
  }

  scrolledTo(place: ScrollPlace | null): void {
    if (this.#conversation !== '') this.post({ type: 'scroll', conversation: this.#conversation, place });
  }

  /** Puts text into the composer; it is never sent by itself. */
  prefill(text: string): void {
    this.#parts.draft.set(text);
    this.#parts.draft.flush();
    this.#parts.store.update({});
  }

  type(text: string): void {
    this.#parts.draft.set(text);
    this.#parts.store.update({});
  }

  /** The page may go away: what was typed is told now. */
  keepDraft(): void {
    this.#parts.draft.flush();
  }

  /** What was refused just now; the refusal has been read. */
  tryAgain(command: PanelCommand): void {
    this.hideToast();
    this.run(command);
  }

  /** What the page loads after its first paint did not come. */
  lacksParts(): void {
    this.#parts.store.update({ toast: { message: t('A part of this panel could not be loaded, so finding, suggestions and the changing of queued messages do not work.'), next: t('Try again, or close the chat and open it again.') } });
  }

  hideToast(): void {
    this.#parts.store.update({ toast: null });
  }
}
