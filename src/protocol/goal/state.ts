import * as z from '../schema.ts';
import { goalId, timestamp, workspacePath } from '../ids.ts';

/** A retired goal takes no new work. */
export const goalState = z.enum(['live', 'retired']);

/** One goal key of a workspace in its newest lifetime. `lifetime` counts 1, 2, 3 … per key; the secret instance id never leaves the gateway. */
export const goal = z.strictObject({
  goalId,
  workspace: workspacePath,
  lifetime: z.number().int().positive(),
  title: z.string(),
  objective: z.string(),
  state: goalState,
  createdAt: timestamp,
  updatedAt: timestamp,
  retiredAt: timestamp.nullable(),
});
export type Goal = z.infer<typeof goal>;
