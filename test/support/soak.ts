/** How much of a soak, from which seed, and where it says how far it is. */
export interface SoakOptions {
  /** Runs, rounds, points or frames, as the soak counts them. */
  readonly runs: number;
  readonly seed: number;
  /** Takes one line about what was done so far. */
  readonly report: (line: string) => void;
}

/** What a soak has done, by name: printed at its end and looked at by the small version in the suite. */
export type SoakFigures = Readonly<Record<string, number>>;

/** A long run of one kind of fault; the suite plays a few rounds of the same code. A violation is an exception. */
export interface Soak {
  readonly about: string;
  /** What `runs` is when nobody says. */
  readonly defaultRuns: number;
  readonly run: (options: SoakOptions) => Promise<SoakFigures>;
}

/** Small, seeded, and the same everywhere: numbers in 0..1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const figuresLine = (figures: SoakFigures): string => Object.entries(figures).map(([name, value]) => `${value} ${name}`).join(', ');
