import { digestOf } from '../execution/digest.ts';
import type { ExecutionPlane } from '../execution/plane.ts';
import type { Digest } from '../protocol/ids.ts';
import type { Blobs } from './blobs.ts';

const maxTurnBytes = 64 * 1024 * 1024;

/** `kept` as a file's change carries it; nothing when the bytes are not kept. */
export type Kept = { readonly kept?: Digest | null | undefined };

/** Keeps the bytes that files have before the first change of a turn, within a limit. Content that is kept already costs nothing. */
export class Checkpoints {
  readonly #plane: ExecutionPlane;
  readonly #blobs: Blobs;
  /** Of the files this turn has begun to change: what they were before. */
  readonly #first = new Map<string, Kept>();
  readonly #counted = new Set<Digest>();
  readonly #limit: number;
  #bytes = 0;

  constructor(plane: ExecutionPlane, blobs: Blobs, limit = maxTurnBytes) {
    this.#limit = limit;
    this.#plane = plane;
    this.#blobs = blobs;
  }

  /** To be called before anybody is asked; the bytes are in the gateway once the blobs have settled. */
  async keep(path: string): Promise<Kept> {
    const first = this.#first.get(path);
    if (first !== undefined) return first;
    const bytes = await this.#plane.readBytes(path).catch(() => undefined);
    if (bytes === undefined) return {};
    const kept = bytes === null ? null : this.#put(bytes);
    return kept === undefined ? {} : { kept };
  }

  /** From now on the file is this turn's; `kept` is what it was when it was not yet. */
  begun(path: string, { kept }: Kept): void {
    if (!this.#first.has(path)) this.#first.set(path, kept === undefined ? {} : { kept });
  }

  #put(bytes: Uint8Array): Digest | undefined {
    const known = digestOf(bytes);
    if (!this.#counted.has(known)) {
      if (this.#bytes + bytes.length > this.#limit) return undefined;
      this.#bytes += bytes.length;
      this.#counted.add(known);
    }
    return this.#blobs.put(bytes, known);
  }
}
