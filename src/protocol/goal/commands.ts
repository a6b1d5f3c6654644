import * as z from '../schema.ts';
import { commandId, goalId, workspacePath } from '../ids.ts';
import { goal, goalState } from './state.ts';

const title = z.string().trim().min(1).max(500);
const objective = z.string().max(20_000);
const target = { commandId, workspace: workspacePath, goalId };

/** A goal as it is after the command. */
export const goalResult = z.strictObject({ goal });

export const goalMethods = {
  /** Without `goalId` the gateway makes the key `g-` + 10 base32 characters. */
  'goal/create': {
    kind: 'command',
    params: z.strictObject({ commandId, workspace: workspacePath, goalId: goalId.optional(), title, objective: objective.optional() }),
    result: goalResult,
  },
  /** Changes the title or the objective. */
  'goal/update': {
    kind: 'command',
    params: z.strictObject({ ...target, title: title.optional(), objective: objective.optional() }),
    result: goalResult,
  },
  /** Ends this lifetime of the goal: queued messages fail, open requests are withdrawn, running work may still be returned. */
  'goal/retire': {
    kind: 'command',
    params: z.strictObject({ ...target, expectedLifetime: z.number().int().positive() }),
    result: z.strictObject({ goal, sessionsEnded: z.number().int(), turnsEnded: z.number().int() }),
  },
  /** Retire + create in one step; of a retired goal: create. Absent title and objective are taken over. */
  'goal/recreate': {
    kind: 'command',
    params: z.strictObject({ ...target, expectedLifetime: z.number().int().positive(), title: title.optional(), objective: objective.optional() }),
    result: z.strictObject({ goal, sessionsEnded: z.number().int(), turnsEnded: z.number().int() }),
  },
  /** In order of creation; of too many the retired and then the oldest are left out. */
  'goal/list': {
    kind: 'query',
    params: z.strictObject({ workspace: workspacePath, state: goalState.optional() }),
    result: z.strictObject({ goals: z.array(goal) }),
  },
  /** One goal in its newest lifetime. */
  'goal/get': {
    kind: 'query',
    params: z.strictObject({ workspace: workspacePath, goalId }),
    result: goalResult,
  },
} as const;
