import { AttacheError } from '../../protocol/errors.ts';
import type { ApprovalEnds } from '../approvals/approvalEnds.ts';
import type { ApprovalStore } from '../approvals/approvalStore.ts';
import type { TurnEnds } from '../broker/turnEnds.ts';
import type { TurnStore } from '../broker/turnStore.ts';
import type { WaitingClaims } from '../broker/waitingClaims.ts';
import type { Change } from '../events/change.ts';
import type { SessionRow, SessionStore } from '../sessions/sessionStore.ts';
import type { GoalRow } from './goalRegistry.ts';

export interface LifetimeEndOptions {
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly turnEnds: TurnEnds;
  readonly approvals: ApprovalStore;
  readonly approvalEnds: ApprovalEnds;
  readonly waiting: WaitingClaims;
}

/** What the end of a goal's lifetime does to the sessions that were bound to it. Running turns may still bring back their result. */
export class LifetimeEnd {
  readonly #options: LifetimeEndOptions;

  constructor(options: LifetimeEndOptions) {
    this.#options = options;
  }

  apply(change: Change, goal: GoalRow): { sessionsEnded: number; turnsEnded: number } {
    const { sessions, waiting } = this.#options;
    const bound = sessions.ofGoal(goal.workspace, goal.goalId)
      .filter((session) => session.status !== 'closed' && session.goalInstanceId === goal.goalInstanceId);
    let turnsEnded = 0;
    for (const session of bound) {
      // Before what its ended turns would wake it for.
      change.after(() => waiting.end(session.sessionId, new AttacheError('stale_goal_instance')));
      turnsEnded += this.#failQueue(change, session);
      this.#cancelApprovals(change, session);
      change.touch(session.sessionId);
    }
    return { sessionsEnded: bound.length, turnsEnded };
  }

  #failQueue(change: Change, session: SessionRow): number {
    const { turns, turnEnds } = this.#options;
    const queued = [...turns.expired(session.sessionId), ...turns.queue(session.sessionId)];
    for (const turn of queued) turnEnds.end(change, turn, { state: 'failed', cause: 'stale_goal_instance' });
    return queued.length;
  }

  #cancelApprovals(change: Change, session: SessionRow): void {
    const { turns, approvals, approvalEnds } = this.#options;
    for (const approval of approvals.pendingOfSession(session.sessionId)) approvalEnds.end(change, approval, 'cancelled', { cause: 'goal_retired' });
    const active = session.activeTurnId === null ? undefined : turns.find(session.activeTurnId);
    if (active?.state === 'waiting') turns.patch(change, active, { state: 'running' });
  }
}
