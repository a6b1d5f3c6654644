/**
 * A text as it is compared: without regard to case and to the ways in which Unicode can write the same character. Upper case, because unlike
 * lower case it does not depend on what stands beside a letter.
 */
export const foldText = (text: string): string => text.normalize('NFKC').toUpperCase().normalize('NFKC');

/** A character of people's: with its marks, and a syllable of Korean with its parts. Only for finding places. */
const CLUSTER = /[\u1100-\u115f\ua960-\ua97c]+[\u1160-\u11a7\ud7b0-\ud7c6]*[\u11a8-\u11ff\ud7cb-\ud7fb]*|[^\p{M}]\p{M}*|\p{M}+/gsu;

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where folded words stand in a text, each at most `most` times, in order and without overlap. */
export function rangesOf(text: string, words: readonly string[], most: number): Range[] {
  const places: Range[] = [];
  let folded = '';
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const part = foldText(cluster);
    for (let at = 0; at < part.length; at++) places.push({ start: index, end: index + cluster.length });
    folded += part;
  }
  return merged(words.flatMap((word) => occurrences(folded, word, most)).flatMap(({ start, end }) => {
    const [first, last] = [places[start], places[end - 1]];
    return first === undefined || last === undefined ? [] : [{ start: first.start, end: last.end }];
  }));
}

function occurrences(text: string, word: string, most: number): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(word); at >= 0 && found.length < most; at = text.indexOf(word, at + word.length)) found.push({ start: at, end: at + word.length });
  return found;
}

function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last !== undefined && start < last.end) result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else result.push({ start, end });
  }
  return result;
}
