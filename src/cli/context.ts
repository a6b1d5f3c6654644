import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { Attached } from './gateway/attached.ts';
import type { Output } from './output/output.ts';

/** Where a person answers; not a terminal in scripts. */
export type InputStream = Readable & { readonly isTTY?: boolean };

/** What a command works with. */
export interface Context {
  readonly output: Output;
  readonly input: InputStream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly dataRoot: string;
  readonly clock: Clock;
  /** Aborts at Ctrl+C, and when nobody reads the output any more. */
  readonly interrupt: AbortSignal;
  /** Connects at the first call, with no more rights than the command needs. */
  readonly attach: () => Promise<Attached>;
}
