import { Buffer } from 'node:buffer';
import fs from 'node:fs';
import os from 'node:os';
import { crc32 } from 'node:zlib';
import { replaceFile, withFile } from './storeFiles.ts';

const MAGIC = 'attsums1';
const HEADER = 16;
const READ_PAGES = 1024;
/** The file is the same everywhere: a data folder may be shared by machines. */
const BIG_ENDIAN = os.endianness() === 'BE';

/** What stands before the content of the first page. */
export const DB_HEADER = 100;

/** The size of a page, from the header of a store's file; 0 when that is none. */
export function pageSizeOf(header: Buffer): number {
  const stored = header.length < DB_HEADER ? 0 : header.readUInt16BE(16);
  const size = stored === 1 ? 65_536 : stored;
  return size >= 512 && (size & (size - 1)) === 0 ? size : 0;
}

/**
 * A checksum for each page of the store's file, kept beside it: SQLite itself cannot tell a text from the same text with one bit turned. The file
 * changes only at checkpoints, after which this is brought up to date; pages that the log still holds are not judged.
 */
export class PageSums {
  readonly pageSize: number;
  #sums: Uint32Array;

  constructor(pageSize: number, sums: Uint32Array = new Uint32Array(0)) {
    this.pageSize = pageSize;
    this.#sums = sums;
  }

  /** Null when there is none, or when it is itself damaged: then nothing is known about the pages. */
  static read(file: string): PageSums | null {
    if (!fs.existsSync(file)) return null;
    const bytes = fs.readFileSync(file);
    const end = bytes.length - 4;
    if (end < HEADER || bytes.toString('latin1', 0, 8) !== MAGIC || bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end))) return null;
    const [pageSize, count] = [bytes.readUInt32LE(8), bytes.readUInt32LE(12)];
    if (end !== HEADER + 4 * count) return null;
    const sums = new Uint32Array(count);
    const into = Buffer.from(sums.buffer);
    into.set(bytes.subarray(HEADER, end));
    if (BIG_ENDIAN) into.swap32();
    return new PageSums(pageSize, sums);
  }

  get pages(): number {
    return this.#sums.length;
  }

  /** On the disk when it returns. */
  write(file: string): void {
    const bytes = Buffer.alloc(HEADER + 4 * this.pages + 4);
    bytes.write(MAGIC, 'latin1');
    bytes.writeUInt32LE(this.pageSize, 8);
    bytes.writeUInt32LE(this.pages, 12);
    const own = Buffer.from(this.#sums.buffer, 0, this.#sums.byteLength);
    bytes.set(BIG_ENDIAN ? Buffer.from(own).swap32() : own, HEADER);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, bytes.length - 4)), bytes.length - 4);
    replaceFile(file, bytes, true);
  }

  /** Takes the pages as they are now: those that a checkpoint wrote, and those that are new. */
  learn(main: string, written: Iterable<number>): void {
    withFile(main, (fd) => {
      const pages = Math.floor(fs.fstatSync(fd).size / this.pageSize);
      const before = this.pages;
      this.#resize(pages);
      const page = Buffer.alloc(this.pageSize);
      for (const pageNo of new Set([...written, ...range(before + 1, pages)])) {
        if (pageNo <= pages && readPages(fd, page, pageNo, this.pageSize)) this.#sums[pageNo - 1] = crc32(page);
      }
    });
  }

  /** Numbers of the pages from `first` to `last` that are not what was written, except those that the log holds. */
  wrong(main: string, held: ReadonlyMap<number, unknown>, first = 1, last = this.pages): number[] {
    return withFile(main, (fd) => {
      const wrong: number[] = [];
      for (let from = first; from <= last; from += READ_PAGES) wrong.push(...this.#wrongIn(fd, held, from, Math.min(last, from + READ_PAGES - 1)));
      return wrong;
    });
  }

  #wrongIn(fd: number, held: ReadonlyMap<number, unknown>, from: number, to: number): number[] {
    const bytes = Buffer.alloc((to - from + 1) * this.pageSize);
    const got = fs.readSync(fd, bytes, 0, bytes.length, (from - 1) * this.pageSize);
    return [...range(from, to)].filter((pageNo) => {
      const at = (pageNo - from) * this.pageSize;
      return !held.has(pageNo) && (at + this.pageSize > got || crc32(bytes.subarray(at, at + this.pageSize)) !== this.#sums[pageNo - 1]);
    });
  }

  #resize(pages: number): void {
    if (pages === this.pages) return;
    const next = new Uint32Array(pages);
    next.set(this.#sums.subarray(0, pages));
    this.#sums = next;
  }
}

function* range(from: number, to: number): Generator<number> {
  for (let at = from; at <= to; at++) yield at;
}

function readPages(fd: number, into: Buffer, pageNo: number, pageSize: number): boolean {
  return fs.readSync(fd, into, 0, into.length, (pageNo - 1) * pageSize) === into.length;
}
