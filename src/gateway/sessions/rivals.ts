import { AttacheError } from '../../protocol/errors.ts';
import type { SessionRow, SessionStore } from './sessionStore.ts';

/** A session that comes back to a channel must be the only usable one there. */
export function requireNoRival(sessions: SessionStore, row: SessionRow): void {
  const rival = sessions.resumableOn(row.workspace, row.channelId).find(({ sessionId }) => sessionId !== row.sessionId);
  if (rival !== undefined) throw new AttacheError('attached_session_conflict');
}
