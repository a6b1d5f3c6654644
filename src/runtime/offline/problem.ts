/** A failure a person can act on: the message says what happened, the next step says what to do. */
export class Problem extends Error {
  readonly nextStep: string;

  constructor(message: string, nextStep: string) {
    super(message);
    this.nextStep = nextStep;
  }
}

/** The turn was cancelled; whoever catches it settles what is open and answers `cancelled`. */
export class TurnCancelled extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
