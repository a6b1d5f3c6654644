import type { KeptDraft } from '../draft.ts';

const PREFIX = 'attache.draft.';
const OLD_MS = 24 * 3_600_000;

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * What was typed in the last moments. Every other way out of the page takes a while, and a window that is reloaded at once
 * leaves none; this store is written before the next key. What the extension has had time to store is taken out again.
 */
export class LastWords {
  readonly #shelf: Shelf | null;

  constructor(shelf: Shelf | null) {
    this.#shelf = shelf;
    this.#clean();
  }

  keep(draft: KeptDraft): void {
    try {
      this.#shelf?.setItem(PREFIX + draft.conversation, JSON.stringify(draft));
    } catch {
      // Full, or forbidden: then it is as if there were none.
    }
  }

  find(conversation: string): KeptDraft | null {
    try {
      const kept = JSON.parse(this.#shelf?.getItem(PREFIX + conversation) ?? 'null') as Partial<KeptDraft> | null;
      return typeof kept?.text === 'string' && typeof kept.at === 'number' ? { conversation, text: kept.text, at: kept.at } : null;
    } catch {
      return null;
    }
  }

  forget(conversation: string): void {
    this.#shelf?.removeItem(PREFIX + conversation);
  }

  #clean(): void {
    const names = Array.from({ length: this.#shelf?.length ?? 0 }, (_, at) => this.#shelf?.key(at) ?? '').filter((name) => name.startsWith(PREFIX));
    for (const conversation of names.map((name) => name.slice(PREFIX.length))) {
      if ((this.find(conversation)?.at ?? 0) < Date.now() - OLD_MS) this.forget(conversation);
    }
  }
}

/** The store of this origin; null where the page may not have one. */
export function ownStorage(): Storage | null {
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}
