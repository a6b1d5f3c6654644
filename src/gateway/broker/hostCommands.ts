import { AttacheError } from '../../protocol/errors.ts';
import type { ParamsOf, ResultOf } from '../../protocol/methods.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { isActive } from '../../protocol/turn/phase.ts';
import { FEATURES } from '../../protocol/version.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { HostFacts } from '../admission/facts.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { Changes } from '../events/changes.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { Handlers } from '../handlers.ts';
import { mergeAgent } from '../sessions/agentState.ts';
import { sessionFacts, type SessionRow, type SessionStore } from '../sessions/sessionStore.ts';
import type { SessionViews } from '../sessions/sessionView.ts';
import { claimedAnswer } from './claimedAnswer.ts';
import type { Executors } from './executors.ts';
import type { HostGate } from './hostGate.ts';
import type { Leases } from './leases.ts';
import { WINDOW_CLOSED } from './quarantine.ts';
import type { TurnEnds } from './turnEnds.ts';
import type { TurnRow, TurnStore } from './turnStore.ts';
import type { WaitingClaims } from './waitingClaims.ts';

export interface HostCommandsOptions {
  readonly changes: Changes;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly turns: TurnStore;
  readonly turnEnds: TurnEnds;
  readonly goals: GoalRegistry;
  readonly executors: Executors;
  readonly leases: Leases;
  readonly waiting: WaitingClaims;
  readonly hostGate: HostGate;
}

export function hostCommands(options: HostCommandsOptions): Handlers<'host/register' | 'host/unregister' | 'host/renew' | 'host/agent'> {
  const { changes, sessions, views, turns, executors, waiting, hostGate } = options;
  return {
    'host/register': ({ principal }, params) =>
      changes.commit({ clientId: principal.clientId }, 'lifecycle', (change) => register(options, change, principal, params)),

    'host/unregister': ({ principal }, params) => changes.commit({ clientId: principal.clientId }, 'lifecycle', (change) => {
      const { session } = hostGate.enter(principal, params);
      executors.drop(change, session.sessionId);
      endPredecessor(options, change, session, true);
      change.touch(session.sessionId);
      change.after(() => waiting.end(session.sessionId, new AttacheError('attached_session_host_mismatch')));
      return {};
    }),

    'host/renew': ({ principal }, params) => {
      const { session } = hostGate.enter(principal, params);
      return { leaseMs: LIMITS.leaseMs, turnState: activeTurn(turns, session)?.state ?? null };
    },

    'host/agent': ({ principal }, params) => changes.commit({ clientId: principal.clientId }, 'stream', (change) => {
      const { session, host } = hostGate.enter(principal, params);
      admitted(decideAdmission({ operation: 'register', session: sessionFacts(principal, session), host }));
      return { session: views.of(sessions.patch(change, session, mergeAgent(session, params))) };
    }),
  };
}

/** A run binds itself to its session: the same one goes on where it was, a new one ends what its predecessor held. */
function register(options: HostCommandsOptions, change: Change, principal: Principal, params: ParamsOf<'host/register'>): ResultOf<'host/register'> {
  const { sessions, views, turns, executors, waiting, leases } = options;
  const { sessionId, hostRunId } = params;
  const before = requireVisible(principal, sessions.find(sessionId));
  const host = hostIdentity(principal, before, params);
  admitted(decideAdmission({ operation: 'register', session: sessionFacts(principal, before), host }));
  refuseRival(options, before, params);

  executors.set(change, sessionId, { hostRunId, windowId: principal.windowId, connectionId: principal.connectionId, expired: false });
  const ended = before.hostRunId === hostRunId ? before : endPredecessor(options, change, before, false);
  const session = sessions.patch(change, ended, { hostRunId, status: ended.status === 'stale' ? 'ready' : ended.status });
  leases.heard(sessionId);
  change.after(() => {
    waiting.endWhere((claim) => claim.sessionId === sessionId && claim.connectionId !== principal.connectionId, new AttacheError('claim_superseded'));
    if (session.activeTurnId !== null) leases.watch(sessionId);
    waiting.wake(sessionId);
  });
  const turn = activeTurn(turns, session);
  return {
    session: views.of(session),
    objective: objectiveOf(options.goals, session),
    agentSessionId: session.agentSessionId,
    active: turn === undefined || turn.claimId === null ? null : claimedAnswer(turns, turn),
    features: [...FEATURES],
  };
}

/** Who may register is known by the private identity of the conversation, and by nothing else. */
function hostIdentity(principal: Principal, session: SessionRow, params: ParamsOf<'host/register'>): HostFacts {
  const same = session.hostSessionId === params.hostSessionId && session.hostSurface === params.hostSurface;
  return principal.kind === 'editor' && same ? 'bound' : 'other';
}

/** Two live windows with one identity: the second is a copy of the first. */
function refuseRival({ executors }: HostCommandsOptions, session: SessionRow, { hostRunId }: ParamsOf<'host/register'>): void {
  const rival = executors.find(session.sessionId);
  const alive = rival !== undefined && rival.hostRunId !== hostRunId && rival.connectionId !== null && !rival.expired;
  if (alive) throw new AttacheError('host_session_in_use');
}

/** Ends the turn of a run that will not come back. A turn past its point of no return finishes by itself. */
function endPredecessor({ sessions, turns, turnEnds }: HostCommandsOptions, change: Change, session: SessionRow, executorGone: boolean): SessionRow {
  const turn = activeTurn(turns, session);
  if (turn === undefined || turn.state === 'completing') return session;
  turnEnds.end(change, turn, { state: 'interrupted', cause: 'executor_restarted', ...(executorGone ? { executorGone, stopReason: WINDOW_CLOSED } : {}) });
  return sessions.get(session.sessionId);
}

function activeTurn(turns: TurnStore, session: SessionRow): TurnRow | undefined {
  const turn = session.activeTurnId === null ? undefined : turns.find(session.activeTurnId);
  return turn !== undefined && isActive(turn.state) ? turn : undefined;
}

function objectiveOf(goals: GoalRegistry, session: SessionRow): string {
  const goal = goals.shown(session);
  return goal !== undefined && goal.lifetime === session.lifetime ? goal.objective : '';
}
