import { escapeRegExp } from '../../../src/base/escapeRegExp.ts';

/** What is looked for, wherever letters are large or small, however the same letter is written, and with any white space for a blank. Null: nothing. */
export function patternOf(query: string): RegExp | null {
  if (query.trim() === '') return null;
  const forms = new Set([query.normalize('NFC'), query.normalize('NFD')]);
  return new RegExp([...forms].map((form) => form.split(/\s+/u).map(escapeRegExp).join('\\s+')).join('|'), 'giu');
}

/** Something that a text without it in its source cannot hold when it is drawn: the longest word. */
export function sieveOf(query: string): RegExp | null {
  // Together with its accents: a bare letter is not in a text that has them in one.
  const word = query.normalize('NFC').split(/[^\p{L}\p{N}]+/u).sort((a, b) => b.length - a.length)[0] ?? '';
  return word === '' ? null : patternOf(word);
}

export function occurrences(text: string, pattern: RegExp): { readonly from: number; readonly to: number }[] {
  return [...text.matchAll(pattern)].filter(([found]) => found !== '').map((match) => ({ from: match.index, to: match.index + match[0].length }));
}
