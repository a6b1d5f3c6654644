import { visibleLine } from '../../client/visibleText.ts';
import { asSpan, dim, type Line, type Span } from './spans.ts';
import { displayWidth, fit, padded } from './width.ts';

export interface Column {
  readonly head: string;
  /** Columns like this give way when the terminal is narrow: the first of them first, down to `min`. */
  readonly min?: number;
}

const GAP = 2;

/** Rows under heads, aligned, none wider than the terminal where the columns that give way allow it. */
export function table(columns: readonly Column[], rows: readonly Line[], width: number): Line[] {
  const cells = rows.map((row) => row.map((cell): Span => ({ ...asSpan(cell), text: visibleLine(asSpan(cell).text) })));
  const widths = columns.map(({ head }, at) => Math.max(displayWidth(head), ...cells.map((row) => displayWidth(row[at]?.text ?? ''))));
  shrink(columns, widths, width);
  const line = (row: readonly Span[]): Line => row.map(({ text, style }, at) => {
    const own = fit(text, widths[at] ?? 0);
    return { style, text: at === row.length - 1 ? own : padded(own, (widths[at] ?? 0) + GAP) };
  });
  return [line(columns.map(({ head }) => dim(head))), ...cells.map(line)];
}

function shrink(columns: readonly Column[], widths: number[], width: number): void {
  const total = (): number => widths.reduce((sum, each) => sum + each + GAP, -GAP);
  for (const [at, { min }] of columns.entries()) {
    const over = total() - width;
    if (over <= 0) return;
    if (min !== undefined) widths[at] = Math.max(Math.min(min, widths[at] ?? 0), (widths[at] ?? 0) - over);
  }
}

/** Names and values below each other, values aligned; a value of several lines stays in its column. */
export function pairs(entries: readonly (readonly [string, Span | string])[], indent = ''): Line[] {
  const width = Math.max(0, ...entries.map(([name]) => displayWidth(name))) + GAP;
  return entries.flatMap(([name, value]) => {
    const { text, style } = asSpan(value);
    return text.split('\n').map((line, at): Line => [indent, dim(padded(at === 0 ? name : '', width)), { text: line, style }]);
  });
}
