import fs from 'node:fs';
import { Buffer } from 'node:buffer';
import { withFile } from './storeFiles.ts';

/** SQLite's write-ahead log, as its file format page describes it: a header, then frames of a page each, with sums that go on from frame to frame. */
const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;
const MAX_PAGE = 65_536;
const FRAMES_AT_ONCE = 64;

interface WalHeader {
  readonly pageSize: number;
  /** Byte order of the sums. */
  readonly bigEndian: boolean;
  readonly salts: Buffer;
}

/** What the log of a store holds, read without SQLite and without touching it. */
export interface WalContent {
  /** The file as it was found; opening a store may change it. */
  readonly bytes: Buffer;
  /** Pages of transactions that were committed, with the place of their newest content. */
  readonly pages: ReadonlyMap<number, number>;
  /** Pages of the whole store after the newest commit; 0 when there is none. */
  readonly dbPages: number;
  /** There are committed transactions that can no longer be read, because something before them is damaged. */
  readonly broken: boolean;
  pageAt(pageNo: number): Buffer | null;
}

export function readWal(file: string): WalContent {
  const bytes = readIfThere(file);
  const header = readHeader(bytes);
  if (header === null) return content(bytes, new Map(), 0, bytes.length >= HEADER + FRAME_HEADER);
  return readFrames(bytes, header);
}

/** Pages that frames of the log name, whether or not they are whole: those that a checkpoint may have written. The log is read piece by piece. */
export function pagesInWal(file: string): Set<number> {
  const pages = new Set<number>();
  if (!fs.existsSync(file)) return pages;
  withFile(file, (fd) => {
    const header = Buffer.alloc(HEADER);
    if (fs.readSync(fd, header, 0, HEADER, 0) < HEADER) return;
    const pageSize = header.readUInt32BE(8);
    if (pageSize < 512 || pageSize > MAX_PAGE) return;
    const frames = Buffer.alloc((FRAME_HEADER + pageSize) * FRAMES_AT_ONCE);
    for (let from = HEADER; ; from += frames.length) {
      const got = fs.readSync(fd, frames, 0, frames.length, from);
      if (!namePages(frames.subarray(0, got), { size: FRAME_HEADER + pageSize, salts: header.subarray(16, 24) }, pages) || got < frames.length) return;
    }
  });
  return pages;
}

/** False when the current lap of the log has ended. */
function namePages(frames: Buffer, { size, salts }: { readonly size: number; readonly salts: Buffer }, into: Set<number>): boolean {
  for (let at = 0; at + size <= frames.length; at += size) {
    if (!frames.subarray(at + 8, at + 16).equals(salts)) return false;
    into.add(frames.readUInt32BE(at));
  }
  return true;
}

function readIfThere(file: string): Buffer {
  return fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
}

function readHeader(bytes: Buffer): WalHeader | null {
  if (bytes.length < HEADER) return null;
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) return null;
  const header = { pageSize: bytes.readUInt32BE(8), bigEndian: (magic & 1) === 1, salts: bytes.subarray(16, 24) };
  const sum = new Sum(header.bigEndian);
  sum.add(bytes.subarray(0, 24));
  return sum.equals(bytes, 24) && header.pageSize >= 512 ? header : null;
}

function readFrames(bytes: Buffer, { pageSize, bigEndian, salts }: WalHeader): WalContent {
  const sum = new Sum(bigEndian, bytes.readUInt32BE(24), bytes.readUInt32BE(28));
  const size = FRAME_HEADER + pageSize;
  const committed = new Map<number, number>();
  const open = new Map<number, number>();
  let dbPages = 0;
  for (let at = HEADER; at + size <= bytes.length; at += size) {
    sum.add(bytes.subarray(at, at + 8));
    sum.add(bytes.subarray(at + FRAME_HEADER, at + size));
    const whole = bytes.subarray(at + 8, at + 16).equals(salts) && sum.equals(bytes, at + 16);
    if (!whole) return content(bytes, committed, dbPages, commitsAfter(bytes, at + size, { size, salts }), pageSize);
    open.set(bytes.readUInt32BE(at), at + FRAME_HEADER);
    const commit = bytes.readUInt32BE(at + 4);
    if (commit === 0) continue;
    dbPages = commit;
    for (const [page, place] of open) committed.set(page, place);
    open.clear();
  }
  return content(bytes, committed, dbPages, false, pageSize);
}

/** Frames are written in order: a commit of the same lap behind a bad frame shows that the frame was good once. */
function commitsAfter(bytes: Buffer, from: number, { size, salts }: { readonly size: number; readonly salts: Buffer }): boolean {
  for (let at = from; at + size <= bytes.length; at += size) {
    if (bytes.subarray(at + 8, at + 16).equals(salts) && bytes.readUInt32BE(at + 4) !== 0) return true;
  }
  return false;
}

function content(bytes: Buffer, pages: ReadonlyMap<number, number>, dbPages: number, broken: boolean, pageSize = 0): WalContent {
  return {
    bytes, pages, dbPages, broken,
    pageAt: (pageNo) => {
      const at = pages.get(pageNo);
      return at === undefined ? null : bytes.subarray(at, at + pageSize);
    },
  };
}

/** The running sum of the log: two words that go on from one piece to the next. */
class Sum {
  readonly #bigEndian: boolean;
  #a: number;
  #b: number;

  constructor(bigEndian: boolean, a = 0, b = 0) {
    this.#bigEndian = bigEndian;
    this.#a = a;
    this.#b = b;
  }

  add(bytes: Buffer): void {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let [a, b] = [this.#a, this.#b];
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      a = (a + words.getUint32(at, !this.#bigEndian) + b) >>> 0;
      b = (b + words.getUint32(at + 4, !this.#bigEndian) + a) >>> 0;
    }
    this.#a = a;
    this.#b = b;
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#a && bytes.readUInt32BE(at + 4) === this.#b;
  }
}
