import { Emitter } from '../../base/event.ts';
import { t } from '../../base/l10n.ts';
import { SerialQueue } from '../../base/serialQueue.ts';
import { putBlob } from '../../client/blobs.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { bytePieces } from '../../host/blobBytes.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { Digest } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { type ComposerAttachment, MAX_PICTURE_BYTES } from '../../protocol/panelAttachment.ts';
import type { Attachment, AttachedLink, AttachmentSource } from '../../protocol/turn/attachment.ts';
import { hasContent } from '../../protocol/turn/content.ts';
import type { WindowMemory } from '../memory.ts';
import type { AttachmentFiles } from './attachmentFiles.ts';
import { type AttachmentFacts, describeAttachment, nameOf, pathFor, sizeWords } from './describeAttachment.ts';
import { type DraftAttachment, MAX_INCLUDED } from './draftAttachment.ts';
import { isPicture, mimeTypeOf } from './fileKind.ts';

export interface ComposerAttachmentsOptions {
  readonly memory: WindowMemory;
  readonly files: AttachmentFiles;
  readonly calls: Pick<GatewayCalls, 'call'>;
  readonly facts: (conversation: string) => AttachmentFacts;
  /** A file as the editor has it, unsaved text included. */
  readonly read: (path: string) => Promise<Uint8Array>;
}

/** More than a message takes: some may stand for words of the text that are not there at the moment. */
const MAX_KEPT = 30;

/** What goes with the messages that are being written: kept with the draft of its conversation until it is sent or removed. */
export class ComposerAttachments {
  readonly #options: ComposerAttachmentsOptions;
  readonly #changed = new Emitter<string>();
  readonly #lanes = new Map<string, SerialQueue>();

  /** Fires with the conversation. */
  readonly onChanged = this.#changed.event;

  constructor(options: ComposerAttachmentsOptions) {
    this.#options = options;
  }

  shown(conversation: string): ComposerAttachment[] {
    const facts = this.#options.facts(conversation);
    return this.#list(conversation).map((draft) => describeAttachment(draft, facts));
  }

  find(conversation: string, id: string): DraftAttachment | undefined {
    return this.#list(conversation).find((draft) => draft.id === id);
  }

  /** Adds what `make` gives, in the order of the calls. Rejects, with nothing added, when it is too much. */
  async add(conversation: string, make: () => Promise<readonly DraftAttachment[]>): Promise<void> {
    await this.#lane(conversation).run(async () => {
      const made = await make();
      const before = this.#list(conversation).filter(({ id }) => !made.some((draft) => draft.id === id));
      // The same file twice says nothing more.
      const fresh = made.filter((draft) => !before.some((other) => draft.token === null && other.token === null && isSame(draft, other)));
      requireRoom(before, fresh);
      this.#set(conversation, [...before, ...fresh]);
    });
  }

  /** Takes bytes in; what they are is read from themselves. Rejects with the sentence to be shown when they are too many. */
  async take(given: Pick<DraftAttachment, 'id' | 'kind' | 'name' | 'path' | 'lines' | 'token'>, bytes: Uint8Array): Promise<DraftAttachment> {
    const mimeType = mimeTypeOf(given.path ?? given.name, bytes);
    const kind = given.kind === 'file' && isPicture(mimeType) ? 'picture' : given.kind;
    const most = isPicture(mimeType) ? MAX_PICTURE_BYTES : LIMITS.attachmentBytes;
    if (bytes.length > most) throw tooLarge(given.name, bytes.length, most);
    return { ...given, kind, mimeType, size: bytes.length, digest: await this.#options.files.put(bytes) };
  }

  remove(conversation: string, id: string): void {
    this.#set(conversation, this.#list(conversation).filter((draft) => draft.id !== id));
  }

  /** Hands out what a message goes with. What stood for words that were taken out of it goes, too. */
  async hand(conversation: string, ids: readonly string[]): Promise<DraftAttachment[]> {
    if (ids.length > 0) await this.#lane(conversation).idle();
    const all = this.#list(conversation);
    const taken = ids.flatMap((id) => all.find((draft) => draft.id === id) ?? []);
    if (all.length > 0) this.#set(conversation, all.filter((draft) => !ids.includes(draft.id) && draft.token === null));
    return taken;
  }

  /** Puts back what could not be sent. */
  giveBack(conversation: string, drafts: readonly DraftAttachment[]): void {
    if (drafts.length > 0) this.#set(conversation, [...this.#list(conversation), ...drafts]);
  }

  /** What is sent for them, fixed from now on: files are read at this moment. */
  async fix(drafts: readonly DraftAttachment[], workspace: string): Promise<Attachment[]> {
    const fixed: Attachment[] = [];
    for (const draft of drafts) fixed.push(await this.#fixOne(draft, workspace));
    return fixed;
  }

  /** Brings the bytes to the gateway, as far as they are not there. */
  async bring(workspace: string, attachments: readonly Attachment[]): Promise<void> {
    const { calls, files } = this.#options;
    for (const { digest, size, name } of attachments.filter(hasContent)) {
      const bytes = await files.read(digest);
      const piece = (offset: number, length: number): string => {
        if (length === 0) return '';
        if (bytes === null) throw notKept(name);
        return bytePieces(bytes)(offset, length);
      };
      await putBlob(calls, { workspace, digest, size, piece, isKnown: true });
    }
  }

  /** Removes bytes that nothing names any more. */
  async clean(now: number): Promise<void> {
    const { memory, files } = this.#options;
    const drafts = [...memory.allNotes.flatMap(({ attachments }) => attachments), ...memory.outbox.flatMap((message) => message.drafts ?? [])];
    const sent = memory.outbox.flatMap((message) => message.attachments ?? []).filter(hasContent);
    await files.clean(new Set<string>([...drafts.map(({ digest }) => digest ?? ''), ...sent.map(({ digest }) => digest)]), now);
  }

  async #fixOne(draft: DraftAttachment, workspace: string): Promise<Attachment> {
    const name = nameOf(draft, workspace).slice(-500);
    const source = sourceOf(draft, workspace);
    if (draft.digest !== null && draft.size !== null) {
      return { name, mimeType: draft.mimeType, digest: draft.digest as Digest, size: draft.size, ...(source === null ? {} : { source }) };
    }
    if (source === null) throw notKept(name);
    if (draft.kind === 'folder') return { name, link: 'folder', source };
    return this.#fixFile(name, draft.path ?? '', source);
  }

  async #fixFile(name: string, path: string, source: AttachmentSource): Promise<Attachment> {
    const link: AttachedLink = { name, link: 'file', source };
    const bytes = await this.#options.read(path).catch((error: unknown) => {
      throw new AttacheError('attachment_missing', { message: t('{0} could not be read: {1}', name, error instanceof Error ? error.message : String(error)), next: t('Remove it, or attach it again.') });
    });
    if (bytes.length > MAX_INCLUDED) return link;
    return { name, mimeType: mimeTypeOf(path, bytes), digest: (await this.#options.files.put(bytes)) as Digest, size: bytes.length, source };
  }

  #list(conversation: string): readonly DraftAttachment[] {
    return this.#options.memory.notes(conversation).attachments;
  }

  #set(conversation: string, attachments: readonly DraftAttachment[]): void {
    void this.#options.memory.setNotes(conversation, { attachments });
    this.#changed.fire(conversation);
  }

  #lane(conversation: string): SerialQueue {
    const lane = this.#lanes.get(conversation) ?? new SerialQueue();
    this.#lanes.set(conversation, lane);
    return lane;
  }
}

function sourceOf({ path, lines }: DraftAttachment, workspace: string): AttachmentSource | null {
  return path === null ? null : { path: pathFor(path, workspace), ...(lines === null ? {} : { lines: { ...lines } }) };
}

const isSame = (a: DraftAttachment, b: DraftAttachment): boolean =>
  a.kind === b.kind && a.digest === b.digest && (a.path === null ? a.digest !== null && b.path === null : a.path === b.path) && a.lines?.first === b.lines?.first && a.lines?.last === b.lines?.last;

const bytesOf = (drafts: readonly DraftAttachment[]): number => drafts.reduce((sum, { digest, size }) => sum + (digest === null ? 0 : (size ?? 0)), 0);

function requireRoom(before: readonly DraftAttachment[], fresh: readonly DraftAttachment[]): void {
  const total = bytesOf([...before, ...fresh]);
  if (before.length + fresh.length > MAX_KEPT) throw new AttacheError('attachments_too_large', { message: t('A message takes at most {0} attachments.', LIMITS.attachments), next: t('Remove one first.') });
  if (fresh.length > 0 && total > LIMITS.attachmentsBytes) {
    throw new AttacheError('attachments_too_large', { message: t('The attached files would be {0} together; a message takes {1}.', sizeWords(total), sizeWords(LIMITS.attachmentsBytes)), next: t('Remove one first.') });
  }
}

export const notKept = (name: string): AttacheError => new AttacheError('attachment_missing', { message: t('The attached “{0}” is not kept any more.', name) });

export const tooLarge = (name: string, size: number, most: number): AttacheError => new AttacheError('attachment_too_large', {
  message: t('“{0}” was not attached: it has {1}, and {2} are the most.', name, sizeWords(size), sizeWords(most)), next: t('Attach a smaller one, or name its path.'),
});
