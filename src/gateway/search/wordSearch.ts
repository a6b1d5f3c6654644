import { foldText, rangesOf, type Range } from './foldText.ts';

export interface Excerpt {
  readonly excerpt: string;
  readonly ranges: Range[];
}

const EXCERPT_CHARS = 240;
/** Shown before the first word. */
const LEAD_CHARS = 60;
const MARKS = 20;
/** So much of a text is looked at without a pause. */
const PIECE_CHARS = 128 * 1024;
const NEAR_CHARS = 2048;

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The words of one search: all must occur, each somewhere. */
export class WordSearch {
  readonly #words: readonly string[];
  /** Pieces overlap by this much, so that no word is cut in two. */
  readonly #overlap: number;

  constructor(text: string) {
    this.#words = [...new Set(foldText(text).split(/\s+/u).filter((word) => word !== ''))];
    // A character may be shorter when it is compared than as it is written, but not by much.
    this.#overlap = Math.max(0, ...this.#words.map((word) => word.length)) * 4 + 64;
  }

  get isEmpty(): boolean {
    return this.#words.length === 0;
  }

  /** What to show when all words occur in the texts together, else null. Yields between pieces of a long text. */
  *look(texts: readonly string[]): Generator<undefined, Excerpt | null> {
    const missing = new Set(this.#words);
    let first: string | null = null;
    for (const text of texts) {
      for (let from = 0; from < text.length; from += PIECE_CHARS) {
        const piece = text.slice(from, from + PIECE_CHARS + this.#overlap);
        const folded = foldText(piece);
        const found = this.#words.filter((word) => (missing.has(word) || first === null) && folded.includes(word));
        for (const word of found) missing.delete(word);
        if (first === null && found.length > 0) first = this.#cut(piece);
        if (missing.size === 0 && first !== null) return this.#excerpt(first);
        if (text.length > PIECE_CHARS) yield;
      }
    }
    return null;
  }

  /** What surrounds the first word that occurs. The exact place is looked for only near it: that is slow. */
  #cut(piece: string): string {
    for (let from = 0; from < piece.length; from += NEAR_CHARS) {
      const near = piece.slice(from, from + NEAR_CHARS + this.#overlap);
      const folded = foldText(near);
      if (this.#words.some((word) => folded.includes(word))) return cut(piece, from + (rangesOf(near, this.#words, 1)[0]?.start ?? 0) - LEAD_CHARS);
    }
    return cut(piece, 0);
  }

  #excerpt(excerpt: string): Excerpt {
    return { excerpt, ranges: rangesOf(excerpt, this.#words, MARKS) };
  }
}

/** A short part of a text, on one line and without half characters. */
function cut(text: string, from: number): string {
  let start = Math.max(0, from);
  if (start > 0 && isLow(text.charCodeAt(start))) start += 1;
  let end = Math.min(text.length, start + EXCERPT_CHARS);
  if (end < text.length && isHigh(text.charCodeAt(end - 1))) end -= 1;
  // Each blank is one code unit, so that places stay what they are.
  return text.slice(start, end).replaceAll(/[\s\p{Cc}]/gu, ' ').toWellFormed();
}
