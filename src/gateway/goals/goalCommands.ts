import { AttacheError } from '../../protocol/errors.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import { accessTo, admitted } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Change } from '../events/change.ts';
import type { Handlers } from '../handlers.ts';
import { mintGoalKey } from '../mint.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import type { Receipts } from '../store/receipts.ts';
import { publicGoal, type GoalKey, type GoalRegistry, type GoalRow } from './goalRegistry.ts';
import type { LifetimeEnd } from './lifetimeEnd.ts';

export interface GoalCommandsOptions {
  readonly goals: GoalRegistry;
  readonly sessions: SessionStore;
  readonly receipts: Receipts;
  readonly lifetimeEnd: LifetimeEnd;
}

export function goalCommands(options: GoalCommandsOptions): Handlers<'goal/create' | 'goal/update' | 'goal/retire' | 'goal/recreate'> {
  const { goals, receipts, lifetimeEnd } = options;
  return {
    'goal/create': ({ principal }, params) => receipts.once(principal, 'goal/create', params, (change) => {
      const { workspace, title, objective = '' } = params;
      const key: GoalKey = { workspace, goalId: params.goalId ?? mintGoalKey() };
      admitted(decideAdmission({ operation: 'goal_create', access: accessTo(principal, workspace), goal: goals.facts(key) }));
      const row = goals.begin(key, { title, objective }, change.now);
      return { workspace, result: { goal: tellGoal(options, change, row) } };
    }),

    'goal/update': ({ principal }, params) => receipts.once(principal, 'goal/update', params, (change) => {
      const { workspace } = params;
      admitted(decideAdmission({ operation: 'goal_update', access: accessTo(principal, workspace), goal: goals.facts(params) }));
      const row = goals.update(required(goals.newest(params)), withoutUndefined(params), change.now);
      return { workspace, result: { goal: tellGoal(options, change, row) } };
    }),

    'goal/retire': ({ principal }, params) => receipts.once(principal, 'goal/retire', params, (change) => {
      const { workspace, expectedLifetime } = params;
      admitted(decideAdmission({ operation: 'goal_retire', access: accessTo(principal, workspace), goal: goals.facts(params), expectedLifetime }));
      const row = required(goals.retire(params, expectedLifetime, change.now));
      const ended = lifetimeEnd.apply(change, row);
      return { workspace, result: { goal: tellGoal(options, change, row), ...ended } };
    }),

    'goal/recreate': ({ principal }, params) => receipts.once(principal, 'goal/recreate', params, (change) => {
      const { workspace, expectedLifetime } = params;
      admitted(decideAdmission({ operation: 'goal_recreate', access: accessTo(principal, workspace), goal: goals.facts(params), expectedLifetime }));
      const before = required(goals.newest(params));
      const retired = goals.retire(params, expectedLifetime, change.now);
      const ended = retired === undefined ? { sessionsEnded: 0, turnsEnded: 0 } : lifetimeEnd.apply(change, retired);
      const row = goals.begin({ workspace, goalId: params.goalId }, { title: params.title ?? before.title, objective: params.objective ?? before.objective }, change.now);
      return { workspace, result: { goal: tellGoal(options, change, row), ...ended } };
    }),
  };
}

/** Tells a goal to its folder and to every open session of its key; what they say about it changes with it. */
function tellGoal({ sessions }: GoalCommandsOptions, change: Change, row: GoalRow): Goal {
  const goal = publicGoal(row);
  change.tellWorkspace(row.workspace, { type: 'goal.updated', goal });
  for (const session of sessions.ofGoal(row.workspace, row.goalId)) {
    if (session.status === 'closed') continue;
    change.tellSession(session.sessionId, { type: 'goal.updated', goal });
    change.touch(session.sessionId);
  }
  return goal;
}

function withoutUndefined({ title, objective }: { readonly title?: string | undefined; readonly objective?: string | undefined }): { title?: string; objective?: string } {
  return { ...(title === undefined ? {} : { title }), ...(objective === undefined ? {} : { objective }) };
}

/** Admission has seen the row in the same transaction. */
function required(row: GoalRow | undefined): GoalRow {
  if (row === undefined) throw new AttacheError('goal_not_registered');
  return row;
}
