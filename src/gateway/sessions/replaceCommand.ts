import { AttacheError } from '../../protocol/errors.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import { isActive } from '../../protocol/turn/phase.ts';
import { requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { ExecutorFacts } from '../admission/facts.ts';
import type { Executors } from '../broker/executors.ts';
import type { Leases } from '../broker/leases.ts';
import type { TurnStore } from '../broker/turnStore.ts';
import { isQuarantined } from '../broker/quarantine.ts';
import type { WaitingClaims } from '../broker/waitingClaims.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { Handlers } from '../handlers.ts';
import type { ItemStore } from '../items/itemStore.ts';
import type { Receipts } from '../store/receipts.ts';
import { requireNoRival } from './rivals.ts';
import { sessionFacts, type SessionRow, type SessionStore } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';
import { TAKEN_OVER, takeOverNotice } from './takeOverNotice.ts';

export interface ReplaceCommandOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly goals: GoalRegistry;
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly executors: Executors;
  readonly leases: Leases;
  readonly waiting: WaitingClaims;
}

type Params = ParamsOf<'session/replaceExecutor'>;

/** Another window takes a session over, openly and with a receipt. What the old one still says is refused from then on. */
export function replaceCommand(options: ReplaceCommandOptions): Handlers<'session/replaceExecutor'> {
  const { receipts, sessions, views } = options;
  return {
    'session/replaceExecutor': ({ principal }, params) => receipts.once(principal, 'session/replaceExecutor', params, (change) => {
      const session = requireVisible(principal, sessions.find(params.sessionId));
      admit(options, principal, session);
      const { workspace } = session;
      if (isBoundTo(session, params)) return { workspace, result: { replaced: false, session: views.of(session) } };
      return { workspace, result: { replaced: true, session: views.of(replace(options, change, session, params)) } };
    }),
  };
}

function admit({ goals, turns, executors, leases }: ReplaceCommandOptions, principal: Principal, session: SessionRow): void {
  const decision = decideAdmission({
    operation: 'replace_executor', session: sessionFacts(principal, session), goal: goals.facts(session),
    executor: executorFacts(turns, executors, session), canHost: principal.kind === 'editor',
  });
  if (!('reject' in decision)) return;
  throw new AttacheError(decision.reject, decision.reject === 'executor_in_grace' ? { retryAfterMs: Math.max(0, leases.leftMs(session.sessionId)) } : {});
}

/** A result that was reserved finishes by itself and holds nobody up. */
function executorFacts(turns: TurnStore, executors: Executors, session: SessionRow): ExecutorFacts {
  const turn = session.activeTurnId === null ? undefined : turns.find(session.activeTurnId);
  if (turn === undefined || !isActive(turn.state) || turn.state === 'completing') return 'free';
  return executors.fact(session.sessionId, session.hostSurface).state === 'connected' ? 'alive' : 'in_grace';
}

const isBoundTo = (session: SessionRow, { hostSessionId, hostSurface, executorEndpointId }: Params): boolean =>
  session.hostSessionId === hostSessionId && session.hostSurface === hostSurface && session.executorEndpointId === executorEndpointId;

function replace(options: ReplaceCommandOptions, change: Change, session: SessionRow, params: Params): SessionRow {
  const { sessions, executors, waiting } = options;
  const { hostSessionId, hostSurface, executorEndpointId, attachedCapabilities } = params;
  if (session.status !== 'busy') requireNoRival(sessions, session);
  executors.drop(change, session.sessionId);
  const isTold = leaveNotice(options, change, session);
  change.after(() => waiting.end(session.sessionId, new AttacheError('executor_replaced')));
  return sessions.patch(change, session, {
    hostSessionId, hostSurface, executorEndpointId, hostRunId: null, attachedCapabilities: JSON.stringify([...new Set(attachedCapabilities)]),
    // Another agent knows nothing of this one's conversation.
    agentSessionId: executorEndpointId === session.executorEndpointId ? session.agentSessionId : null,
    ...(session.status === 'busy' ? {} : { status: 'ready', lastErrorCode: isTold ? null : TAKEN_OVER }),
    // Whoever takes it over tries again.
    ...(isQuarantined(session) ? { queuePaused: 0 } : {}),
  });
}

/** Every item belongs to a turn: the newest that was worked on. False without any: then the session itself tells it, and its first turn after that. */
function leaveNotice({ turns, items }: ReplaceCommandOptions, change: Change, session: SessionRow): boolean {
  const turn = turns.newestWorkedOn(session.sessionId);
  if (turn !== undefined) items.insertOwn(change, turn, takeOverNotice(change));
  return turn !== undefined;
}
