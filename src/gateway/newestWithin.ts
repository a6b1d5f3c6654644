/** The end of a list that fits into so many characters of JSON, in its order; at least the last entry. */
export function newestWithin<T>(list: readonly T[], chars: number): T[] {
  let left = chars;
  let from = list.length;
  while (from > 0) {
    left -= JSON.stringify(list[from - 1]).length;
    if (left < 0 && from < list.length) break;
    from -= 1;
  }
  return list.slice(from);
}
