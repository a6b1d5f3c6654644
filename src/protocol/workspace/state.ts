import * as z from '../schema.ts';
import { workspacePath } from '../ids.ts';

/** A folder as this connection may see it, with what is going on in it. Deleted sessions count nowhere. */
export const workspace = z.strictObject({
  path: workspacePath,
  /** False: granted read-only. */
  trusted: z.boolean(),
  goals: z.strictObject({ live: z.number().int().nonnegative(), retired: z.number().int().nonnegative() }),
  /** `open`: neither closed nor archived. */
  sessions: z.strictObject({ open: z.number().int().nonnegative(), archived: z.number().int().nonnegative(), closed: z.number().int().nonnegative() }),
  /** Turns that an executor holds. */
  liveTurns: z.number().int().nonnegative(),
  queuedTurns: z.number().int().nonnegative(),
  pendingApprovals: z.number().int().nonnegative(),
});
export type Workspace = z.infer<typeof workspace>;
