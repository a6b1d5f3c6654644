import * as z from '../schema.ts';
import { approvalId, claimId, completionId, digest, hostRunId, hostSessionId, itemId, itemKey, sessionId, turnId } from '../ids.ts';
import { itemData, itemState } from '../item/state.ts';
import { agentChoice, agentState, session } from '../session/state.ts';
import { turn, turnState, usage } from '../turn/state.ts';

/** One thing the executor saw or did. A batch is stored whole or not at all. */
export const reportOp = z.discriminatedUnion('op', [
  /** `state` other than started ends the item at once. `parent` is the itemKey it belongs under. */
  z.strictObject({ op: z.literal('item.start'), itemKey, data: itemData, text: z.string().optional(), state: itemState.optional(), parent: itemKey.optional() }),
  z.strictObject({ op: z.literal('item.delta'), itemKey, text: z.string().min(1) }),
  /** Replaces `data` (same kind) and, when given, the whole text. */
  z.strictObject({ op: z.literal('item.update'), itemKey, data: itemData.optional(), text: z.string().optional() }),
  z.strictObject({ op: z.literal('item.end'), itemKey, state: itemState.exclude(['started']), data: itemData.optional(), text: z.string().optional() }),
  /** The intent record: refused with approval_required unless the named approval is approved for this digest and the turn still goes on. */
  z.strictObject({ op: z.literal('effect.begin'), itemKey, approvalId, actionDigest: digest }),
  z.strictObject({ op: z.literal('effect.end'), itemKey }),
  /** What the agent says about itself; `agentSessionId` is its own id of the conversation, kept private for resuming. */
  z.strictObject({ op: z.literal('session.agent'), agent: agentState.partial().optional(), agentSessionId: z.string().max(2000).optional(), title: z.string().trim().min(1).max(500).optional() }),
  z.strictObject({ op: z.literal('turn.usage'), usage }),
]);
export type ReportOp = z.infer<typeof reportOp>;

/** How the executor says a turn ended. `message` is the answer: a text of its own, or the item that was streamed. */
export const turnResult = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('completed'),
    stopReason: z.string().max(200),
    message: z.union([z.strictObject({ text: z.string() }), z.strictObject({ itemKey })]),
  }),
  z.strictObject({ outcome: z.literal('failed'), code: z.string().max(200), message: z.string().max(20_000), next: z.string().max(2000), stopReason: z.string().max(200).optional() }),
  /** `detail` says what was stopped and what was not. */
  z.strictObject({ outcome: z.literal('cancelled'), detail: z.string().max(20_000).optional() }),
]);
export type TurnResult = z.infer<typeof turnResult>;

const claimed = z.strictObject({
  claimed: z.literal(true),
  turn,
  claimId,
  /** The number the next report must carry. */
  nextReportSeq: z.number().int().positive(),
  leaseMs: z.number().int(),
});

const seq = z.number().int().positive();
const target = { sessionId, hostRunId };

/** Only the bound host of a session may call these, after `host/register` on the same connection. */
export const hostMethods = {
  /** Binds this runtime process to the session's host identity. A new hostRunId ends the turn of its predecessor. */
  'host/register': {
    kind: 'host',
    params: z.strictObject({ ...target, hostSessionId, hostSurface: z.literal('vscode') }),
    result: z.strictObject({
      session,
      objective: z.string(),
      /** The agent's own id of this conversation, to load or resume it. */
      agentSessionId: z.string().nullable(),
      /** A turn this same run still holds. */
      active: claimed.nullable(),
      /** What this gateway takes beyond the first form of version 1, by name; absent: nothing. `approval_part`: edits that state their hunks. `act_marks`: who asks, acts that were not asked about, commands that wait for input. `pictures`: those that the agent sent, in its messages and tool calls. */
      features: z.array(z.string()).optional(),
    }),
  },
  /** Ends the registration of this run politely (window closing, session handed back); its active turn ends as executor_restarted would. */
  'host/unregister': { kind: 'host', params: z.strictObject(target), result: z.strictObject({}) },
  /** Waits up to `waitSeconds` (0..1800) for a turn. Repeats of an active claimId return the same turn. */
  'host/claim': {
    kind: 'host',
    params: z.strictObject({ ...target, claimId, waitSeconds: z.number() }),
    result: z.union([z.strictObject({ claimed: z.literal(false) }), claimed]),
  },
  /** Says that the host lives: the lease of its turn starts anew. */
  'host/renew': { kind: 'host', params: z.strictObject(target), result: z.strictObject({ leaseMs: z.number().int(), turnState: turnState.nullable() }) },
  /** `reportSeq` counts 1, 2, 3 … per claim. `items` gives the ids of items started by this batch. */
  'host/report': {
    kind: 'host',
    params: z.strictObject({ ...target, claimId, reportSeq: seq, ops: z.array(reportOp).min(1).max(1000) }),
    result: z.strictObject({ reportSeq: seq, turnState, items: z.array(z.strictObject({ itemKey, itemId })) }),
  },
  /** The agent's state outside a turn (its process started, modes changed while idle). `declined`: choices of `wanted` that it did not take. */
  'host/agent': {
    kind: 'host',
    params: z.strictObject({
      ...target,
      agent: agentState.partial().optional(),
      agentSessionId: z.string().max(2000).optional(),
      declined: z.array(agentChoice).max(50).optional(),
    }),
    result: z.strictObject({ session }),
  },
  /** Ends the turn with its result. The same completionId gives the stored answer. */
  'host/complete': {
    kind: 'host',
    params: z.strictObject({ ...target, turnId, claimId, completionId, lastReportSeq: z.number().int().nonnegative(), result: turnResult, usage: usage.optional() }),
    result: z.strictObject({ created: z.boolean(), turn }),
  },
} as const;
