import * as z from './schema.ts';

// Opaque, minted by the gateway: prefix + 26 base32 characters, the first ten of which order by time of minting.
const minted = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
// Keys that clients make: any printable text without spaces; equal key = same command.
const clientKey = () => z.string().regex(/^[\x21-\x7e]{1,200}$/);

/** A session, minted by the gateway. */
export const sessionId = minted('ses').brand<'SessionId'>();
/** A turn, minted by the gateway. */
export const turnId = minted('trn').brand<'TurnId'>();
/** An item, minted by the gateway. */
export const itemId = minted('itm').brand<'ItemId'>();
/** A request, minted by the gateway. */
export const approvalId = minted('apr').brand<'ApprovalId'>();
/** A conversation, minted by the gateway; the same for all sessions that go on with it. */
export const channelId = minted('chn').brand<'ChannelId'>();
/** A rule, minted by the gateway. */
export const grantId = minted('grt').brand<'GrantId'>();
/** A subscription of one connection. */
export const subscriptionId = minted('sub').brand<'SubscriptionId'>();
/** A goal's key, chosen by people; unique in its folder among live goals. */
export const goalId = z.string().regex(/^[A-Za-z0-9._:-]{1,200}$/).brand<'GoalId'>();

/** The sender's key of a message; unique in its session. */
export const clientTurnId = clientKey().brand<'ClientTurnId'>();
/** The host's key of a claim; names at most one turn, ever. */
export const claimId = clientKey().brand<'ClaimId'>();
/** The host's key of a turn's end. */
export const completionId = clientKey().brand<'CompletionId'>();
/** The client's key of a command; a repeat with the same key is answered from the store. */
export const commandId = clientKey().brand<'CommandId'>();
/** The host's own name for an item within one claim; the gateway answers with its itemId. */
export const itemKey = clientKey().brand<'ItemKey'>();
/** 128 random bits in hex, private to the host. */
export const hostSessionId = z.string().regex(/^[0-9a-f]{32}$/).brand<'HostSessionId'>();
/** 128 random bits in hex that name one life of a runtime process. */
export const hostRunId = z.string().regex(/^[0-9a-f]{32}$/).brand<'HostRunId'>();
/** A client, as it calls itself. */
export const clientId = clientKey().brand<'ClientId'>();
/** SHA-256 in hex. */
export const digest = z.string().regex(/^[0-9a-f]{64}$/).brand<'Digest'>();
/** Absolute canonical real path of a root folder. */
export const workspacePath = z.string().min(1).max(4096);
/** Milliseconds since 1970-01-01 UTC. */
export const timestamp = z.number().int().nonnegative();

export type SessionId = z.infer<typeof sessionId>;
export type TurnId = z.infer<typeof turnId>;
export type ItemId = z.infer<typeof itemId>;
export type ApprovalId = z.infer<typeof approvalId>;
export type ChannelId = z.infer<typeof channelId>;
export type GrantId = z.infer<typeof grantId>;
export type SubscriptionId = z.infer<typeof subscriptionId>;
export type GoalId = z.infer<typeof goalId>;
export type ClientTurnId = z.infer<typeof clientTurnId>;
export type ClaimId = z.infer<typeof claimId>;
export type CompletionId = z.infer<typeof completionId>;
export type CommandId = z.infer<typeof commandId>;
export type ItemKey = z.infer<typeof itemKey>;
export type HostSessionId = z.infer<typeof hostSessionId>;
export type HostRunId = z.infer<typeof hostRunId>;
export type ClientId = z.infer<typeof clientId>;
export type Digest = z.infer<typeof digest>;
