/** One line of a text and the characters that end it: a line end, or nothing at the end of the text. */
export interface TextLine {
  readonly text: string;
  readonly eol: string;
}

const lineEnd = /\r\n|\n|\r/g;

/** Splits so that joining gives the same text back. The empty text has no line. */
export function splitLines(text: string): TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  for (const match of text.matchAll(lineEnd)) {
    lines.push({ text: text.slice(start, match.index), eol: match[0] });
    start = match.index + match[0].length;
  }
  if (start < text.length) lines.push({ text: text.slice(start), eol: '' });
  return lines;
}

export const joinLines = (lines: readonly TextLine[]): string => lines.map(({ text, eol }) => text + eol).join('');

/** The line end most lines have; null when there is none. On a tie LF. */
export function dominantEol(lines: readonly TextLine[]): string | null {
  const counts = new Map<string, number>();
  for (const { eol } of lines) if (eol !== '') counts.set(eol, (counts.get(eol) ?? 0) + 1);
  const order = ['\n', '\r\n', '\r'].filter((eol) => counts.has(eol));
  return order.reduce<string | null>((best, eol) => ((counts.get(eol) ?? 0) > (best === null ? 0 : (counts.get(best) ?? 0)) ? eol : best), null);
}
