import * as z from '../schema.ts';
import { subscriptionId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { sessionEvent, workspaceEvent } from './events.ts';
import { scope, sessionSnapshot, workspaceSnapshot } from './state.ts';
import type { notifications } from './notifications.ts';

/** Why a subscription that named a place got a snapshot instead of a replay. */
export const resyncReason = z.enum(['cursor_expired', 'cursor_ahead', 'epoch_changed']);

/** Where the subscription begins. */
export const subscribeResult = z.strictObject({
  subscriptionId,
  epoch: z.number().int(),
  /** The next event has this number + 1, unless a replay was asked for and granted: then the one after `from.seq`. */
  head: z.number().int().nonnegative(),
  reason: resyncReason.nullable(),
  snapshot: z.union([z.strictObject({ session: sessionSnapshot }), z.strictObject({ workspace: workspaceSnapshot })]).nullable(),
});
export type SubscribeResult = z.infer<typeof subscribeResult>;

/** A place in the log of a scope: after event `seq`, as it was numbered in that run of the gateway. 0: before the first one. */
const place = z.strictObject({ epoch: z.number().int(), seq: z.number().int().nonnegative() });

export const subscriptionMethods = {
  /** Follows one scope: the answer has its state, or with `from` the events after that place are sent. */
  'sub/subscribe': {
    kind: 'query',
    params: z.strictObject({ scope, from: place.optional() }),
    result: subscribeResult,
  },
  /** Ends a subscription. */
  'sub/unsubscribe': { kind: 'query', params: z.strictObject({ subscriptionId }), result: z.strictObject({}) },
  /**
   * The events after a place, in order and without a gap: at most `limit` of them, and no more than 1 MiB; the last one's `seq` is the next place. Without
   * `from` the oldest that are kept. `first` and `head` are the ends of what is kept. Refused as cursor_expired, cursor_ahead or epoch_changed where a
   * subscription would begin with a snapshot; the refusal names both ends.
   */
  'event/read': {
    kind: 'query',
    params: z.strictObject({ scope, from: place.optional(), limit: z.number().int().positive().max(LIMITS.replayEvents).optional() }),
    result: z.strictObject({
      epoch: z.number().int(), events: z.array(z.union([sessionEvent, workspaceEvent])), first: z.number().int().positive(), head: z.number().int().nonnegative(),
    }),
  },
} as const;

/** Notifications from the gateway. */
export type Notifications = { readonly [N in keyof typeof notifications]: Readonly<z.infer<(typeof notifications)[N]>> };
export type NotificationName = keyof Notifications;
