/** True when version `a` (numbers with dots between them) came before version `b`. What is no number counts as 0. */
export function isOlderVersion(a: string, b: string): boolean {
  const [left, right] = [parts(a), parts(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

const parts = (version: string): number[] => version.split('.').map((part) => Number.parseInt(part, 10) || 0);
