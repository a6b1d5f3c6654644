import { basename } from 'node:path';
import * as vscode from 'vscode';
import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { AttachmentKind, MentionRef } from '../../protocol/panelAttachment.ts';
import { randomHex } from '../randomId.ts';
import type { ComposerAttachments } from './composerAttachments.ts';
import type { DraftAttachment } from './draftAttachment.ts';
import { openFiles, problemsIn, problemsText, terminalSelection, uncommittedChanges } from './editorContext.ts';
import { PICTURE_NAME } from './fileKind.ts';
import { canonical, type SearchPlace } from './mentionSearch.ts';
import { type Passage, passage, selectedPassage, symbolPassage } from './passages.ts';
import { readAsOpen, sizeOf } from './readFile.ts';

/** How a draft is to be known. */
interface Name {
  readonly id: string;
  readonly token: string | null;
}

const encoder = new TextEncoder();
const anonymous = (): Name => ({ id: randomHex(), token: null });

/** Makes attachments of what a person points at. Every failure is a sentence for them. */
export class DraftMaker {
  readonly #attachments: Pick<ComposerAttachments, 'take'>;

  constructor(attachments: Pick<ComposerAttachments, 'take'>) {
    this.#attachments = attachments;
  }

  async ofRef(ref: MentionRef, place: SearchPlace, name: Name): Promise<DraftAttachment[]> {
    switch (ref.kind) {
      case 'file':
      case 'folder':
        return [await this.ofPath(ref.path, place, name)];
      case 'symbol':
        return [await this.#ofPassage('symbol', { ...(await symbolPassage(ref.path, ref.name, ref)), name: ref.name }, place, name)];
      case 'selection':
        return [await this.ofSelection(place, name)];
      case 'openEditors':
        return Promise.all(openFiles().slice(0, LIMITS.attachments).map((path) => this.ofPath(path, place, anonymous())));
      case 'choose':
        return Promise.all((await this.#choose(place)).map((path) => this.ofPath(path, place, anonymous())));
      case 'problems':
        return [await this.#ofText('problems', vscode.l10n.t('Problems'), problemsText(problemsIn(place.workspace)), name)];
      case 'terminal':
        return [await this.ofTerminal(name)];
      case 'changes':
        return [await this.#ofText('changes', vscode.l10n.t('Git changes'), await uncommittedChanges(place.workspace), name)];
    }
  }

  /** A file or a folder; a picture is taken at once, the text of a file when the message is sent. */
  async ofPath(given: string, { folders }: SearchPlace, name: Name = anonymous()): Promise<DraftAttachment> {
    const path = canonical(folders, given);
    const label = basename(path);
    const size = await sizeOf(given).catch(() => {
      throw new AttacheError('not_found', { message: vscode.l10n.t('{0} does not exist.', given), next: vscode.l10n.t('Choose another one.') });
    });
    const base = { ...name, name: label, path, lines: null };
    if (size === null) return { ...base, kind: 'folder', mimeType: 'inode/directory', size, digest: null };
    if (PICTURE_NAME.test(path) && size <= LIMITS.attachmentBytes) return this.#attachments.take({ ...base, kind: 'file' }, await readAsOpen(given));
    return { ...base, kind: 'file', mimeType: 'text/plain', size, digest: null };
  }

  /** What is selected in the editor used last; without a selection its whole file. */
  async ofSelection(place: SearchPlace, name: Name = anonymous()): Promise<DraftAttachment> {
    const selected = selectedPassage(place.editor);
    if (selected !== null) return this.#ofPassage('selection', selected, place, name);
    const document = place.editor?.document;
    if (document === undefined) throw new AttacheError('not_found', { message: vscode.l10n.t('No text editor is open.'), next: vscode.l10n.t('Open the file and select the text first.') });
    return document.uri.scheme === 'file' ? this.ofPath(document.uri.fsPath, place, name) : this.#ofPassage('selection', passage(document, 1, document.lineCount), place, name);
  }

  async ofTerminal(name: Name = anonymous()): Promise<DraftAttachment> {
    return this.#ofText('terminal', vscode.l10n.t('Terminal selection'), await terminalSelection(), name);
  }

  async #choose({ workspace }: SearchPlace): Promise<string[]> {
    const options = { canSelectMany: true, openLabel: vscode.l10n.t('Attach'), title: vscode.l10n.t('Attach Files'), ...(workspace === '' ? {} : { defaultUri: vscode.Uri.file(workspace) }) };
    const chosen = await vscode.window.showOpenDialog(options);
    return (chosen ?? []).filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
  }

  #ofPassage(kind: AttachmentKind, { path, name: label, lines, text }: Passage, { folders }: SearchPlace, name: Name): Promise<DraftAttachment> {
    return this.#attachments.take({ ...name, kind, name: label, path: path === null ? null : canonical(folders, path), lines }, encoder.encode(text));
  }

  #ofText(kind: AttachmentKind, label: string, text: string, name: Name): Promise<DraftAttachment> {
    return this.#attachments.take({ ...name, kind, name: label, path: null, lines: null }, encoder.encode(text));
  }
}
