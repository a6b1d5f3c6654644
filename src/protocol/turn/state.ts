import * as z from '../schema.ts';
import { clientTurnId, itemId, sessionId, timestamp, turnId } from '../ids.ts';
import { attachment } from './attachment.ts';

export { hasEnded, isActive, type EndedTurnState } from './phase.ts';

/** queued, running, waiting (for an answer), cancelling and completing are live; the others are ends. */
export const turnState = z.enum(['queued', 'running', 'waiting', 'cancelling', 'completing', 'completed', 'failed', 'cancelled', 'interrupted', 'expired']);
export type TurnState = z.infer<typeof turnState>;

/** Tokens and cost as the agent reports them; absent where it does not. */
export const usage = z.strictObject({
  inputTokens: z.number().nonnegative().optional(),
  outputTokens: z.number().nonnegative().optional(),
  totalTokens: z.number().nonnegative().optional(),
  costUsd: z.number().nonnegative().optional(),
});
export type Usage = z.infer<typeof usage>;

/** Through which kind of client the message came. */
export const turnOrigin = z.enum(['vscode', 'cli', 'lsp', 'retry']);

/** One message of a person and everything the agent did for it. `text` is the prompt; `turnIdx` counts from 1 within the session. */
export const turn = z.strictObject({
  turnId,
  sessionId,
  turnIdx: z.number().int().positive(),
  clientTurnId,
  state: turnState,
  origin: turnOrigin,
  text: z.string(),
  /** Absent: none. */
  attachments: z.array(attachment).optional(),
  userItemId: itemId,
  retryOf: turnId.nullable(),
  stopReason: z.string().nullable(),
  /** Error kind of a turn that failed, expired or was interrupted. */
  cause: z.string().nullable(),
  /** One sentence for people about how it ended, where there is more to say than the state. */
  detail: z.string().nullable(),
  usage: usage.nullable(),
  rev: z.number().int().positive(),
  queuedAt: timestamp,
  startedAt: timestamp.nullable(),
  endedAt: timestamp.nullable(),
});
export type Turn = z.infer<typeof turn>;
