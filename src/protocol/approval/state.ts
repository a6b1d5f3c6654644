import * as z from '../schema.ts';
import { approvalId, digest, itemId, sessionId, timestamp, turnId } from '../ids.ts';
import { fileChange } from '../item/state.ts';

/** Everything but pending is an end. */
export const approvalStatus = z.enum(['pending', 'approved', 'rejected', 'answered', 'expired', 'cancelled', 'orphaned']);
export type ApprovalStatus = z.infer<typeof approvalStatus>;

/** One answer, in the agent's own words. `kind` is ACP's; an unknown kind counts as a refusal when it is chosen. */
export const approvalOption = z.strictObject({
  optionId: z.string().min(1).max(500),
  name: z.string().max(2000),
  kind: z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other']),
});
export type ApprovalOption = z.infer<typeof approvalOption>;

/** Who asks, where it is not the agent itself: the tool call that runs the sub-agent, in the agent's words. */
const asker = { from: z.string().max(500).optional() };

/** Exactly what is asked for. Only names of changed environment variables are kept, never values. */
export const approvalSubject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('edit'), mode: z.enum(['hosted', 'agentApplied']), changes: z.array(fileChange).min(1).max(50), ...asker }),
  z.strictObject({ kind: z.literal('command'), command: z.string().max(100_000), cwd: z.string().max(4096), envNames: z.array(z.string().max(500)).max(500), ...asker }),
  z.strictObject({ kind: z.literal('tool'), toolKind: z.string().max(100), detail: z.string().max(20_000), ...asker }),
  z.strictObject({ kind: z.literal('plan'), detail: z.string().max(100_000), ...asker }),
  z.strictObject({ kind: z.literal('question'), detail: z.string().max(20_000), ...asker }),
]);
export type ApprovalSubject = z.infer<typeof approvalSubject>;
export type ApprovalKind = ApprovalSubject['kind'];

/**
 * Who answered: a client, or a rule: a setting (`policy:<setting>`), the session's permission mode (`mode:<mode>`) or a grant (its id).
 * `windowId` tells apart the windows that share one client id; older answers lack it.
 */
export const decidedBy = z.strictObject({
  by: z.enum(['client', 'policy', 'mode', 'grant']),
  clientId: z.string().nullable(),
  windowId: z.string().nullable().optional(),
  clientKind: z.string().nullable(),
  rule: z.string().nullable(),
});

/** Which hunks of a request’s changes are meant: for each of its changes, in their order, the places of its hunks, ascending from 0. */
export const approvedPart = z.array(z.array(z.number().int().nonnegative()).max(500)).min(1).max(50);
export type ApprovedPart = z.infer<typeof approvedPart>;

/** A question to a person that a turn waits for. */
export const approval = z.strictObject({
  approvalId,
  sessionId,
  turnId,
  itemId,
  title: z.string().max(10_000),
  subject: approvalSubject,
  options: z.array(approvalOption).min(1).max(20),
  /** SHA-256 over the subject; an answer must repeat it. */
  actionDigest: digest,
  status: approvalStatus,
  optionId: z.string().nullable(),
  /** All that was approved of an edit, where it was not the whole. Only where every change of the subject states its hunks. */
  part: approvedPart.optional(),
  comment: z.string().nullable(),
  decidedBy: decidedBy.nullable(),
  /** Why it was closed without an answer, e.g. goal_retired, turn_cancelled, executor_restarted. */
  cause: z.string().nullable(),
  expiresAt: timestamp.nullable(),
  createdAt: timestamp,
  decidedAt: timestamp.nullable(),
});
export type Approval = z.infer<typeof approval>;
