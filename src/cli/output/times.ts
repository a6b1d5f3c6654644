const UNITS: readonly (readonly [number, string])[] = [[86_400_000, 'd'], [3_600_000, 'h'], [60_000, 'min'], [1_000, 's']];

/** A span of time in one unit: "3 min". */
export function duration(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms >= unit) ?? [1_000, 's'];
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
}

/** How long ago: "3 min ago", "now". A time ahead of this clock counts as now. */
export const ago = (at: number, now: number): string => (now - at < 5_000 ? 'now' : `${duration(now - at)} ago`);

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const at = Math.min(units.length - 1, count < 1 ? 0 : Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** at;
  return `${at === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${units[at] ?? ''}`;
}
