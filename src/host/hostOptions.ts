import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { GatewayCalls } from '../client/gatewayClient.ts';
import type { LineDiff } from '../execution/lineDiff.ts';
import type { ExecutionPlane } from '../execution/plane.ts';
import type { ApprovalKind } from '../protocol/approval/state.ts';
import type { AttacheError } from '../protocol/errors.ts';
import type { HostRunId, HostSessionId, SessionId } from '../protocol/ids.ts';
import type { AgentProcessState } from '../protocol/panel.ts';
import type { AgentLaunch, AgentRuntime } from '../runtime/agent.ts';

/** The way to the gateway, across cut links: a call on a link that is gone rejects with connection_closed. */
export interface HostLink {
  readonly calls: GatewayCalls;
  /** Fires for each new link. */
  readonly onOpened: Event<void>;
}

export type PolicyAnswer = 'ask' | 'allow' | 'deny';

/** What the person has set for each kind of request (`attache.approvals`). Absent: ask. */
export type ApprovalPolicy = { readonly [K in ApprovalKind]?: PolicyAnswer };

/** Compares two texts for display; `before` null: the file is new. */
export type LineDiffer = (before: string | null, after: string) => LineDiff;

export interface AttachedHostOptions {
  readonly sessionId: SessionId;
  /** Canonical real path of the session's folder. */
  readonly folder: string;
  readonly hostSessionId: HostSessionId;
  readonly hostRunId: HostRunId;
  readonly link: HostLink;
  readonly runtime: AgentRuntime;
  /** The bare plane of the session's folder; nothing but this host's guard may use it. */
  readonly plane: ExecutionPlane;
  readonly lineDiff: LineDiffer;
  /** Asked at each start of the agent. */
  readonly launch: () => AgentLaunch | Promise<AgentLaunch>;
  /** Asked at each request. */
  readonly approvals: () => ApprovalPolicy;
  readonly onAgentProcess: (state: AgentProcessState) => void;
  /** The session gets no more work from here: it is closed, stale, or hosted elsewhere. */
  readonly onEnded: (reason: AttacheError) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}
