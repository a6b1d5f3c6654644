import { Buffer } from 'node:buffer';
import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import { sessionStatus } from '../../protocol/session/state.ts';
import { requireGranted, requireVisible } from '../admission/access.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';
import type { SessionRow, SessionStore } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';
import type { Snapshots } from './snapshots.ts';

export interface SessionQueriesOptions {
  readonly store: Store;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly snapshots: Snapshots;
  readonly timeline: Timeline;
}

const LIST_PAGE = 100;

export function sessionQueries(options: SessionQueriesOptions): Handlers<'session/list' | 'session/get' | 'session/history' | 'channel/readback'> {
  const { store, sessions, views, snapshots, timeline } = options;
  return {
    'session/list': ({ principal }, params) => {
      requireGranted(principal, params.workspace);
      const limit = params.limit ?? LIST_PAGE;
      const rows = params.deleted === true ? deletedRows(store, params, timeline.now(), limit + 1) : listRows(store, params, limit + 1);
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return { sessions: views.listed(params.workspace, page), next: rows.length > limit && last !== undefined ? cursorAfter(last) : null };
    },
    'session/get': ({ principal }, { sessionId }) => ({ snapshot: snapshots.session(requireVisible(principal, sessions.find(sessionId))) }),
    'session/history': ({ principal }, { sessionId, before, beforeItem = null, limit = LIMITS.snapshotTurns }) => ({
      page: snapshots.page(requireVisible(principal, sessions.find(sessionId)), before === undefined ? null : { before, beforeItem }, limit),
    }),
    'channel/readback': ({ principal }, { workspace, channelId }) => {
      requireGranted(principal, workspace);
      return { readback: views.readback(workspace, channelId) };
    },
  };
}

/** Newest activity first; of equal age the larger id. */
function listRows(store: Store, { workspace, goalId, status, includeClosed, archived = 'exclude', pinned, cursor }: ParamsOf<'session/list'>, limit: number): SessionRow[] {
  const after = cursor === undefined ? null : parseCursor(cursor);
  const closedToo = includeClosed === true || status?.includes('closed') === true;
  return store.all<SessionRow>(
    `SELECT * FROM sessions WHERE workspace = ?1 AND deletedAt IS NULL AND (?2 IS NULL OR goalId = ?2) AND (?3 = 1 OR status <> 'closed')
       AND (updatedAt, sessionId) < (?4, ?5)
       AND (?7 = 'include' OR (archivedAt IS NULL) = (?7 = 'exclude')) AND (?8 IS NULL OR pinned = ?8)
       AND (?9 IS NULL OR iif(status IN (SELECT value FROM json_each(?10)), status, 'resume_failed') IN (SELECT value FROM json_each(?9)))
     ORDER BY updatedAt DESC, sessionId DESC LIMIT ?6`,
    workspace, goalId ?? null, closedToo ? 1 : 0, after?.updatedAt ?? Number.MAX_SAFE_INTEGER, after?.sessionId ?? '', limit,
    archived, pinned === undefined ? null : Number(pinned), status === undefined ? null : JSON.stringify(status), knownStatuses());
}

/** In the same order. Those whose week is over may wait for their removal, and are not shown. */
function deletedRows(store: Store, { workspace, cursor }: ParamsOf<'session/list'>, now: number, limit: number): SessionRow[] {
  const after = cursor === undefined ? null : parseCursor(cursor);
  return store.all<SessionRow>(
    `SELECT * FROM sessions WHERE workspace = ? AND deletedAt > ? AND (updatedAt, sessionId) < (?, ?) ORDER BY updatedAt DESC, sessionId DESC LIMIT ?`,
    workspace, now - LIMITS.undeleteMs, after?.updatedAt ?? Number.MAX_SAFE_INTEGER, after?.sessionId ?? '', limit);
}

/** Another one, of a newer or a damaged store, is shown as resume_failed. */
const knownStatuses = (): string => JSON.stringify(sessionStatus.options);

const cursorAfter = ({ updatedAt, sessionId }: SessionRow): string => Buffer.from(`${updatedAt}:${sessionId}`).toString('base64url');

function parseCursor(cursor: string): { updatedAt: number; sessionId: string } {
  const match = /^(\d{1,16}):(.+)$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match === null) throw new AttacheError('not_found');
  return { updatedAt: Number(match[1]), sessionId: match[2] ?? '' };
}
