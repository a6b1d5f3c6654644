import { escapeRegExp } from './escapeRegExp.ts';

/** What stands for each English text in the display language: the form of VS Code's l10n bundles. */
export type Dictionary = Readonly<Record<string, string>>;

let dictionary: Dictionary = {};
let patterns: readonly Pattern[] | null = null;

/** Chooses the language of this process or page, once, before anything is shown. Who never calls it speaks English. */
export function speak(words: Dictionary): void {
  dictionary = words;
  patterns = null;
}

/**
 * A text for people, in their language: the English words are the key, `{0}`, `{1}`, … stand for the parameters. The same as
 * `vscode.l10n.t`, for layers that may not import vscode. Not at the top of a module: the language may not be chosen yet.
 */
export function t(english: string, ...params: readonly (string | number)[]): string {
  return filled(wordsFor(english) ?? english, params);
}

/** Sentences one after the other; a full-width stop brings its own space. */
export const inOneLine = (...sentences: readonly string[]): string =>
  sentences.filter((sentence) => sentence !== '').reduce((line, sentence) => (line === '' || /[。！？：；，、]$/.test(line) ? line + sentence : `${line} ${sentence}`), '');

/** With an end of its own, so that another sentence may stand behind it: it may end with the words of somebody else. */
export const asSentence = (text: string): string => (text === '' || /[.!?…。！？]["'”’)\]]*$/.test(text) ? text : `${text}.`);

/**
 * A sentence that came in English from the gateway, the store or the host, such as a refusal or its next step, in the language of
 * who reads it now; or several, one after the other. It is known by its English words, with anything in place of the parameters;
 * what nobody knows stays as it is.
 */
export function told(text: string): string {
  if (text.length > MAX_TOLD) return text;
  const known = wordsFor(text);
  if (known !== undefined) return known;
  // A parameter at the end of a sentence must not take in the next ones.
  return toldOneByOne(text, true) ?? toldWhole(text) ?? toldOneByOne(text, false) ?? text;
}

/** `all`: only where what follows the first sentence is known, too. */
function toldOneByOne(text: string, all: boolean): string | null {
  for (const { index } of text.matchAll(BOUNDARY)) {
    const first = toldWhole(text.slice(0, index));
    const rest = first === null ? '' : told(text.slice(index + 1));
    if (first !== null && (!all || rest !== text.slice(index + 1))) return inOneLine(first, rest);
  }
  return null;
}

// After the end of a sentence.
const BOUNDARY = /(?<=[.…”)]) (?=\S)/g;

// Longer than any refusal; what an agent wrote is not searched for them.
const MAX_TOLD = 4000;

function toldWhole(sentence: string): string | null {
  if (sentence.length > MAX_TOLD) return null;
  const words = wordsFor(sentence);
  if (words !== undefined) return words;
  patterns ??= Object.entries(dictionary).flatMap(([english, words]) => patternOf(english, words)).sort((a, b) => b.weight - a.weight);
  for (const { pattern, order, words } of patterns) {
    const match = pattern.exec(sentence);
    if (match === null) continue;
    const params: string[] = [];
    for (const [at, index] of order.entries()) params[index] = told(match[at + 1] ?? '');
    return filled(words, params);
  }
  return null;
}

const PLACEHOLDER = /\{(\d+)\}/g;
// Fewer letters than these would be found in sentences that say something else.
const MIN_WEIGHT = 12;

interface Pattern {
  readonly pattern: RegExp;
  /** Which parameter each group of the pattern is. */
  readonly order: readonly number[];
  readonly words: string;
  /** How many characters of the English text are no parameters: the more, the surer. */
  readonly weight: number;
}

const wordsFor = (english: string): string | undefined => (Object.hasOwn(dictionary, english) ? dictionary[english] : undefined);

const filled = (words: string, params: readonly (string | number)[]): string =>
  (params.length === 0 ? words : words.replaceAll(PLACEHOLDER, (placeholder, index) => String(params[Number(index)] ?? placeholder)));

function patternOf(english: string, words: string): Pattern[] {
  const parts = english.split(PLACEHOLDER);
  const literal = parts.filter((_, at) => at % 2 === 0);
  const weight = literal.join('').length;
  if (parts.length === 1 || weight < MIN_WEIGHT) return [];
  return [{ pattern: new RegExp(`^${literal.map(escapeRegExp).join('([\\s\\S]*)')}$`), order: parts.filter((_, at) => at % 2 === 1).map(Number), words, weight }];
}
