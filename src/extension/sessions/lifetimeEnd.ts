import { t } from '../../base/l10n.ts';
import { everySession } from '../../client/everySession.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import type { Session } from '../../protocol/session/state.ts';

/** What the end of a goal's lifetime does, in numbers: to the sessions of every window, as the gateway has them now. */
export interface LifetimeEnd {
  readonly sessions: number;
  readonly queued: number;
  readonly requests: number;
  readonly running: number;
}

/** Asks the gateway, not this window's own list, which may leave out the oldest. Reads only. */
export async function lifetimeEnd(calls: GatewayCalls, { workspace, goalId, lifetime, state }: Goal): Promise<LifetimeEnd> {
  const end = { sessions: 0, queued: 0, requests: 0, running: 0 };
  if (state !== 'live') return end;
  for (const session of await everySession(calls, { workspace, goalId, archived: 'include' })) if (session.lifetime === lifetime && isBound(session)) add(end, session);
  return end;
}

/** Rows without a lifetime have been history all along. */
const isBound = ({ status, bindingMatch }: Session): boolean => status !== 'closed' && bindingMatch !== 'missing_goal_instance_id';

function add(end: { -readonly [K in keyof LifetimeEnd]: number }, session: Session): void {
  end.sessions += 1;
  end.queued += session.queue.pending;
  end.requests += session.pendingApprovals;
  if (session.activeTurnId !== null) end.running += 1;
}

/** For the question before it happens; what does not happen is left out, but for the two that are always asked about. */
export function endInWords({ sessions, queued, requests, running }: LifetimeEnd): string {
  const lines = [t('{0}, {1}.', t(sessions === 1 ? '{0} session becomes history' : '{0} sessions become history', sessions), t(queued === 1 ? '{0} queued turn ends' : '{0} queued turns end', queued))];
  if (requests > 0) lines.push(t(requests === 1 ? '{0} waiting request is withdrawn.' : '{0} waiting requests are withdrawn.', requests));
  if (running > 0) lines.push(t(running === 1 ? '{0} running turn may still finish.' : '{0} running turns may still finish.', running));
  return lines.join(' ');
}

/** For the word after it has happened. */
export const endedInWords = (sessionsEnded: number, turnsEnded: number): string =>
  t('{0}, {1}.', t(sessionsEnded === 1 ? '{0} session is history now' : '{0} sessions are history now', sessionsEnded), t(turnsEnded === 1 ? '{0} queued turn has ended' : '{0} queued turns have ended', turnsEnded));
