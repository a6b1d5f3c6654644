import type { FromPanel, PanelState } from '../../../src/protocol/panel.ts';
import type { ToComposer } from '../../../src/protocol/panelAttachment.ts';
import { Draft, type KeptDraft } from '../draft.ts';
import { whenLater } from '../later.ts';
import { watchDrops } from './drops.ts';
import { LastWords, ownStorage } from './lastWords.ts';
import { Mentions } from './mentions.ts';
import { Pictures } from './pictures.ts';
import { Tray } from './tray.ts';

interface ComposerDeskOptions {
  readonly post: (message: FromPanel) => void;
  /** What this page kept over its own reload. */
  readonly kept: KeptDraft | null;
  readonly keep: (draft: KeptDraft) => void;
  readonly changed: () => void;
}

/** Everything that belongs to the message being written, besides how it looks. */
export class ComposerDesk {
  readonly draft: Draft;
  readonly tray: Tray;
  readonly mentions: Mentions;
  readonly pictures: Pictures;

  constructor({ post, kept, keep, changed }: ComposerDeskOptions) {
    const words = new LastWords(ownStorage());
    this.draft = new Draft(post, {
      find: (conversation) => newest(words.find(conversation), kept?.conversation === conversation ? kept : null),
      keep: (draft) => {
        words.keep(draft);
        keep(draft);
      },
      stored: (conversation) => words.forget(conversation),
    });
    this.tray = new Tray({ post, changed, read: (files, text, failed) => whenLater(({ readFiles }) => void readFiles(this.tray, files, text), failed) });
    this.mentions = new Mentions(post, changed);
    this.pictures = new Pictures(post, (address, done) => whenLater(({ shrunk }) => void shrunk(address).then(done), () => done(null)));
  }

  show({ conversation, draft, draftAt, attachments }: Pick<PanelState, 'conversation' | 'draft' | 'draftAt' | 'attachments'>): void {
    this.draft.show(conversation, draft, draftAt);
    this.tray.show(conversation, attachments);
  }

  receive(message: ToComposer): void {
    switch (message.type) {
      case 'attachments':
        return this.tray.receive(message.conversation, message.attachments);
      case 'attachFailed':
        return this.tray.failed(message.conversation, message.id, message.message);
      case 'mentions':
        return this.mentions.receive(message.request, message.entries, message.done);
      case 'picture':
        return this.pictures.receive(message.digest, message.address);
    }
  }

  /** Files may be dropped anywhere on the page, as long as a message may be written. */
  watchDrops(root: HTMLElement, accepts: () => boolean, focus: () => void, signal: AbortSignal): void {
    watchDrops(root, accepts, ({ uris, files }) => {
      focus();
      this.tray.addUris(uris);
      this.tray.addFiles(files, this.draft.text);
    }, signal);
  }
}

const newest = (a: KeptDraft | null, b: KeptDraft | null): KeptDraft | null => ((a?.at ?? 0) >= (b?.at ?? 0) ? a : b);
