/**
 * Reads what an agent sends. Every field may be absent, null, too long or of another kind: what cannot be used counts as
 * absent, and nothing here throws.
 */
export type Fields = Readonly<Record<string, unknown>>;

const nothing: Fields = {};

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : nothing;
}

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** At most `max` UTF-16 units, empty when it is no text. */
export const text = (value: unknown, max: number): string => clip(textOrNull(value) ?? '', max);

/** A finite number that is not negative. */
export const amount = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null);

/** Cuts between characters and shows it. */
export function clip(value: string, max: number): string {
  if (value.length <= max) return value;
  return `${wholeStart(value, max - 1)}…`;
}

/** The first units of a text, one less where a character would be cut. */
export function wholeStart(value: string, length: number): string {
  const cut = value.charCodeAt(length - 1);
  return value.slice(0, cut >= 0xd800 && cut <= 0xdbff ? length - 1 : length);
}

/** JSON for people, bounded; empty for nothing. */
export function pretty(value: unknown, max: number): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return clip(value, max);
  try {
    return clip(JSON.stringify(value, null, 2) ?? '', max);
  } catch {
    return '';
  }
}

/** The first entries whose sizes together stay within `room`. */
export function firstWithin<T>(entries: readonly T[], room: number, sizeOf: (entry: T) => number): T[] {
  let left = room;
  const over = entries.findIndex((entry) => (left -= sizeOf(entry)) < 0);
  return over < 0 ? [...entries] : entries.slice(0, over);
}
