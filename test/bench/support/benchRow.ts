/** One figure of a row, taken against a baseline or a limit of the same run: absolute times drift with the machine, ratios do not. */
export interface Figure {
  readonly name: string;
  readonly ours: number;
  /** Null: the target is a limit by itself. */
  readonly baseline: number | null;
  readonly unit: string;
  /** What `ours` is compared with, for people. */
  readonly against: string;
  readonly target: string;
  readonly ok: boolean;
}

/** A row of the table of performance targets. */
export interface BenchRow {
  readonly id: string;
  readonly about: string;
  readonly run: () => Promise<readonly Figure[]>;
}

interface Compared {
  readonly name: string;
  readonly ours: number;
  readonly baseline: number;
  readonly unit: string;
  readonly against: string;
}

/** `ours` may be at most so many times the baseline. */
export const atMostTimes = (times: number, compared: Compared): Figure =>
  ({ ...compared, target: `<= ${times}x`, ok: compared.ours <= times * compared.baseline });

/** `ours` must be so many times less than the baseline. */
export const timesLess = (times: number, compared: Compared): Figure =>
  ({ ...compared, target: `>= ${times}x less`, ok: compared.ours * times <= compared.baseline });

export const atMost = (limit: number, figure: Omit<Compared, 'baseline' | 'against'>): Figure =>
  ({ ...figure, baseline: null, against: 'limit', target: `<= ${limit} ${figure.unit}`, ok: figure.ours <= limit });

/** The round that was disturbed the least. */
export const least = (values: readonly number[]): number => Math.min(...values);

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
