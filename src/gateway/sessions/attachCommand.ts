import type { ParamsOf } from '../../protocol/methods.ts';
import { accessTo, admitted } from '../admission/access.ts';
import { columnOf, decideAdmission } from '../admission/decideAdmission.ts';
import type { AttachCandidate, GoalFacts } from '../admission/facts.ts';
import type { Principal } from '../core.ts';
import { stampOf, type GoalRegistry } from '../goals/goalRegistry.ts';
import type { Handlers } from '../handlers.ts';
import type { Receipts } from '../store/receipts.ts';
import { newSessionRow } from './newSession.ts';
import type { SessionRow, SessionStore } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';

export interface AttachCommandOptions {
  readonly goals: GoalRegistry;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly receipts: Receipts;
}

type AttachParams = ParamsOf<'session/attach'>;

interface Admitted {
  readonly candidate: SessionRow | undefined;
  readonly instanceId: string | null;
  readonly lifetime: number;
}

export function attachCommand(options: AttachCommandOptions): Handlers<'session/attach'> {
  const { sessions, views, receipts } = options;
  return {
    'session/attach': ({ principal }, params) => {
      if (params.preview === true) return preview(options, principal, params);
      return receipts.once(principal, 'session/attach', params, (change) => {
        const { candidate, ...goal } = admit(options, principal, params);
        const { workspace } = params;
        if (candidate !== undefined) return { workspace, result: { created: false, changed: false, session: views.of(candidate) } };
        const row = newSessionRow(change, { ...params, ...goal });
        sessions.insert(change, row);
        if (row.goalInstanceId !== null) options.goals.recordStamped(row);
        return { workspace, result: { created: true, changed: true, session: views.of(row) } };
      });
    },
  };
}

/** Says what an attach would do; reads only. */
function preview(options: AttachCommandOptions, principal: Principal, params: AttachParams) {
  const { candidate } = admit(options, principal, params);
  const session = candidate === undefined ? null : options.views.of(candidate);
  return { created: session === null, changed: session === null, session };
}

function admit({ goals, sessions }: AttachCommandOptions, principal: Principal, params: AttachParams): Admitted {
  const goal = goals.facts(params);
  const candidate = params.channelId === undefined ? undefined : newestCandidate(sessions.resumableOn(params.workspace, params.channelId), params, goal);
  const compared: AttachCandidate = candidate === undefined ? 'none' : sameTuple(candidate, params) ? 'equal' : 'different';
  admitted(decideAdmission({ operation: 'attach', access: accessTo(principal, params.workspace), goal, candidate: compared, mode: params.sessionMode }));
  return {
    candidate,
    instanceId: goal.state === 'live' && goal.profile === 'source_session_v1' ? goal.instanceId : null,
    lifetime: goal.state === 'live' ? goal.lifetime : 0,
  };
}

/** Rows of older lifetimes and without a stamp do not count: they are history. */
function newestCandidate(rows: readonly SessionRow[], { goalId, agentId }: AttachParams, goal: GoalFacts): SessionRow | undefined {
  return rows.find((row) => {
    if (row.goalId !== goalId || row.agentId !== agentId) return false;
    const { at } = columnOf(goal, stampOf(row.goalInstanceId));
    return at === 'current' || at === 'legacy';
  });
}

function sameTuple(row: SessionRow, params: AttachParams): boolean {
  return row.sessionMode === params.sessionMode && row.hostSurface === params.hostSurface
    && row.hostSessionId === params.hostSessionId && row.executorEndpointId === params.executorEndpointId;
}
