import { LIMITS } from '../../protocol/limits.ts';
import type { ApprovalEnds } from '../approvals/approvalEnds.ts';
import type { ApprovalExpiry } from '../approvals/approvalExpiry.ts';
import type { ApprovalStore } from '../approvals/approvalStore.ts';
import { BY_GATEWAY, type Changes } from '../events/changes.ts';
import type { SessionRow, SessionStore } from '../sessions/sessionStore.ts';
import type { Store } from '../store/store.ts';
import type { CancelGrace } from './cancelGrace.ts';
import type { Completion } from './completion.ts';
import type { Executors } from './executors.ts';
import type { Leases } from './leases.ts';
import { HELD, type TurnRow, type TurnStore } from './turnStore.ts';

export interface RecoveryOptions {
  readonly store: Store;
  readonly changes: Changes;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly completion: Completion;
  readonly approvals: ApprovalStore;
  readonly approvalEnds: ApprovalEnds;
  readonly approvalExpiry: ApprovalExpiry;
  readonly executors: Executors;
  readonly leases: Leases;
  readonly cancelGrace: CancelGrace;
}

/** What a start makes of the state that the last run left, before anybody can connect. Nothing is run again. */
export function recover(options: RecoveryOptions): void {
  const { turns, completion } = options;
  for (const turn of turns.held()) if (turn.state === 'completing') finish(completion, turn);
  for (const turn of turns.held()) awaitHost(options, turn);
  releaseSessions(options);
  settleApprovals(options);
}

/** One result that cannot be published now keeps nobody else from starting. */
function finish(completion: Completion, { turnId }: TurnRow): void {
  try {
    completion.finish(turnId);
  } catch {
    completion.finishLater(turnId);
  }
}

/** The window that runs this turn may be alive and only cut off: it has one lease to come back, with the same run. */
function awaitHost({ sessions, executors, leases, cancelGrace }: RecoveryOptions, turn: TurnRow): void {
  const { sessionId, hostRunId } = sessions.get(turn.sessionId);
  if (hostRunId !== null) executors.expect(sessionId, hostRunId);
  leases.heard(sessionId);
  leases.watch(sessionId);
  if (turn.state === 'cancelling') cancelGrace.begin(turn.turnId, LIMITS.cancelGraceMs);
}

/** A session that is busy with a turn that has ended is free. */
function releaseSessions({ store, changes, sessions }: RecoveryOptions): void {
  const stuck = store.all<SessionRow>(
    `SELECT * FROM sessions AS s WHERE (status = 'busy' OR activeTurnId IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM turns WHERE turnId = s.activeTurnId AND state IN ${HELD})`);
  for (const session of stuck) {
    changes.commit(BY_GATEWAY, 'lifecycle', (change) => {
      sessions.patch(change, session, { activeTurnId: null, status: session.status === 'busy' ? 'stale' : session.status });
    });
  }
}

/** Requests live as long as their turn. */
function settleApprovals({ changes, turns, approvals, approvalEnds, approvalExpiry }: RecoveryOptions): void {
  const held = new Set(turns.held().map(({ turnId }) => turnId));
  for (const approval of approvals.pending()) {
    // One that cannot be read comes as cancelled.
    if (held.has(approval.turnId) && approval.status === 'pending') approvalExpiry.watch(approval);
    else changes.commit(BY_GATEWAY, 'lifecycle', (change) => approvalEnds.end(change, approval, 'orphaned', { cause: 'gateway_restarted' }));
  }
}
