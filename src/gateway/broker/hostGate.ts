import { AttacheError } from '../../protocol/errors.ts';
import type { ClaimId, HostRunId, SessionId } from '../../protocol/ids.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { HostFacts } from '../admission/facts.ts';
import type { Principal } from '../core.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import { sessionFacts, type SessionRow, type SessionStore } from '../sessions/sessionStore.ts';
import type { Executors } from './executors.ts';
import type { Leases } from './leases.ts';
import { turnFacts, type TurnRow, type TurnStore } from './turnStore.ts';

export interface HostGateOptions {
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly goals: GoalRegistry;
  readonly executors: Executors;
  readonly leases: Leases;
}

export interface HostTarget {
  readonly sessionId: SessionId;
  /** Absent where a request names only its claim. */
  readonly hostRunId?: HostRunId;
}

export interface HostSession {
  readonly session: SessionRow;
  readonly host: HostFacts;
}

/** The way in for every message of a host: is it the bound one? Its message counts as a sign of life. */
export class HostGate {
  readonly #options: HostGateOptions;

  constructor(options: HostGateOptions) {
    this.#options = options;
  }

  enter(principal: Principal, { sessionId, hostRunId }: HostTarget): HostSession {
    const { sessions, executors, leases } = this.#options;
    const session = requireVisible(principal, sessions.find(sessionId));
    const host = executors.hostFacts(principal, sessionId, hostRunId ?? null);
    admitted(decideAdmission({ operation: 'host_presence', session: sessionFacts(principal, session), host }));
    leases.heard(sessionId);
    return { session, host };
  }

  /** Enters with a claim; the turn that it names, whatever became of it. */
  enterClaim(principal: Principal, target: HostTarget & { readonly claimId: ClaimId }): HostSession & { readonly turn: TurnRow } {
    const entered = this.enter(principal, target);
    const turn = this.#options.turns.byClaim(target.sessionId, target.claimId);
    if (turn === undefined) throw new AttacheError('turn_not_active');
    return { ...entered, turn };
  }

  /** Admission of an operation on a turn. */
  admit(operation: 'claim_replay' | 'report' | 'approval_request' | 'complete', principal: Principal, { session, host, turn }: HostSession & { readonly turn: TurnRow }): void {
    admitted(decideAdmission({
      operation, host, session: sessionFacts(principal, session), goal: this.#options.goals.facts(session), turn: turnFacts(turn),
    }));
  }
}
