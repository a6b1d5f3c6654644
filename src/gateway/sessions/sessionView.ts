import { sessionMode, sessionStatus, type BindingMatch, type Readback, type Session } from '../../protocol/session/state.ts';
import { columnOf } from '../admission/decideAdmission.ts';
import type { GoalFacts } from '../admission/facts.ts';
import type { ApprovalStore } from '../approvals/approvalStore.ts';
import type { Executors } from '../broker/executors.ts';
import { EMPTY_QUEUE, type QueueFacts, type TurnStore } from '../broker/turnStore.ts';
import type { BindingCounts } from '../core.ts';
import { stampOf, type GoalFace, type GoalRegistry } from '../goals/goalRegistry.ts';
import { inList } from './inList.ts';
import { agentOf, capabilitiesOf, permissionModeOf, wantedOf, type OnChannel, type SessionRow, type SessionStore } from './sessionStore.ts';

export interface SessionViewsOptions {
  readonly sessions: SessionStore;
  readonly goals: GoalRegistry;
  readonly turns: TurnStore;
  readonly approvals: ApprovalStore;
  readonly executors: Executors;
}

/** What stands elsewhere and is quoted with a binding. */
interface Around {
  readonly goal: GoalFace;
  readonly queue: QueueFacts;
  readonly pendingApprovals: number;
  /** The newest resumable session on its channel. */
  readonly onChannel: OnChannel | undefined;
}

/** The public face of bindings: what is stored, with what is quoted from the goal, the queue and the executor. */
export class SessionViews {
  readonly #options: SessionViewsOptions;

  constructor(options: SessionViewsOptions) {
    this.#options = options;
  }

  of(row: SessionRow): Session {
    const { sessions, goals, turns, approvals } = this.#options;
    const { sessionId, workspace, channelId } = row;
    return this.#view(row, {
      goal: goals.face(row), queue: turns.queueFacts(sessionId), pendingApprovals: approvals.countPending(sessionId), onChannel: sessions.newestResumableOn(workspace, channelId),
    });
  }

  /** Rows of one folder as they stand in a list. What is quoted with them is read for all of them at once. */
  listed(workspace: string, rows: readonly SessionRow[]): Session[] {
    const { sessions, goals, turns, approvals } = this.#options;
    const ids = rows.map(({ sessionId }) => sessionId);
    const [goalOf, onChannels] = [goals.faces(workspace, rows.map(({ goalId }) => goalId)), sessions.newestResumableOnEach(workspace, rows.map(({ channelId }) => channelId))];
    const [queues, pending] = [turns.queueFactsOf(ids), approvals.countPendingOf(ids)];
    return rows.map((row) => inList(this.#view(row, {
      goal: goalOf(row.goalId), queue: queues.get(row.sessionId) ?? EMPTY_QUEUE, pendingApprovals: pending.get(row.sessionId) ?? 0, onChannel: onChannels.get(row.channelId),
    })));
  }

  #view(row: SessionRow, { goal, queue, pendingApprovals, onChannel }: Around): Session {
    const { sessionId, workspace, goalId, lifetime, agentId, executorEndpointId, hostSurface, channelId, activeTurnId, lastErrorCode, title } = row;
    return {
      sessionId, workspace, goalId, goalTitle: goal.newest?.title ?? '', lifetime, agentId,
      sessionMode: row.sessionMode, executorEndpointId, hostSurface, attachedCapabilities: capabilitiesOf(row), channelId,
      status: sessionStatus.safeParse(row.status).data ?? 'resume_failed', activeTurnId, lastErrorCode, title,
      bindingMatch: bindingMatchOf(goal.facts, row),
      executor: this.#options.executors.fact(sessionId, hostSurface),
      readback: this.#readback(onChannel),
      queue: { paused: row.queuePaused === 1, ...queue },
      pendingApprovals,
      agent: agentOf(row), wanted: wantedOf(row), permissionMode: permissionModeOf(row), pinned: row.pinned === 1, archivedAt: row.archivedAt,
      createdAt: row.createdAt, updatedAt: row.updatedAt, closedAt: row.closedAt,
      ...(row.deletedAt === null ? {} : { deleted: true as const }),
    };
  }

  /** Every channel's readback and every open session's binding, counted as they are shown. */
  counts(): BindingCounts {
    const { sessions, goals } = this.#options;
    const readbacks: BindingCounts['readbacks'] = { session_readback: 0, unbound: 0, unrecognized: 0 };
    const bindings: BindingCounts['bindings'] = { current: 0, goal_instance_mismatch: 0, missing_goal_instance_id: 0, goal_not_registered: 0, invalid: 0 };
    for (const [workspace, channels] of Map.groupBy(sessions.channels(), (channel) => channel.workspace)) {
      const onChannels = sessions.newestResumableOnEach(workspace, channels.map(({ channelId }) => channelId));
      for (const { channelId } of channels) readbacks[this.#readback(onChannels.get(channelId)).sessionModeSource] += 1;
    }
    for (const [workspace, rows] of Map.groupBy(sessions.open(), (row) => row.workspace)) {
      const goalOf = goals.faces(workspace, rows.map(({ goalId }) => goalId));
      for (const row of rows) bindings[bindingMatchOf(goalOf(row.goalId).facts, row)] += 1;
    }
    return { readbacks, bindings };
  }

  /** Quotes the newest resumable session on a channel. */
  readback(workspace: string, channelId: SessionRow['channelId']): Readback {
    return this.#readback(this.#options.sessions.newestResumableOn(workspace, channelId));
  }

  #readback(newest: OnChannel | undefined): Readback {
    if (newest === undefined) return { sessionMode: null, sessionModeSource: 'unbound', sessionStatus: null, available: null };
    const mode = sessionMode.safeParse(newest.sessionMode);
    if (!mode.success) return { sessionMode: null, sessionModeSource: 'unrecognized', sessionStatus: null, available: null };
    return {
      sessionMode: mode.data,
      sessionModeSource: 'session_readback',
      sessionStatus: newest.status === '' ? null : newest.status,
      // Nobody can say anything yet about an executor that the gateway itself would start.
      available: mode.data === 'attached_host' ? this.#options.executors.fact(newest.sessionId, newest.hostSurface).state === 'connected' : null,
    };
  }
}

function bindingMatchOf(goal: GoalFacts, row: SessionRow): BindingMatch {
  const column = columnOf(goal, stampOf(row.goalInstanceId));
  switch (column.at) {
    case 'current':
    case 'legacy':
      return 'current';
    case 'older':
      return 'goal_instance_mismatch';
    case 'unstamped':
      return 'missing_goal_instance_id';
    case 'damaged':
      return 'invalid';
    default:
      return column.code === 'goal_not_registered' || column.code === 'goal_retired' ? 'goal_not_registered' : 'invalid';
  }
}
