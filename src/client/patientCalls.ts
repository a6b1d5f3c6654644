import type { Clock } from '../base/clock.ts';
import type { AbortSignalLike } from '../base/abort.ts';
import { Deferred } from '../base/deferred.ts';
import type { Event } from '../base/event.ts';
import { AttacheError } from '../protocol/errors.ts';
import { isUnknownOutcome, type GatewayCalls } from './gatewayClient.ts';

/** What patience needs to know about a link that comes back by itself. */
export interface ReturningLink {
  readonly isUp: () => boolean;
  readonly onOpened: Event<void>;
}

export interface PatienceOptions {
  readonly clock: Clock;
  /** How long a call is kept without a link before it counts as not delivered; null: without end. */
  readonly patienceMs: number | null;
}

// A gateway that is being replaced closes the link soon; until then its refusal is asked again at this pace.
const DRAINING_MS = 1_000;

/**
 * Calls that outlive a cut link: the same parameters, and so the same key, are sent again until the gateway has answered.
 * Rejects with the last failure when there has been no link for as long as patience lasts, or when the signal says so.
 */
export function patientCalls(link: ReturningLink, calls: GatewayCalls, { clock, patienceMs }: PatienceOptions): GatewayCalls {
  return {
    notify: (name, params) => calls.notify(name, params),
    on: (name, listener) => calls.on(name, listener),
    async call(method, params, signal) {
      for (;;) {
        try {
          return await calls.call(method, params, signal);
        } catch (error) {
          if (signal?.aborted === true) throw error;
          if (isUnknownOutcome(error)) await linkUp(link, { clock, patienceMs, error, signal });
          else if (isDraining(error)) await new Promise<void>((resolve) => void clock.setTimeout(resolve, DRAINING_MS));
          else throw error;
        }
      }
    },
  };
}

const isDraining = (error: unknown): boolean => error instanceof AttacheError && error.kind === 'draining';

interface Waiting extends PatienceOptions {
  readonly error: unknown;
  readonly signal: AbortSignalLike | undefined;
}

async function linkUp(link: ReturningLink, { clock, patienceMs, error, signal }: Waiting): Promise<void> {
  // A link that is not known to be gone yet may refuse at once: its end must get a turn before the next attempt.
  await new Promise<void>((resolve) => void clock.setTimeout(resolve, 0));
  if (signal?.aborted === true) throw error;
  if (link.isUp()) return;
  const up = new Deferred<void>();
  const opened = link.onOpened(() => up.resolve());
  const giveUp = (): void => up.reject(error);
  const timer = patienceMs === null ? null : clock.setTimeout(giveUp, patienceMs);
  signal?.addEventListener('abort', giveUp);
  try {
    await up.promise;
  } finally {
    timer?.dispose();
    opened.dispose();
    signal?.removeEventListener('abort', giveUp);
  }
}
