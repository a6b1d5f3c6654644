import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Change } from '../events/change.ts';
import type { Handlers } from '../handlers.ts';
import type { Receipts } from '../store/receipts.ts';
import type { Timeline } from '../store/timeline.ts';
import type { SessionCloser } from './sessionCloser.ts';
import { sessionFacts, type SessionRow, type SessionStore } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';

export interface DeleteCommandsOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly sessionCloser: SessionCloser;
  readonly timeline: Timeline;
}

/** Deleting hides a session that nothing runs or waits in; for a week it can be fetched back. */
export function deleteCommands({ receipts, sessions, views, sessionCloser, timeline }: DeleteCommandsOptions): Handlers<'session/delete' | 'session/undelete'> {
  return {
    'session/delete': ({ principal }, params) => receipts.once(principal, 'session/delete', params, (change) => {
      const row = requireVisible(principal, sessions.find(params.sessionId));
      admitted(decideAdmission({ operation: 'delete', session: sessionFacts(principal, row) }));
      const closed = sessionCloser.close(change, row);
      // Without the moment of its closing it is one that was open.
      const session = views.of(sessions.patch(change, closed, { deletedAt: timeline.now(), closedAt: row.closedAt }));
      return { workspace: row.workspace, result: { session, restorableUntil: change.now + LIMITS.undeleteMs } };
    }),

    'session/undelete': ({ principal }, params) => receipts.once(principal, 'session/undelete', params, (change) => {
      const row = requireVisible(principal, sessions.findDeleted(params.sessionId));
      admitted(decideAdmission({ operation: 'undelete', session: sessionFacts(principal, row) }));
      if ((row.deletedAt ?? 0) + LIMITS.undeleteMs <= timeline.now()) throw new AttacheError('gone');
      return { workspace: row.workspace, result: { session: views.of(sessions.patch(change, row, { deletedAt: null, ...asItWas(sessions, change, row) })) } };
    }),
  };
}

/** Open again, unless its conversation has gone on in another session. */
function asItWas(sessions: SessionStore, { now }: Change, row: SessionRow): Partial<SessionRow> {
  if (row.closedAt !== null) return {};
  return sessions.resumableOn(row.workspace, row.channelId).length === 0 ? { status: 'stale' } : { closedAt: now };
}
