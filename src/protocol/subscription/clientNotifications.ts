import * as z from '../schema.ts';
import { subscriptionId } from '../ids.ts';

/** What a client may say without an answer. Anything malformed, or about a subscription that has ended, is passed over. */
export const clientNotifications = {
  /** Everything up to this delivery has been taken in. Delivery pauses while 2,000 events are on their way without it, and ends when it stays so. */
  'event/ack': z.strictObject({ subscriptionId, deliverySeq: z.number().int().positive() }),
} as const;

export type ClientNotificationName = keyof typeof clientNotifications;
export type ClientNotification<N extends ClientNotificationName> = z.input<(typeof clientNotifications)[N]>;
