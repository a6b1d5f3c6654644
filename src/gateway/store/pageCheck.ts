import { DB_HEADER, pageSizeOf, PageSums } from './pageSums.ts';
import { readHead, type StoreFiles } from './storeFiles.ts';
import { pagesInWal } from './walFile.ts';

const PAGES_AT_ONCE = 1024;

/** Keeps the sums of a store's pages true, and compares those of a large store piece by piece. */
export class PageCheck {
  readonly #files: StoreFiles;
  #sums: PageSums | null;
  /** The same sums, as long as not all pages have been compared. */
  #unchecked: PageSums | null;
  #next = 1;

  constructor(files: StoreFiles, unchecked: PageSums | null) {
    this.#files = files;
    this.#unchecked = unchecked;
    this.#sums = unchecked ?? PageSums.read(files.sums);
  }

  get hasMore(): boolean {
    return this.#unchecked !== null;
  }

  /** Pages that the next checkpoint may write. */
  written(): Set<number> {
    return pagesInWal(this.#files.wal);
  }

  /** To be called between a checkpoint and the next commit. */
  learn(written: ReadonlySet<number>): void {
    const { main, sums } = this.#files;
    const pageSize = pageSizeOf(readHead(main, DB_HEADER));
    if (pageSize === 0) return;
    if (this.#sums?.pageSize !== pageSize) this.#sums = new PageSums(pageSize);
    this.#sums.learn(main, written);
    this.#sums.write(sums);
  }

  /** Compares the next piece; null when there is nothing left to compare. */
  some(): { readonly wrong: number } | null {
    const sums = this.#unchecked;
    if (sums === null) return null;
    const first = this.#next;
    this.#next += PAGES_AT_ONCE;
    const last = Math.min(this.#next - 1, sums.pages);
    if (last >= sums.pages) this.#unchecked = null;
    const held = new Map([...this.written()].map((page) => [page, true]));
    return { wrong: first > last ? 0 : sums.wrong(this.#files.main, held, first, last).length };
  }
}
