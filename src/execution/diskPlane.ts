import { SerialQueue } from '../base/serialQueue.ts';
import { resolveInside } from './containment.ts';
import { deleteDiskFile, readDiskFile, requireWritable, writeDiskFile, type DiskFile } from './diskFile.ts';
import { previewOf } from './mergeText.ts';
import { requireUnmoved } from './movedOn.ts';
import type { CommandSpec, EditPreview, ExecutionPlane, FileSnapshot, RestoreTarget, RunningCommand, WriteRight } from './plane.ts';
import type { ProcessTools } from './processTools.ts';
import { refuseWithin, writeRightOf } from './protectedPath.ts';
import { runCommand } from './terminals.ts';
import { decodeText, encodeText, newTextForm, type DecodedFile } from './textFile.ts';

export interface DiskPlaneOptions {
  /** Absolute; nothing outside of it is touched. */
  readonly root: string;
  readonly processes: ProcessTools;
  /** Folders that are neither read nor written, wherever they lie: the gateway's own data. */
  readonly protectedFolders?: readonly string[];
}

/** The execution plane of a folder on disk, without an editor: nothing is ever unsaved. */
export class DiskPlane implements ExecutionPlane {
  readonly #options: DiskPlaneOptions;
  readonly #writes = new SerialQueue();

  constructor(options: DiskPlaneOptions) {
    this.#options = options;
  }

  /** The real path, when it may be read. */
  async resolve(path: string): Promise<string> {
    const real = await resolveInside(this.#options.root, path);
    await refuseWithin(this.#options.protectedFolders ?? [], real);
    return real;
  }

  async read(path: string): Promise<FileSnapshot> {
    const file = await readTextFile(await this.resolve(path));
    return { text: file?.text ?? null, dirty: false };
  }

  async readBytes(path: string): Promise<Uint8Array | null> {
    return (await readDiskFile(await this.resolve(path)))?.bytes ?? null;
  }

  async checkWrite(path: string): Promise<WriteRight> {
    const real = await this.resolve(path);
    const right = await writeRightOf(this.#options.root, path, real);
    await requireWritable(real);
    return right;
  }

  async preview(path: string, base: string | null, text: string): Promise<EditPreview> {
    const file = await readTextFile(await this.resolve(path));
    const preview = previewOf(base, file?.text ?? null, text);
    // What could not be stored is refused before anybody is asked.
    encodeText(preview.after, file ?? newTextForm);
    return preview;
  }

  async apply(path: string, base: string | null, text: string): Promise<void> {
    await this.restore(path, base, { text });
  }

  async restore(path: string, present: string | null, target: RestoreTarget): Promise<void> {
    await this.checkWrite(path);
    const real = await this.resolve(path);
    await this.#writes.run(() => restoreFile(real, present, target));
  }

  async run(spec: CommandSpec): Promise<RunningCommand> {
    const cwd = await resolveInside(this.#options.root, spec.cwd);
    return runCommand({ ...spec, cwd }, this.#options.processes);
  }
}

async function readTextFile(real: string): Promise<(DecodedFile & DiskFile) | null> {
  const file = await readDiskFile(real);
  return file === null ? null : { ...file, ...decodeText(file.bytes, real) };
}

async function restoreFile(real: string, present: string | null, target: RestoreTarget): Promise<void> {
  const file = await readTextFile(real);
  requireUnmoved(real, present, file?.text ?? null);
  if (target === null) return file === null ? undefined : deleteDiskFile(real);
  const bytes = 'bytes' in target ? target.bytes : encodeText(target.text, file ?? newTextForm);
  if (file !== null && Buffer.compare(bytes, file.bytes) === 0) return;
  await writeDiskFile(real, bytes, file?.stamp ?? null);
}
