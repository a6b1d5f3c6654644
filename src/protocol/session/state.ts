import * as z from '../schema.ts';
import { channelId, goalId, sessionId, timestamp, turnId, workspacePath } from '../ids.ts';

/** Who runs the agent: the gateway, or the window that attached. Chosen when the session is bound, never changed implicitly. */
export const sessionMode = z.enum(['managed_runtime', 'attached_host']);
export type SessionMode = z.infer<typeof sessionMode>;

/** What the host of a session can do. */
export const attachedCapability = z.enum(['live_steering', 'session_queue', 'claim_wait', 'reply_readback', 'interrupt']);
export type AttachedCapability = z.infer<typeof attachedCapability>;

/** ready, busy and stale take messages; stale: nobody is there to run them; closed: nothing more happens. */
export const sessionStatus = z.enum(['ready', 'busy', 'stale', 'resuming', 'resume_failed', 'closed']);

/** How the session stands to the goal it was bound to. */
export const bindingMatch = z.enum(['current', 'goal_instance_mismatch', 'missing_goal_instance_id', 'goal_not_registered', 'invalid']);
export type BindingMatch = z.infer<typeof bindingMatch>;

/** Who would run the next turn. `windowId` is the editor window that hosts the session, null when none is connected. */
export const executor = z.strictObject({
  state: z.enum(['connected', 'disconnected', 'none']),
  windowId: z.string().nullable(),
  surface: z.string(),
});
export type Executor = z.infer<typeof executor>;

/** The channel's mode, quoted from the newest resumable session on it, never derived. `available`: null makes no claim. */
export const readback = z.strictObject({
  sessionMode: sessionMode.nullable(),
  sessionModeSource: z.enum(['session_readback', 'unbound', 'unrecognized']),
  sessionStatus: z.string().nullable(),
  available: z.boolean().nullable(),
});
export type Readback = z.infer<typeof readback>;

/** A mode, model or other choice the agent offers, in its own words. */
export const agentOption = z.strictObject({
  id: z.string().max(500),
  name: z.string().max(500),
  category: z.string().max(100),
  value: z.string().max(500),
  choices: z.array(z.strictObject({ value: z.string().max(500), name: z.string().max(500), description: z.string().max(2000).optional() })).max(200),
});
export type AgentOption = z.infer<typeof agentOption>;

/** A slash command that the agent offers. */
export const agentCommand = z.strictObject({ name: z.string().max(200), description: z.string().max(2000), hint: z.string().max(500).optional() });
export type AgentCommand = z.infer<typeof agentCommand>;

/** What an agent takes besides text and the names of files, as it declares it: pictures; the content of files. */
export const promptCapabilities = z.strictObject({ image: z.boolean(), embeddedContext: z.boolean() });
export type PromptCapabilities = z.infer<typeof promptCapabilities>;

/** What the agent has said about itself, for display only. */
export const agentState = z.strictObject({
  name: z.string().max(500).nullable(),
  version: z.string().max(200).nullable(),
  options: z.array(agentOption).max(50),
  commands: z.array(agentCommand).max(500),
  /** Tokens in the context and its size, when the agent reports them. */
  contextUsed: z.number().nonnegative().nullable(),
  contextSize: z.number().nonnegative().nullable(),
  /** Absent: it has not been started yet. */
  prompts: promptCapabilities.optional(),
});
export type AgentState = z.infer<typeof agentState>;

/** One choice among what the agent offers (`agent.options`). */
export const agentChoice = z.strictObject({ id: z.string().max(500), value: z.string().max(500) });
export type AgentChoice = z.infer<typeof agentChoice>;

/**
 * What the rules may answer in a session. `ask`: what settings and grants say, else a person. `askAlways`: a person, whatever is allowed elsewhere.
 * `acceptEdits`: as `ask`, and edits inside of the folder are allowed, protected paths excepted. `readOnly`: edits, commands and tools that may change
 * something are refused. A new session begins with `ask`; nothing but `session/configure` changes it.
 */
export const permissionMode = z.enum(['ask', 'askAlways', 'acceptEdits', 'readOnly']);
export type PermissionMode = z.infer<typeof permissionMode>;

/** The public face of a binding. */
export const session = z.strictObject({
  sessionId,
  workspace: workspacePath,
  goalId,
  goalTitle: z.string(),
  lifetime: z.number().int().nonnegative(),
  agentId: z.string(),
  sessionMode: z.string(),
  executorEndpointId: z.string(),
  hostSurface: z.string(),
  attachedCapabilities: z.array(z.string()),
  channelId,
  status: sessionStatus,
  activeTurnId: turnId.nullable(),
  lastErrorCode: z.string().nullable(),
  title: z.string(),
  bindingMatch,
  executor,
  readback,
  queue: z.strictObject({ paused: z.boolean(), pending: z.number().int().nonnegative(), oldestAt: timestamp.nullable() }),
  pendingApprovals: z.number().int().nonnegative(),
  agent: agentState,
  /** Choices that were asked for and that the agent has not reported yet. The host carries them out; one that the agent does not take vanishes. */
  wanted: z.array(agentChoice),
  permissionMode,
  pinned: z.boolean(),
  /** Set: left out of lists. Nothing runs or waits in an archived session; its next message brings it back. */
  archivedAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  closedAt: timestamp.nullable(),
  /** Set: hidden from everybody; until it is gone for good it can be fetched back. Only the event that tells of it carries this. */
  deleted: z.literal(true).optional(),
});
export type Session = z.infer<typeof session>;
