import type { Turn } from '../../../src/protocol/turn/state.ts';
import { t } from '../l10n.ts';
import { inWords, knownWords } from './causes.ts';

/** How a turn ended, where it did not simply complete. */
export interface TurnEnd {
  readonly icon: string;
  readonly text: string;
  readonly detail: string | null;
  readonly tone: 'plain' | 'bad';
}

/** `plain` where nobody has words for the cause. */
const because = (cause: string | null, plain: string, withCause: (words: string) => string): string => {
  const words = cause === null ? null : knownWords(cause);
  return words === null ? plain : withCause(words);
};

const notRun = (cause: string | null): string => because(cause, t('Not run'), (words) => t('Not run: {0}', words));

export function turnEnd(turn: Turn): TurnEnd | null {
  const { cause, detail } = turn;
  const ran = turn.startedAt !== null;
  switch (turn.state) {
    case 'interrupted':
      return { icon: 'warning', text: because(cause, t('Interrupted'), (words) => t('Interrupted: {0}', words)), detail, tone: 'bad' };
    case 'failed':
      return { icon: 'error', text: ran ? because(cause, t('Failed'), (words) => t('Failed: {0}', words)) : notRun(cause), detail, tone: 'bad' };
    case 'expired':
      return { icon: 'watch', text: notRun(cause ?? 'session_queue_expired'), detail, tone: 'plain' };
    case 'cancelled':
      return ran ? stopped(turn) : removed(turn);
    case 'completed':
      return unusualStop(turn);
    case 'queued':
    case 'running':
    case 'waiting':
    case 'cancelling':
    case 'completing':
      return null;
  }
}

// Whoever asked for it, here or on the command line, is the one person this all belongs to.
function stopped({ cause, detail }: Turn): TurnEnd {
  const text = cause === null || cause === 'turn_cancelled' ? t('You stopped this turn.') : t('Stopped: {0}', inWords(cause));
  return { icon: 'debug-stop', text, detail, tone: 'plain' };
}

function removed({ cause }: Turn): TurnEnd {
  return { icon: 'circle-slash', text: because(cause, t('Removed before it ran'), (words) => t('Removed before it ran: {0}', words)), detail: null, tone: 'plain' };
}

const STOPS: Readonly<Record<string, string>> = {
  max_tokens: t('The agent reached its limit of tokens.'),
  max_turn_requests: t('The agent reached its limit of requests in one turn.'),
  refusal: t('The agent refused to go on.'),
};

function unusualStop({ stopReason, detail }: Turn): TurnEnd | null {
  const text = STOPS[stopReason ?? ''];
  return text === undefined ? null : { icon: 'info', text, detail, tone: 'plain' };
}

/** A retry of the same message makes sense: it ended without doing what it was asked. */
export const canRetry = ({ state, startedAt }: Turn): boolean => state === 'interrupted' || state === 'failed' || (state === 'cancelled' && startedAt !== null) || state === 'expired';
