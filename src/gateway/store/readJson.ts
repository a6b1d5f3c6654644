/** The content of a JSON column, or what stands for it where it cannot be read: one damaged row must not take a list, or a start, down with it. */
export function readJson<T>(stored: string, otherwise: T, isUsable: (value: unknown) => boolean = () => true): T {
  const value = attempted((): unknown => JSON.parse(stored), isUsable);
  return value === undefined ? otherwise : (value as T);
}

/** What a reading of several columns gives; undefined where it throws or gives what cannot be used. */
export function attempted<T>(read: () => T, isUsable: (value: T) => boolean): T | undefined {
  try {
    const value = read();
    return isUsable(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The kind of a row of `items`, for SQL: null where its JSON is damaged, at which json_extract alone would fail the whole query. */
export const ITEM_KIND = `CASE WHEN json_valid(data) THEN json_extract(data, '$.kind') END`;
