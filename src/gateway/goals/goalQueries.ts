import { AttacheError } from '../../protocol/errors.ts';
import { requireGranted } from '../admission/access.ts';
import type { Handlers } from '../handlers.ts';
import { publicGoal, type GoalRegistry } from './goalRegistry.ts';

export function goalQueries(goals: GoalRegistry): Handlers<'goal/list' | 'goal/get'> {
  return {
    'goal/list': ({ principal }, { workspace, state }) => {
      requireGranted(principal, workspace);
      return { goals: goals.list(workspace, state).map(publicGoal) };
    },
    'goal/get': ({ principal }, params) => {
      requireGranted(principal, params.workspace);
      const row = goals.newest(params);
      if (row === undefined) throw new AttacheError('not_found');
      return { goal: publicGoal(row) };
    },
  };
}
