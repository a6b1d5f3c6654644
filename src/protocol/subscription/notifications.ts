import * as z from '../schema.ts';
import { subscriptionId } from '../ids.ts';
import { sessionEvent, workspaceEvent } from './events.ts';

const epoch = z.number().int();

/** What the gateway says by itself. Only the reference and tests read these schemas at run time; a plain LSP client that uses no method of ours is sent none of them. */
export const notifications = {
  /** Committed events in order. `deliverySeq` counts the batches of one subscription; `head` is the scope's newest number. */
  'event/batch': z.strictObject({
    subscriptionId, epoch, deliverySeq: z.number().int().positive(), events: z.array(z.union([sessionEvent, workspaceEvent])), head: z.number().int().nonnegative(),
  }),
  /**
   * Nothing more comes on this subscription. `resumeFrom` is the last event that was sent, or, when the client has acknowledged nothing for too long, the last
   * one it has acknowledged.
   */
  'sub/closed': z.strictObject({ subscriptionId, reason: z.enum(['slow_consumer', 'gone', 'draining']), resumeFrom: z.number().int().nonnegative() }),
  /** Every 15 s. Heads of all scopes this connection has subscribed to, by subscription. */
  'gateway/heartbeat': z.strictObject({ epoch, heads: z.record(z.string(), z.number().int().nonnegative()) }),
  /** The gateway makes room for a newer one; it takes no new turns. */
  'gateway/draining': z.strictObject({ minGatewayVersion: z.number().int() }),
} as const;
