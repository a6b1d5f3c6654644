import * as z from '../schema.ts';
import { grant, grantPattern } from '../grant/state.ts';
import { approvalId, claimId, commandId, digest, itemKey, sessionId, timestamp, workspacePath } from '../ids.ts';
import { approval, approvalOption, approvalStatus, approvalSubject, approvedPart } from './state.ts';

export const approvalMethods = {
  /**
   * Host only. `itemKey` names the item of this claim that the request belongs to. `auto` is the answer that a setting gives: a refusal is recorded at
   * once, a permission unless the session's permission mode asks or refuses. `byRule`: the permission mode and grants may allow it; without it a person is asked.
   */
  'approval/request': {
    kind: 'host',
    params: z.strictObject({
      commandId,
      sessionId,
      claimId,
      itemKey: itemKey.optional(),
      title: z.string().max(10_000),
      subject: approvalSubject,
      options: z.array(approvalOption).min(1).max(20),
      actionDigest: digest,
      expiresAt: timestamp.optional(),
      auto: z.strictObject({ optionId: z.string().max(500), rule: z.string().max(200) }).optional(),
      byRule: z.boolean().optional(),
    }),
    result: z.strictObject({ approval }),
  },
  /** Host only: the agent withdrew its request. */
  'approval/withdraw': { kind: 'host', params: z.strictObject({ commandId, sessionId, claimId, approvalId }), result: z.strictObject({ approval }) },
  /**
   * First commit wins. `already`: the same answer was recorded before. `remember` makes a grant of a permission (an option of kind `allow_*`) in the
   * same step: its pattern must cover what is asked, else nothing is answered. A rule in force that says the same is given back instead.
   * `part` approves only these hunks of an edit that states its hunks, with an option of kind `allow_once`: the executor writes just these.
   */
  'approval/decide': {
    kind: 'command',
    params: z.strictObject({
      commandId,
      approvalId,
      optionId: z.string().min(1).max(500),
      actionDigest: digest,
      comment: z.string().max(20_000).optional(),
      part: approvedPart.optional(),
      remember: z.strictObject({ scope: z.enum(['session', 'workspace']), pattern: grantPattern }).optional(),
    }),
    result: z.strictObject({ outcome: z.enum(['decided', 'already']), approval, grant: grant.optional() }),
  },
  /** The requests of a folder or session, oldest first: the newest that fit, of those older than `before`. `next`: read on with that as `before`; absent when this was all. */
  'approval/list': {
    kind: 'query',
    params: z.strictObject({ workspace: workspacePath, sessionId: sessionId.optional(), status: approvalStatus.optional(), before: approvalId.optional() }),
    result: z.strictObject({ approvals: z.array(approval), next: approvalId.optional() }),
  },
  /** One request as it stands now. */
  'approval/get': { kind: 'query', params: z.strictObject({ approvalId }), result: z.strictObject({ approval }) },
} as const;
