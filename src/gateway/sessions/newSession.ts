import type { ChannelId, GoalId, HostSessionId, SessionId } from '../../protocol/ids.ts';
import type { AttachedCapability, SessionMode } from '../../protocol/session/state.ts';
import type { Change } from '../events/change.ts';
import { mintId } from '../mint.ts';
import type { SessionRow } from './sessionStore.ts';

const DEFAULT_TITLE = 'New session';

export interface SessionPlan {
  readonly workspace: string;
  readonly goalId: GoalId;
  readonly instanceId: string | null;
  readonly lifetime: number;
  readonly agentId: string;
  readonly sessionMode: SessionMode;
  readonly executorEndpointId: string;
  readonly hostSurface: string;
  readonly hostSessionId: HostSessionId;
  readonly attachedCapabilities: readonly AttachedCapability[];
  /** Absent: a conversation of its own. */
  readonly channelId?: ChannelId | undefined;
  /** Absent: named after its first message. */
  readonly title?: string | undefined;
}

/** The row of a session that has just been bound and has done nothing yet. */
export function newSessionRow({ now }: Change, plan: SessionPlan): SessionRow {
  const { workspace, goalId, instanceId, lifetime, agentId, sessionMode, executorEndpointId, hostSurface, hostSessionId, title } = plan;
  return {
    sessionId: mintId<SessionId>('ses', now), workspace, goalId, goalInstanceId: instanceId, lifetime,
    agentId, sessionMode, executorEndpointId, hostSurface, hostSessionId, hostRunId: null,
    attachedCapabilities: JSON.stringify([...new Set(plan.attachedCapabilities)]),
    channelId: plan.channelId ?? mintId<ChannelId>('chn', now), status: 'ready', activeTurnId: null, lastErrorCode: null,
    title: title ?? DEFAULT_TITLE, titleSource: title === undefined ? 'default' : 'person', queuePaused: 0,
    agent: '{}', agentSessionId: null, turnCount: 0, createdAt: now, updatedAt: now, closedAt: null, deletedAt: null,
    pinned: 0, archivedAt: null, permissionMode: 'ask', wanted: '[]',
  };
}
