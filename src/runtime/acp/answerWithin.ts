import type { Clock } from '../../base/clock.ts';
import { AttacheError } from '../../protocol/errors.ts';

export interface Patience {
  readonly clock: Clock;
  readonly ms: number;
  /** What is said when no answer came. */
  readonly late: string;
}

/** An agent's answer, or execution_unavailable when none comes in time. */
export async function answerWithin<T>({ clock, ms, late }: Patience, answer: Promise<T>): Promise<T> {
  let timer: { dispose(): void } | null = null;
  const over = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimeout(() => reject(new AttacheError('execution_unavailable', { message: late })), ms);
  });
  try {
    return await Promise.race([answer, over]);
  } finally {
    (timer as { dispose(): void } | null)?.dispose();
  }
}
