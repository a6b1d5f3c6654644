import * as vscode from 'vscode';
import { SerialQueue } from '../../base/serialQueue.ts';
import { stampOf } from '../../execution/atomicWrite.ts';
import { deleteDiskFile, writeDiskFile } from '../../execution/diskFile.ts';
import { DiskPlane, type DiskPlaneOptions } from '../../execution/diskPlane.ts';
import { previewOf } from '../../execution/mergeText.ts';
import { requireUnmoved } from '../../execution/movedOn.ts';
import type { CommandSpec, EditPreview, ExecutionPlane, FileSnapshot, RestoreTarget, RunningCommand, WriteRight } from '../../execution/plane.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { documentReload, readAgain } from './documentReload.ts';
import { editDocument, isUnsaved } from './editDocument.ts';
import { encodeNew, readEditorFile, type EditorFile } from './editorFile.ts';
import { openDocument } from './openDocument.ts';
import { refuseForeignUnsaved, refuseReadOnly } from './readOnly.ts';

/**
 * The execution plane of a window: what a person has open and unsaved is what the agent reads, and an edit of it goes into
 * the open document, so that it can be undone and takes nothing away. A file without unsaved text is written to disk as it was
 * shown: saving its document would let formatters change what was approved. Its document reads it from there, undo included.
 */
export class EditorPlane implements ExecutionPlane {
  readonly #options: DiskPlaneOptions;
  readonly #disk: DiskPlane;
  readonly #writes = new SerialQueue();

  constructor(options: DiskPlaneOptions) {
    this.#options = options;
    this.#disk = new DiskPlane(options);
  }

  async read(path: string): Promise<FileSnapshot> {
    const { text, dirty } = await readPresent(await this.#disk.resolve(path));
    return { text, dirty };
  }

  async readBytes(path: string): Promise<Uint8Array | null> {
    return this.#disk.readBytes(path);
  }

  async checkWrite(path: string): Promise<WriteRight> {
    const right = await this.#disk.checkWrite(path);
    const real = await this.#disk.resolve(path);
    refuseReadOnly(real);
    refuseForeignUnsaved(real);
    return right;
  }

  async preview(path: string, base: string | null, text: string): Promise<EditPreview> {
    const present = await readPresent(await this.#disk.resolve(path));
    const preview = previewOf(base, present.text, text);
    // What could not be stored is refused before anybody is asked.
    await present.encode(preview.after);
    return preview;
  }

  async apply(path: string, base: string | null, text: string): Promise<void> {
    await this.restore(path, base, { text });
  }

  async restore(path: string, present: string | null, target: RestoreTarget): Promise<void> {
    await this.checkWrite(path);
    const real = await this.#disk.resolve(path);
    await this.#writes.run(() => this.#restore(real, present, target));
  }

  async run(spec: CommandSpec): Promise<RunningCommand> {
    return this.#disk.run(spec);
  }

  async #restore(real: string, present: string | null, target: RestoreTarget): Promise<void> {
    const document = await openDocument(real);
    if (document !== undefined && isUnsaved(document)) return restoreUnsaved(document, present, target);
    const file = await readEditorFile(real, document);
    requireUnmoved(real, present, file?.text ?? null);
    if (target === null) return file === null ? undefined : deleteDiskFile(real);
    if (file === null) return createFile(real, 'bytes' in target ? target.bytes : await encodeNew(real, target.text));
    const bytes = 'bytes' in target ? target.bytes : await file.encode(target.text);
    if (Buffer.compare(bytes, file.bytes) === 0) return;
    await this.#overwrite(real, file, bytes);
  }

  async #overwrite(real: string, file: EditorFile, bytes: Uint8Array): Promise<void> {
    // It may have been opened, and typed into, while the file was read.
    const document = await openDocument(real);
    if (document !== undefined && isUnsaved(document)) throw changedMeanwhile(real);
    await writeDiskFile(real, bytes, file.stamp);
    if (document === undefined) return;
    const shown = (await readEditorFile(real, document))?.text ?? '';
    const reloaded = await documentReload(document, shown, this.#options.processes.clock);
    if (reloaded === 'late') await readAgain(document);
    if (reloaded !== 'edited') return;
    // Somebody typed in that very moment. Their document is what counts: the file is given back to it as it was.
    const now = await stampOf(real);
    const ours = await this.#disk.readBytes(real);
    if (ours !== null && Buffer.compare(ours, bytes) === 0) await writeDiskFile(real, file.bytes, now);
    throw changedMeanwhile(real);
  }
}

interface Present extends FileSnapshot {
  encode(text: string): Promise<Uint8Array>;
}

/** A clean document is what the disk says; the disk also tells line ends apart that a document evens out. */
async function readPresent(real: string): Promise<Present> {
  const document = await openDocument(real);
  const unsaved = document !== undefined && isUnsaved(document);
  const file = await readEditorFile(real, document);
  const encode = file === null ? (text: string) => encodeNew(real, text) : (text: string) => file.encode(text);
  return { text: unsaved ? document.getText() : (file?.text ?? null), dirty: unsaved, encode };
}

async function restoreUnsaved(document: vscode.TextDocument, present: string | null, target: RestoreTarget): Promise<void> {
  // Bytes and deletions are for files whose text is on disk: this one's is not.
  if (target === null || 'bytes' in target) throw changedMeanwhile(document.uri.fsPath);
  await editDocument(document, present, target.text);
}

async function createFile(real: string, contents: Uint8Array): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(vscode.Uri.file(real), { overwrite: false, contents });
  if (await vscode.workspace.applyEdit(edit)) return;
  if ((await stampOf(real)) !== null) throw changedMeanwhile(real);
  throw new AttacheError('path_refused', { message: `${real} could not be created.`, next: 'Check the rights of its folder.' });
}

const changedMeanwhile = (path: string): AttacheError => new AttacheError('edit_conflict', { message: `${path} was changed in the editor after the edit was proposed. Nothing was written.` });
