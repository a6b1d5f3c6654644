const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const MARK_ONLY = /^[\p{M}\p{Cf}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;

// What terminals draw two columns wide: East Asian scripts and their forms.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f], [0x2e80, 0x303e], [0x3041, 0x33ff], [0x3400, 0x4dbf], [0x4e00, 0x9fff], [0xa000, 0xa4cf], [0xa960, 0xa97f], [0xac00, 0xd7a3],
  [0xf900, 0xfaff], [0xfe30, 0xfe6f], [0xff00, 0xff60], [0xffe0, 0xffe6], [0x20000, 0x3fffd],
];

function graphemeWidth(grapheme: string): number {
  if (MARK_ONLY.test(grapheme)) return 0;
  const code = grapheme.codePointAt(0) ?? 0;
  return EMOJI.test(grapheme) || WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Columns that a terminal needs for a text of one line without control characters. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The beginning of a text that fits into so many columns, with a sign where something was left out. */
export function fit(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let fitting = '';
  let width = 1;
  for (const { segment } of segmenter.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns) break;
    fitting += segment;
  }
  return columns < 1 ? '' : `${fitting}…`;
}

export const padded = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
