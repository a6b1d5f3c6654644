import type { FromPanel } from '../../../src/protocol/panel.ts';

const MAX_KEPT = 80;

/** Gives back the address of a small copy; null: it is no picture, or no copy could be made. */
type Shrink = (address: string, done: (copy: string | null) => void) => void;

/** Small copies of pictures, by their digests; asked for when one is drawn. */
export class Pictures {
  readonly #post: (message: FromPanel) => void;
  readonly #shrink: Shrink;
  /** Undefined while it is on its way; null: it is not kept any more, or is no picture. */
  readonly #known = new Map<string, string | null | undefined>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(post: (message: FromPanel) => void, shrink: Shrink) {
    this.#post = post;
    this.#shrink = shrink;
  }

  get(digest: string): string | null | undefined {
    return this.#known.get(digest);
  }

  /** Calls back once it is known; the result ends that. */
  ask(digest: string, known: () => void): () => void {
    if (this.#known.get(digest) !== undefined) return () => undefined;
    const waiting = this.#waiting.get(digest) ?? new Set();
    this.#waiting.set(digest, waiting.add(known));
    if (!this.#known.has(digest)) {
      this.#known.set(digest, undefined);
      this.#post({ type: 'loadPicture', digest });
    }
    return () => waiting.delete(known);
  }

  receive(digest: string, address: string | null): void {
    if (address === null) this.#show(digest, null);
    else this.#shrink(address, (copy) => this.#show(digest, copy));
  }

  #show(digest: string, address: string | null): void {
    this.#known.delete(digest);
    this.#known.set(digest, address);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KEPT && oldest !== undefined) this.#known.delete(oldest);
    for (const known of this.#waiting.get(digest) ?? []) known();
    this.#waiting.delete(digest);
  }
}
