import { MAX_ATTACHMENTS } from '../../../src/protocol/limits.ts';
import type { FromPanel } from '../../../src/protocol/panel.ts';
import type { ComposerAttachment, MentionRef } from '../../../src/protocol/panelAttachment.ts';
import { t } from '../l10n.ts';

/** One that the extension has not confirmed yet. */
interface PendingAttachment {
  readonly id: string;
  readonly name: string;
}

interface TrayOptions {
  readonly post: (message: FromPanel) => void;
  readonly changed: () => void;
  /** Reads files and brings each; `failed`: they cannot be read at all. */
  readonly read: (files: readonly File[], text: string, failed: () => void) => void;
}

const PENDING_MS = 60_000;

const couldNot = (name: string): string => t('“{0}” could not be attached.', name);

/** What goes with the message being written, as the extension has it, and what is on its way there. */
export class Tray {
  readonly #options: TrayOptions;
  #conversation = '';
  #known: readonly ComposerAttachment[] = [];
  #pending: readonly PendingAttachment[] = [];
  #notice: string | null = null;
  #whenReady: (() => void) | null = null;

  constructor(options: TrayOptions) {
    this.#options = options;
  }

  /** What could not be attached, and why; null: nothing. */
  get notice(): string | null {
    return this.#notice;
  }

  get pending(): readonly PendingAttachment[] {
    return this.#pending;
  }

  /** Those that go with this text: what stood for words that are gone stays behind, and comes back with them. */
  shown(text: string): ComposerAttachment[] {
    return this.#known.filter(({ token }) => token === null || holds(text, token));
  }

  show(conversation: string, attachments: readonly ComposerAttachment[]): void {
    if (conversation !== this.#conversation) {
      this.#conversation = conversation;
      this.#pending = [];
      this.#notice = null;
      this.#whenReady = null;
    }
    this.receive(conversation, attachments);
  }

  receive(conversation: string, attachments: readonly ComposerAttachment[]): void {
    if (conversation !== this.#conversation) return;
    this.#known = attachments;
    this.#settle(attachments.map(({ id }) => id));
  }

  /** Nothing came of an attachment. The message that waited for it is not sent: something would be missing. */
  failed(conversation: string, id: string, message: string): void {
    if (conversation !== this.#conversation) return;
    this.#whenReady = null;
    this.#notice = message;
    this.#settle([id]);
  }

  dismiss(): void {
    this.#notice = null;
    this.#options.changed();
  }

  /** True when a message may go with what it has; else says why not. `again` is run when all that was added is there. */
  mayGo(text: string, again: () => void): boolean {
    const shown = this.shown(text);
    if (shown.length > MAX_ATTACHMENTS) this.refuse(t('A message takes at most {0} attachments: remove some.', MAX_ATTACHMENTS));
    else if (this.#pending.length > 0) this.#whenReady = again;
    else return shown.every(({ problem }) => problem === null);
    return false;
  }

  attach(ref: MentionRef, name: string, token: string | null): void {
    const id = crypto.randomUUID();
    // What becomes several, or asks first, is confirmed under other names.
    if (ref.kind !== 'openEditors' && ref.kind !== 'choose') this.#await({ id, name });
    this.#post({ type: 'attach', conversation: this.#conversation, id, ref, token });
  }

  addUris(uris: readonly string[]): void {
    if (uris.length > 0) this.#post({ type: 'attachUris', conversation: this.#conversation, uris: uris.slice(0, 100) });
  }

  /** Files that were pasted or dropped from outside. */
  addFiles(files: readonly File[], text: string): void {
    this.#options.read(files, text, () => this.refuse(couldNot(files[0]?.name ?? '')));
  }

  hasRoom(text: string): boolean {
    return this.shown(text).length + this.#pending.length < MAX_ATTACHMENTS;
  }

  /** Hands a file over when its bytes are there; false: there are none. */
  async bring({ name, type }: Pick<File, 'name' | 'type'>, bytes: Promise<string | null>): Promise<boolean> {
    const conversation = this.#conversation;
    const id = crypto.randomUUID();
    this.#await({ id, name });
    const base64 = await bytes;
    if (base64 === null) this.#settle([id]);
    else this.#post({ type: 'attachBytes', conversation, id, name: name.slice(-500), mimeType: type.slice(0, 200), base64 });
    return base64 !== null;
  }

  /** Says why something was not attached. */
  refuse(notice: string): void {
    this.#notice = notice;
    this.#options.changed();
  }

  remove(id: string): void {
    this.#known = this.#known.filter((attachment) => attachment.id !== id);
    this.#post({ type: 'detach', conversation: this.#conversation, id });
    this.#options.changed();
  }

  /** The message was handed over with them. */
  sent(ids: readonly string[]): void {
    this.#known = this.#known.filter(({ id, token }) => !ids.includes(id) && token === null);
    this.#notice = null;
  }

  open(id: string): void {
    this.#post({ type: 'openAttachment', conversation: this.#conversation, id });
  }

  #await(pending: PendingAttachment): void {
    this.#pending = [...this.#pending, pending];
    this.#notice = null;
    // An answer that never comes must not keep a message from being sent for ever.
    setTimeout(() => this.#pending.includes(pending) && this.failed(this.#conversation, pending.id, couldNot(pending.name)), PENDING_MS);
    this.#options.changed();
  }

  #settle(ids: readonly string[]): void {
    this.#pending = this.#pending.filter(({ id }) => !ids.includes(id));
    this.#options.changed();
    if (this.#pending.length > 0) return;
    const run = this.#whenReady;
    this.#whenReady = null;
    run?.();
  }

  #post(message: FromPanel): void {
    this.#options.post(message);
  }
}

/** A token is no part of a longer name: `@src/cart.ts` is not in `@src/cart.tsx`. */
export function holds(text: string, token: string): boolean {
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    if (!/[\p{L}\p{N}_\-/]/u.test(text.charAt(at + token.length)) && !/^\.[\p{L}\p{N}]/u.test(text.slice(at + token.length))) return true;
  }
  return false;
}
