import * as z from '../schema.ts';
import { approval } from '../approval/state.ts';
import { causedBy } from '../envelope.ts';
import { goal } from '../goal/state.ts';
import { grant } from '../grant/state.ts';
import { itemId, timestamp, turnId } from '../ids.ts';
import { item } from '../item/state.ts';
import { session } from '../session/state.ts';
import { turn } from '../turn/state.ts';

const base = {
  /** Gapless per scope, from 1. */
  seq: z.number().int().positive(),
  at: timestamp,
  causedBy,
};

/** What happens in one session, in the order it was committed. */
export const sessionEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.updated'), ...base, session }),
  z.strictObject({ type: z.literal('goal.updated'), ...base, goal }),
  z.strictObject({ type: z.literal('turn.updated'), ...base, turn }),
  /** Last of its turn: every item and approval of the turn has ended before it. */
  z.strictObject({ type: z.literal('turn.ended'), ...base, turn }),
  z.strictObject({ type: z.literal('item.started'), ...base, item }),
  /** `offset` counts UTF-16 code units; it applies only when it equals the item's present textLength. */
  z.strictObject({ type: z.literal('item.delta'), ...base, itemId, turnId, rev: z.number().int().positive(), offset: z.number().int().nonnegative(), text: z.string() }),
  /** Carries the item as it is now; `text` is the head of at most 64 KiB. */
  z.strictObject({ type: z.literal('item.updated'), ...base, item }),
  z.strictObject({ type: z.literal('item.ended'), ...base, item }),
  z.strictObject({ type: z.literal('approval.requested'), ...base, approval }),
  z.strictObject({ type: z.literal('approval.updated'), ...base, approval }),
]);
export type SessionEvent = z.infer<typeof sessionEvent>;

/** What happens in one workspace folder. */
export const workspaceEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('goal.updated'), ...base, goal }),
  z.strictObject({ type: z.literal('session.updated'), ...base, session }),
  /** A rule was made or revoked. */
  z.strictObject({ type: z.literal('grant.updated'), ...base, grant }),
]);
export type WorkspaceEvent = z.infer<typeof workspaceEvent>;

export type AnyEvent = SessionEvent | WorkspaceEvent;

type WithoutBase<E> = E extends unknown ? Omit<E, keyof typeof base> : never;
/** An event before it is numbered. */
export type SessionEventBody = WithoutBase<SessionEvent>;
export type WorkspaceEventBody = WithoutBase<WorkspaceEvent>;
