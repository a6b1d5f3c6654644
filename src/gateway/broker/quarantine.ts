import type { ErrorKind } from '../../protocol/errors.ts';
import type { ItemId } from '../../protocol/ids.ts';
import type { Change } from '../events/change.ts';
import type { OwnItem } from '../items/itemStore.ts';
import { mintId } from '../mint.ts';
import type { SessionRow } from '../sessions/sessionStore.ts';
import type { TurnRow } from './turnStore.ts';

/** So many turns in a row may go down with what runs them. */
export const MAX_CRASHES = 3;

/** `lastErrorCode` of a session that is held: it takes messages, hands none out, and all others live on. A person lifts it. */
export const QUARANTINED = 'session_quarantined' satisfies ErrorKind;

/** `stopReason` of a turn whose window said goodbye: it did not go down with the turn. */
export const WINDOW_CLOSED = 'window_closed';

/** Its agent ended, did not start, or the turn was given back by a host that could not run it. */
const FAILED: ReadonlySet<string> = new Set<ErrorKind>(['execution_unavailable', 'agent_authentication_required', 'executor_restarted']);
/** Its window vanished in the middle of it. */
const INTERRUPTED: ReadonlySet<string> = new Set<ErrorKind>(['executor_lost', 'executor_restarted']);

type End = Pick<TurnRow, 'state' | 'cause' | 'stopReason'>;

/** True when what ran the turn went down, not merely the turn. */
export function isCrash({ state, cause, stopReason }: End): boolean {
  if (cause === null) return false;
  return state === 'failed' ? FAILED.has(cause) : state === 'interrupted' && stopReason !== WINDOW_CLOSED && INTERRUPTED.has(cause);
}

/** Whether this end is one too many. `before`: how the turns before it ended, the newest first. */
export const isOneTooMany = (end: End, before: readonly End[]): boolean =>
  isCrash(end) && before.length >= MAX_CRASHES - 1 && before.slice(0, MAX_CRASHES - 1).every(isCrash);

export const isQuarantined = ({ lastErrorCode }: Pick<SessionRow, 'lastErrorCode'>): boolean => lastErrorCode === QUARANTINED;

/** What a person's wish to try again makes of a session. One more crash holds it again at once. */
export const lifted = (session: Pick<SessionRow, 'lastErrorCode'>): Partial<SessionRow> => (isQuarantined(session) ? { lastErrorCode: null } : {});

/** Tells it once, in the turn that was one too many. */
export const quarantineNotice = ({ now }: Change): OwnItem => ({
  itemId: mintId<ItemId>('itm', now), state: 'completed', data: { kind: 'notice', level: 'warning', code: QUARANTINED },
  text: 'Three turns in a row went down with what runs them, so nothing more runs in this session until you choose Try Again. Messages wait; other sessions are not affected.',
});
