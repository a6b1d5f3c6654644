import * as z from '../schema.ts';
import { channelId, commandId, goalId, hostSessionId, itemId, sessionId, timestamp, turnId, workspacePath } from '../ids.ts';
import { sessionPage, sessionSnapshot } from '../subscription/state.ts';
import { agentChoice, attachedCapability, permissionMode, readback, session, sessionMode, sessionStatus } from './state.ts';

/** Binds a conversation to the window that is to run it. */
export const attachParams = z.strictObject({
  commandId,
  workspace: workspacePath,
  goalId,
  agentId: z.string().min(1).max(200),
  /** Absent: a new conversation, the gateway mints the channel. */
  channelId: channelId.optional(),
  sessionMode,
  hostSurface: z.literal('vscode'),
  hostSessionId,
  executorEndpointId: z.string().min(1).max(200),
  attachedCapabilities: z.array(attachedCapability).max(5),
  title: z.string().trim().min(1).max(500).optional(),
  /** Reports what would happen and writes nothing. */
  preview: z.boolean().optional(),
});
export type AttachParams = z.infer<typeof attachParams>;

/** The window that is to run a session. */
const newHost = {
  hostSessionId,
  hostSurface: z.literal('vscode'),
  executorEndpointId: z.string().min(1).max(200),
  attachedCapabilities: z.array(attachedCapability).max(5),
};
const target = { commandId, sessionId };
const result = z.strictObject({ session });
/** Opaque place in a list; give it back to read on. */
export const cursor = z.string().max(500);

/** Where a search found its words. `ranges` are places within `excerpt`, in UTF-16 code units; a title has neither turn nor item. */
export const searchHit = z.strictObject({
  sessionId,
  turnId: turnId.nullable(),
  itemId: itemId.nullable(),
  kind: z.enum(['session_title', 'user_message', 'agent_message', 'tool_call', 'edit', 'command']),
  at: timestamp,
  excerpt: z.string(),
  ranges: z.array(z.strictObject({ start: z.number().int().nonnegative(), end: z.number().int().nonnegative() })),
});
export type SearchHit = z.infer<typeof searchHit>;

export const sessionMethods = {
  /** `created: false` when the same tuple was attached before. With `preview` the session is null when one would be created. */
  'session/attach': {
    kind: 'command',
    params: attachParams,
    result: z.strictObject({ created: z.boolean(), changed: z.boolean(), session: session.nullable() }),
  },
  /** Brings a stale session back for work; on one that is ready or busy it changes nothing. */
  'session/resume': { kind: 'command', params: z.strictObject(target), result },
  /** Gives the session another title. */
  'session/rename': { kind: 'command', params: z.strictObject({ ...target, title: z.string().trim().min(1).max(500) }), result },
  /**
   * Take-over: binds the session to another window, which then registers. Refused as executor_alive while a live host works on a turn, as
   * executor_in_grace (with `retryAfterMs`) while one that is cut off may come back. Leaves a notice in the transcript; `replaced` is false
   * when the session is bound like this already.
   */
  'session/replaceExecutor': {
    kind: 'command',
    params: z.strictObject({ ...target, ...newHost }),
    result: z.strictObject({ replaced: z.boolean(), session }),
  },
  /**
   * A new conversation of the same goal and agent. `context` is what was said up to the turn, for the person to carry over or not: the agent
   * itself remembers nothing of it.
   */
  'session/fork': {
    kind: 'command',
    params: z.strictObject({ commandId, turnId, ...newHost, title: z.string().trim().min(1).max(500).optional() }),
    result: z.strictObject({ session, context: z.string() }),
  },
  /** Closes the session, under the rules of closing, and hides it. It can be fetched back as it was for seven days, then it is gone. */
  'session/delete': { kind: 'command', params: z.strictObject(target), result: z.strictObject({ session, restorableUntil: timestamp }) },
  /** Fetches a deleted session back: closed when it was closed; else stale, until a window runs it again. It stays closed where its channel has got another session. */
  'session/undelete': { kind: 'command', params: z.strictObject(target), result },
  /**
   * Chooses among what the agent offers, and sets the permission mode. The mode holds at once; a choice stands in `wanted` until the agent has
   * reported it, or its host that the agent does not take it. All of it, or nothing: refused as agent_option_unknown, agent_option_value_unknown.
   */
  'session/configure': {
    kind: 'command',
    params: z.strictObject({ ...target, changes: z.strictObject({ options: z.array(agentChoice).min(1).max(50).optional(), permissionMode: permissionMode.optional() }) }),
    result,
  },
  /** Keeps the session at the top of lists, or lets it go. */
  'session/pin': { kind: 'command', params: z.strictObject({ ...target, pinned: z.boolean() }), result },
  /** Refused, as closing is, while something runs or waits: an archived session never hides a request. */
  'session/archive': { kind: 'command', params: z.strictObject({ ...target, archived: z.boolean() }), result },
  /** Ends the session for good; its transcript stays. Refused while a turn runs or messages wait. */
  'session/close': { kind: 'command', params: z.strictObject(target), result },
  /** The sessions of a folder, newest activity first, a page at a time. */
  'session/list': {
    kind: 'query',
    params: z.strictObject({
      workspace: workspacePath,
      goalId: goalId.optional(),
      /** Only sessions in one of these states. */
      status: z.array(sessionStatus).min(1).max(10).optional(),
      includeClosed: z.boolean().optional(),
      /** Absent: without archived ones. */
      archived: z.enum(['exclude', 'include', 'only']).optional(),
      pinned: z.boolean().optional(),
      /** Only those that were deleted and can still be fetched back, whatever they were before. */
      deleted: z.literal(true).optional(),
      cursor: cursor.optional(),
      limit: z.number().int().min(1).max(200).optional(),
    }),
    /** Newest activity first, pinned or not; neither pinning nor archiving counts as activity. What the agents offer (`agent.options`, `agent.commands`) is left out; `session/get` has it. */
    result: z.strictObject({ sessions: z.array(session), next: cursor.nullable() }),
  },
  /** Everything a client shows of one session. */
  'session/get': { kind: 'query', params: z.strictObject({ sessionId }), result: z.strictObject({ snapshot: sessionSnapshot }) },
  /** An older page of the transcript. */
  'session/history': {
    kind: 'query',
    /** Turns older than `before` (a turnIdx), newest first page; without it the newest. With `beforeItem` also the items of turn `before` whose idx is lower. */
    params: z.strictObject({
      sessionId,
      before: z.number().int().positive().optional(),
      beforeItem: z.number().int().nonnegative().optional(),
      limit: z.number().int().min(1).max(50).optional(),
    }),
    result: z.strictObject({ page: sessionPage }),
  },
  /**
   * Sessions whose title, and items (messages of either side, tool titles, commands, file paths) in which all the words occur, whatever their case; hits
   * in titles come first, then the newest. Works in slices for a bounded while: `next` leads on where more is to be looked at, also when no hit came.
   * Archived and closed sessions are searched, deleted ones never.
   */
  'session/search': {
    kind: 'query',
    params: z.strictObject({ workspace: workspacePath, text: z.string().max(500), limit: z.number().int().min(1).max(200).optional(), cursor: cursor.optional() }),
    /** `sessions`: those of the hits, as `session/list` gives them. */
    result: z.strictObject({ hits: z.array(searchHit), sessions: z.array(session), next: cursor.nullable() }),
  },
  /** How a channel is bound, quoted from its newest resumable session. */
  'channel/readback': { kind: 'query', params: z.strictObject({ workspace: workspacePath, channelId }), result: z.strictObject({ readback }) },
} as const;
