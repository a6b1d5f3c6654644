import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Principal } from '../core.ts';
import type { Handlers } from '../handlers.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Receipts } from '../store/receipts.ts';
import type { SessionCloser } from './sessionCloser.ts';
import { sessionFacts, type SessionRow, type SessionStore } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';

export interface OrganiseCommandsOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly sessionCloser: SessionCloser;
}

/** How people keep their sessions. Closed ones may be pinned and archived, too; neither counts as activity. */
export function organiseCommands(options: OrganiseCommandsOptions): Handlers<'session/pin' | 'session/archive'> {
  const { receipts, sessions, views, sessionCloser } = options;
  const answer = (row: SessionRow) => ({ workspace: row.workspace, result: { session: views.of(row) } });
  return {
    'session/pin': ({ principal }, params) => receipts.once(principal, 'session/pin', params, (change) => {
      const row = find(options, principal, params.sessionId);
      const pinned = params.pinned ? 1 : 0;
      return answer(row.pinned === pinned ? row : sessions.patch(change, row, { pinned, updatedAt: row.updatedAt }));
    }),

    'session/archive': ({ principal }, params) => receipts.once(principal, 'session/archive', params, (change) => {
      const row = find(options, principal, params.sessionId);
      if (params.archived === (row.archivedAt !== null)) return answer(row);
      if (params.archived) sessionCloser.requireIdle(change, row);
      return answer(sessions.patch(change, row, { archivedAt: params.archived ? change.now : null, updatedAt: row.updatedAt }));
    }),
  };
}

function find({ sessions }: OrganiseCommandsOptions, principal: Principal, sessionId: SessionId): SessionRow {
  const row = requireVisible(principal, sessions.find(sessionId));
  admitted(decideAdmission({ operation: 'organise', session: sessionFacts(principal, row) }));
  return row;
}
