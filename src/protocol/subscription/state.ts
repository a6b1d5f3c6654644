import * as z from '../schema.ts';
import { approval } from '../approval/state.ts';
import { goal } from '../goal/state.ts';
import { sessionId, workspacePath } from '../ids.ts';
import { item } from '../item/state.ts';
import { session } from '../session/state.ts';
import { turn } from '../turn/state.ts';

/** What is followed. */
export const scope = z.union([z.strictObject({ session: sessionId }), z.strictObject({ workspace: workspacePath })]);
export type Scope = z.infer<typeof scope>;

/** Everything a client shows of a session, as it stood at event number `head`. Clients replace, never merge. */
export const sessionSnapshot = z.strictObject({
  session,
  goal: goal.nullable(),
  /** Oldest first; at most 50, the newest. Queued turns are among them. */
  turns: z.array(turn),
  /** In order of (turnIdx, idx): the newest that fit, and what of the running turn has not ended. */
  items: z.array(item),
  /** Every pending one, and those of the items shown. Where many wait, the lines of their diffs are left out; the blobs have them. */
  approvals: z.array(approval),
  /** The turnIdx before which `session/history` reads on, null at the beginning. */
  earlier: z.number().int().positive().nullable(),
  /** Set when the page begins within turn `earlier`: the idx before which its items go on. Both are given back to `session/history`. */
  earlierItem: z.number().int().nonnegative().optional(),
  head: z.number().int().nonnegative(),
});
export type SessionSnapshot = z.infer<typeof sessionSnapshot>;

/** A piece of the transcript. */
export const sessionPage = sessionSnapshot.pick({ turns: true, items: true, approvals: true, earlier: true, earlierItem: true });
export type SessionPage = z.infer<typeof sessionPage>;

/** The goals and open sessions of a folder, as they stood at event number `head`. */
export const workspaceSnapshot = z.strictObject({
  /** In order of creation; of too many the retired and then the oldest are left out. */
  goals: z.array(goal),
  /** Those that are not closed, newest activity first and archived ones last; of too many the last are left out. */
  sessions: z.array(session),
  head: z.number().int().nonnegative(),
});
export type WorkspaceSnapshot = z.infer<typeof workspaceSnapshot>;
