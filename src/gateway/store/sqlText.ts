import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

const MARK = '\u0001';

/** A text as SQLite keeps it unharmed. Node 22 ends a text that it reads at the first NUL, and half a surrogate pair is no UTF-8. */
export function encodeValue(value: SQLInputValue): SQLInputValue {
  if (typeof value !== 'string') return value;
  const harmless = !value.startsWith(MARK) && !value.includes('\0') && value.isWellFormed();
  return harmless ? value : `${MARK}${JSON.stringify(value)}`;
}

/** Undoes encodeValue for every column of a row, in place. */
export function decodeRow(row: Record<string, SQLOutputValue>): Record<string, SQLOutputValue> {
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'string' && value.startsWith(MARK)) row[name] = JSON.parse(value.slice(MARK.length)) as string;
  }
  return row;
}
