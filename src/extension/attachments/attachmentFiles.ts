import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../execution/digest.ts';
import { randomHex } from '../randomId.ts';

const NAME = /^[0-9a-f]{64}$/;
const KEPT_MS = 7 * 24 * 3_600_000;

/** Bytes that go with messages not yet sent, in the storage of this workspace: they outlive the window, as the draft does. */
export class AttachmentFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps them and gives their name. */
  async put(bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes);
    await mkdir(this.#folder, { recursive: true });
    const now = new Date();
    if (await utimes(this.path(digest), now, now).then(() => true, () => false)) return digest;
    // A window that ends in the middle leaves no half of it under this name.
    const partial = join(this.#folder, `${digest}.${randomHex()}`);
    await writeFile(partial, bytes, { mode: 0o600 });
    await rename(partial, this.path(digest));
    return digest;
  }

  /** Null: they are not kept. */
  async read(digest: string): Promise<Buffer | null> {
    return readFile(this.path(digest)).catch(() => null);
  }

  /** A copy under a name with an ending, for who goes by that. It is cleaned up like all others. */
  async copy(digest: string, ending: string): Promise<string> {
    const path = `${this.path(digest)}${ending}`;
    await copyFile(this.path(digest), path);
    return path;
  }

  path(digest: string): string {
    return join(this.#folder, digest);
  }

  /** Removes what no draft has named for a week. Other windows of this workspace have drafts, too: a week is long for them. */
  async clean(named: ReadonlySet<string>, now: number): Promise<void> {
    for (const file of await readdir(this.#folder).catch(() => [])) {
      if (NAME.test(file) && named.has(file)) continue;
      const path = join(this.#folder, file);
      const age = now - (await stat(path).then(({ mtimeMs }) => mtimeMs, () => now));
      if (age > KEPT_MS) await rm(path, { force: true });
    }
  }
}
