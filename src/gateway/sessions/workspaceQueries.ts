import type { Workspace } from '../../protocol/workspace/state.ts';
import { accessTo } from '../admission/access.ts';
import { HELD } from '../broker/turnStore.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';

export interface WorkspaceQueriesOptions {
  readonly store: Store;
  readonly timeline: Timeline;
}

type Counts = { readonly [K in 'goalsLive' | 'goalsRetired' | 'open' | 'archived' | 'closed' | 'liveTurns' | 'queuedTurns' | 'pendingApprovals']: number };

/** The folders that a connection may see. */
export function workspaceQueries(options: WorkspaceQueriesOptions): Handlers<'workspace/list'> {
  return {
    'workspace/list': ({ principal }) => {
      const known = options.store.all<{ workspace: string }>('SELECT workspace FROM goals UNION SELECT workspace FROM sessions WHERE deletedAt IS NULL');
      const paths = new Set([...principal.workspaces.map(({ path }) => path), ...known.map(({ workspace }) => workspace)]);
      const workspaces = [...paths].sort().flatMap((path): Workspace[] => {
        const access = accessTo(principal, path);
        return access === 'none' ? [] : [describe(options, path, access === 'full')];
      });
      return { workspaces };
    },
  };
}

function describe(options: WorkspaceQueriesOptions, path: string, trusted: boolean): Workspace {
  const { goalsLive, goalsRetired, open, archived, closed, liveTurns, queuedTurns, pendingApprovals } = count(options, path);
  return { path, trusted, goals: { live: goalsLive, retired: goalsRetired }, sessions: { open, archived, closed }, liveTurns, queuedTurns, pendingApprovals };
}

/** A goal key counts once: as live where any of its lifetimes is. */
function count({ store, timeline }: WorkspaceQueriesOptions, workspace: string): Counts {
  const counts = store.get<Counts>(
    `WITH mine AS MATERIALIZED (SELECT sessionId, status, archivedAt FROM sessions WHERE workspace = ?1 AND deletedAt IS NULL),
       keys AS (SELECT goalId, max(state = 'live') AS live FROM goals WHERE workspace = ?1 GROUP BY goalId)
     SELECT (SELECT count(*) FROM keys WHERE live = 1) AS goalsLive, (SELECT count(*) FROM keys WHERE live = 0) AS goalsRetired,
       (SELECT count(*) FROM mine WHERE status <> 'closed' AND archivedAt IS NULL) AS open, (SELECT count(*) FROM mine WHERE archivedAt IS NOT NULL) AS archived,
       (SELECT count(*) FROM mine WHERE status = 'closed' AND archivedAt IS NULL) AS closed,
       (SELECT count(*) FROM turns WHERE state IN ${HELD} AND sessionId IN (SELECT sessionId FROM mine)) AS liveTurns,
       (SELECT count(*) FROM turns WHERE state = 'queued' AND expiresAt > ?2 AND sessionId IN (SELECT sessionId FROM mine)) AS queuedTurns,
       (SELECT count(*) FROM approvals WHERE workspace = ?1 AND status = 'pending' AND sessionId IN (SELECT sessionId FROM mine)) AS pendingApprovals`, workspace, timeline.now());
  if (counts === undefined) throw new Error('a count without a row');
  return counts;
}
