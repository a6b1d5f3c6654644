import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import { isQuarantined } from '../broker/quarantine.ts';
import type { WaitingClaims } from '../broker/waitingClaims.ts';
import type { Change } from '../events/change.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { Handlers } from '../handlers.ts';
import type { Receipts } from '../store/receipts.ts';
import { requireNoRival } from './rivals.ts';
import type { SessionCloser } from './sessionCloser.ts';
import { sessionFacts, type SessionRow, type SessionStore } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';

export interface LifecycleCommandsOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly goals: GoalRegistry;
  readonly sessionCloser: SessionCloser;
  readonly waiting: WaitingClaims;
}

export function lifecycleCommands(options: LifecycleCommandsOptions): Handlers<'session/resume' | 'session/rename' | 'session/close'> {
  const { receipts, sessions, views, goals, sessionCloser } = options;
  const answer = (row: SessionRow) => ({ workspace: row.workspace, result: { session: views.of(row) } });
  return {
    'session/resume': ({ principal }, params) => receipts.once(principal, 'session/resume', params, (change) => {
      const row = requireVisible(principal, sessions.find(params.sessionId));
      admitted(decideAdmission({ operation: 'resume', session: sessionFacts(principal, row), goal: goals.facts(row) }));
      return answer(resume(options, change, row));
    }),

    'session/rename': ({ principal }, params) => receipts.once(principal, 'session/rename', params, (change) => {
      const row = requireVisible(principal, sessions.find(params.sessionId));
      admitted(decideAdmission({ operation: 'manage', session: sessionFacts(principal, row) }));
      return answer(sessions.patch(change, row, { title: params.title, titleSource: 'person' }));
    }),

    'session/close': ({ principal }, params) => receipts.once(principal, 'session/close', params, (change) => {
      const row = requireVisible(principal, sessions.find(params.sessionId));
      admitted(decideAdmission({ operation: 'close', session: sessionFacts(principal, row) }));
      return answer(sessionCloser.close(change, row));
    }),
  };
}

/** Makes a session usable again; starts nothing. */
function resume({ sessions, waiting }: LifecycleCommandsOptions, change: Change, row: SessionRow): SessionRow {
  if (row.status === 'ready' || row.status === 'busy') return row;
  requireNoRival(sessions, row);
  change.after(() => waiting.wake(row.sessionId));
  return sessions.patch(change, row, { status: 'ready', ...(isQuarantined(row) ? {} : { lastErrorCode: null }) });
}
