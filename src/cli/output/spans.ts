import { visibleText } from '../../client/visibleText.ts';

export type Style = 'plain' | 'bold' | 'dim' | 'accent' | 'good' | 'bad' | 'attention' | 'added' | 'removed';

/** A piece of a line. What it holds is content: no piece can carry an order to the terminal. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}
export type Line = readonly (Span | string)[];

const span = (style: Style) => (text: string): Span => ({ text, style });
export const bold = span('bold');
export const dim = span('dim');
export const accent = span('accent');
export const good = span('good');
export const bad = span('bad');
export const attention = span('attention');
export const added = span('added');
export const removed = span('removed');

// SGR: the colour, and what ends it. Only the sixteen colours that follow a person's theme.
const SGR: Readonly<Record<Style, readonly [string, string]>> = {
  plain: ['', ''],
  bold: ['\u001b[1m', '\u001b[22m'],
  dim: ['\u001b[2m', '\u001b[22m'],
  accent: ['\u001b[36m', '\u001b[39m'],
  good: ['\u001b[32m', '\u001b[39m'],
  bad: ['\u001b[31m', '\u001b[39m'],
  attention: ['\u001b[33m', '\u001b[39m'],
  added: ['\u001b[32m', '\u001b[39m'],
  removed: ['\u001b[31m', '\u001b[39m'],
};

/** The one place where escape sequences are made, and where content loses its own. */
export function painted({ text, style }: Span, isColoured: boolean): string {
  const shown = visibleText(text);
  const [on, off] = SGR[style];
  return isColoured && shown !== '' ? `${on}${shown}${off}` : shown;
}

export const asSpan = (piece: Span | string): Span => (typeof piece === 'string' ? { text: piece, style: 'plain' } : piece);
