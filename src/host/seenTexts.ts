const maxChars = 16 * 1024 * 1024;

/** The texts the agent knows, by path: what its next change of a file is made from. Oldest out first. */
export class SeenTexts {
  readonly #texts = new Map<string, string | null>();
  readonly #read = new Set<string>();
  #chars = 0;

  /** undefined: it never read the file through us; null: it was told that there is none. */
  get(path: string): string | null | undefined {
    return this.#texts.get(path);
  }

  /** True when the agent has asked us for this file, as agents do that also write through us. */
  wasRead(path: string): boolean {
    return this.#read.has(path);
  }

  /** True once the agent has written anything through us. */
  hasWritten = false;

  read(path: string, text: string | null): void {
    this.#read.add(path);
    this.set(path, text);
  }

  set(path: string, text: string | null): void {
    this.#forget(path);
    this.#texts.set(path, text);
    this.#chars += path.length + (text?.length ?? 0);
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= maxChars || oldest === path) break;
      this.#forget(oldest);
    }
  }

  #forget(path: string): void {
    const old = this.#texts.get(path);
    if (old === undefined) return;
    this.#texts.delete(path);
    this.#chars -= path.length + (old?.length ?? 0);
  }
}
