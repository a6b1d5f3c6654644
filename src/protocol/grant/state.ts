import * as z from '../schema.ts';
import { approvalId, grantId, sessionId, timestamp, workspacePath } from '../ids.ts';

/** What a rule allows, stated exactly. Nothing is matched by resemblance: what a pattern does not say is asked about. */
export const grantPattern = z.discriminatedUnion('kind', [
  /**
   * The words of one simple command, run in just this folder, with no variable changed. `prefix`: more words may follow. A chained, substituted,
   * redirected or multi-line command has no such words and is always asked about.
   */
  z.strictObject({
    kind: z.literal('command'),
    match: z.enum(['exact', 'prefix']),
    argv: z.array(z.string().max(8192)).min(1).max(200),
    cwd: z.string().min(1).max(4096),
  }),
  /** One file, or every file below a folder, by absolute path. Never a protected path, one outside of the workspace, or one behind a link. */
  z.strictObject({ kind: z.literal('edit'), match: z.enum(['file', 'folder']), path: z.string().min(1).max(4096) }),
  /** A tool of the agent by its kind and exact title. Never one that runs commands or changes files in ways that cannot be read. */
  z.strictObject({ kind: z.literal('tool'), toolKind: z.string().max(100), title: z.string().min(1).max(10_000) }),
]);
export type GrantPattern = z.infer<typeof grantPattern>;

/**
 * “Always allow”: a rule that a person made while answering a request. It counts for one agent in one workspace folder, in one session only where
 * `sessionId` is set, in trusted folders only, until it is revoked.
 */
export const grant = z.strictObject({
  grantId,
  workspace: workspacePath,
  agentId: z.string(),
  sessionId: sessionId.nullable(),
  pattern: grantPattern,
  createdAt: timestamp,
  createdBy: z.strictObject({ clientId: z.string(), windowId: z.string(), clientKind: z.string() }),
  /** The request that was being answered. */
  approvalId,
  /** How many requests it has answered. Counted without an event of its own: each answer names the grant. */
  uses: z.number().int().nonnegative(),
  lastUsedAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
});
export type Grant = z.infer<typeof grant>;
