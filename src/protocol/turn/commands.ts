import * as z from '../schema.ts';
import { clientTurnId, commandId, itemId, sessionId, turnId, workspacePath } from '../ids.ts';
import { item, revertedFile } from '../item/state.ts';
import { LIMITS } from '../limits.ts';
import { session } from '../session/state.ts';
import { attachment } from './attachment.ts';
import { turn, turnState } from './state.ts';

const text = z.string().min(1).max(LIMITS.promptChars);
const target = { commandId, turnId };
const attachments = z.array(attachment).max(LIMITS.attachments).optional();

export const turnMethods = {
  /** Idempotent by `clientTurnId`. `reject` refuses with turn_in_progress instead of queueing. Attached blobs must be complete before. */
  'turn/submit': {
    kind: 'command',
    params: z.strictObject({ sessionId, clientTurnId, text, mode: z.enum(['queue', 'reject']).optional(), attachments }),
    result: z.strictObject({ created: z.boolean(), turn }),
  },
  /** Names the turn, or the `clientTurnId` of a submit whose answer has not arrived (then `turn` may be null: it is cancelled when it comes). */
  'turn/cancel': {
    kind: 'command',
    params: z.union([z.strictObject(target), z.strictObject({ commandId, sessionId, clientTurnId })]),
    result: z.strictObject({ turn: turn.nullable() }),
  },
  /** Makes a new turn with the same text and attachments, linked by `retryOf`; nothing is run again by itself. */
  'turn/retry': { kind: 'command', params: z.strictObject({ ...target, clientTurnId }), result: z.strictObject({ created: z.boolean(), turn }) },
  /**
   * Says something to the agent while the named turn runs; never becomes a queue entry. `delivered`: it stands in the turn as this item, where
   * the host of a session with `live_steering` reads it. `failed`: the durable receipt of a host that cannot be steered, with its error kind.
   */
  'turn/steer': {
    kind: 'command',
    params: z.strictObject({ commandId, sessionId, turnId, text }),
    result: z.discriminatedUnion('outcome', [
      z.strictObject({ outcome: z.literal('delivered'), itemId }),
      z.strictObject({ outcome: z.literal('failed'), code: z.string(), message: z.string(), next: z.string() }),
    ]),
  },
  /** Turns of one session in their order, or of all sessions of a folder that are not deleted by the time they were queued; the newest where there are too many. */
  'turn/list': {
    kind: 'query',
    params: z.union([z.strictObject({ sessionId, states: z.array(turnState).optional() }), z.strictObject({ workspace: workspacePath, states: z.array(turnState).optional() })]),
    result: z.strictObject({ turns: z.array(turn) }),
  },
  /** One turn. */
  'turn/get': { kind: 'query', params: z.strictObject({ turnId }), result: z.strictObject({ turn }) },
  /**
   * The items of a turn with their full texts, those after place `after`. `next`: read on from there, null when this was all. Places may have
   * gaps. A text of more than half a frame is only begun (`textLength` says so); `item/get` has the rest.
   */
  'turn/replay': {
    kind: 'query',
    params: z.strictObject({ turnId, after: z.number().int().nonnegative().optional() }),
    result: z.strictObject({ rows: z.array(z.strictObject({ seq: z.number().int().nonnegative(), item })), next: z.number().int().nullable() }),
  },
  /**
   * Records what a person took back of the files of a turn that has ended, or brought back of that (`again`); it does not touch them. The notice
   * stands at the end of the transcript as it is now, says who did it, and names the texts by which it can be undone.
   */
  'turn/reverted': {
    kind: 'command',
    params: z.strictObject({ ...target, again: z.boolean(), files: z.array(revertedFile).min(1).max(200) }),
    result: z.strictObject({ item }),
  },
  /** Without `attachments` they stay as they are. */
  'queue/edit': { kind: 'command', params: z.strictObject({ ...target, text, expectedRev: z.number().int().positive(), attachments }), result: z.strictObject({ turn }) },
  /** Takes a waiting message out of the queue; its turn ends as cancelled. */
  'queue/remove': { kind: 'command', params: z.strictObject(target), result: z.strictObject({ turn }) },
  /** All waiting messages in their new order; refused with revision_conflict when others wait than were named. They change their `turnIdx`. */
  'queue/reorder': {
    kind: 'command',
    params: z.strictObject({ commandId, sessionId, turnIds: z.array(turnId).min(1).max(LIMITS.queuePerSession) }),
    result: z.strictObject({ turns: z.array(turn) }),
  },
  /** Nothing more of the queue is handed out until it is resumed. */
  'queue/pause': { kind: 'command', params: z.strictObject({ commandId, sessionId }), result: z.strictObject({ session }) },
  /** Lets a paused queue go on. */
  'queue/resume': { kind: 'command', params: z.strictObject({ commandId, sessionId }), result: z.strictObject({ session }) },
} as const;
