import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ParamsOf, ResultOf } from '../../protocol/methods.ts';
import { hasEnded } from '../../protocol/turn/phase.ts';
import { admitted } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { Changes } from '../events/changes.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { Call, Handlers } from '../handlers.ts';
import type { ItemStore } from '../items/itemStore.ts';
import { sessionFacts, type SessionRow, type SessionStore } from '../sessions/sessionStore.ts';
import { TAKEN_OVER, takeOverNotice } from '../sessions/takeOverNotice.ts';
import { isStoreFailure } from '../store/sqliteErrors.ts';
import { claimedAnswer, type Claimed } from './claimedAnswer.ts';
import type { Draining } from './draining.ts';
import type { Executors } from './executors.ts';
import type { HostGate, HostSession } from './hostGate.ts';
import type { Leases } from './leases.ts';
import type { QueueSettler } from './queueSettler.ts';
import { turnFacts, type TurnRow, type TurnStore } from './turnStore.ts';
import type { WaitingClaim, WaitingClaims } from './waitingClaims.ts';

export interface ClaimCommandOptions {
  readonly clock: Clock;
  readonly changes: Changes;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly goals: GoalRegistry;
  readonly executors: Executors;
  readonly leases: Leases;
  readonly waiting: WaitingClaims;
  readonly draining: Draining;
  readonly hostGate: HostGate;
  readonly queueSettler: QueueSettler;
}

type Params = ParamsOf<'host/claim'>;
type Result = ResultOf<'host/claim'>;

/** `busy`: another claim holds a turn, so that waiting would be in vain; `nothing`: work may still come. */
type Attempt = Claimed | 'busy' | 'nothing';

export function claimCommand(options: ClaimCommandOptions): Handlers<'host/claim'> {
  const { waiting } = options;
  return {
    'host/claim': (call, params) => {
      const attempt = attemptClaim(options, call.principal, params);
      // Only an admitted claim gets here: it takes the place of an older one, also when it is answered at once.
      waiting.end(params.sessionId, new AttacheError('claim_superseded'));
      if (typeof attempt === 'object') return attempt;
      return attempt === 'busy' || params.waitSeconds === 0 || call.signal.aborted ? { claimed: false } : wait(options, call, params);
    },
  };
}

/** One transaction: hands out the head of the queue, the turn that this claim has already, or nothing. */
function attemptClaim(options: ClaimCommandOptions, principal: Principal, params: Params): Attempt {
  return options.changes.commit({ clientId: principal.clientId }, 'lifecycle', (change) => claimIn(options, change, principal, params));
}

/** A refusal comes before anything is written. */
function claimIn(options: ClaimCommandOptions, change: Change, principal: Principal, params: Params): Attempt {
  const { turns, hostGate } = options;
  const entered = hostGate.enter(principal, params);
  if (!(params.waitSeconds >= 0 && params.waitSeconds <= LIMITS.claimWaitSeconds)) throw new AttacheError('claim_wait_invalid');
  const known = turns.byClaim(params.sessionId, params.claimId);
  if (known === undefined) return claimHead(options, change, principal, { ...entered, params });
  hostGate.admit('claim_replay', principal, { ...entered, turn: known });
  if (hasEnded(known.state)) throw new AttacheError('claim_already_used');
  return claimedAnswer(turns, known);
}

/** The linearisation point of "one executor": the session goes from ready to busy with exactly one turn. */
function claimHead(options: ClaimCommandOptions, change: Change, principal: Principal, { session, host, params }: HostSession & { readonly params: Params }): Attempt {
  const { sessions, turns, items, goals, executors, leases, draining, queueSettler } = options;
  const head = turns.queue(session.sessionId)[0];
  admitted(decideAdmission({
    operation: 'claim_new', host: executors.mayClaim(session.sessionId) ? host : 'other', session: sessionFacts(principal, session), goal: goals.facts(session), draining: draining.active,
    turn: head === undefined ? null : turnFacts(head),
  }));
  queueSettler.settle(change, session);
  if (session.status === 'busy') return 'busy';
  if (head === undefined || session.queuePaused === 1) return 'nothing';
  const turn = admit(turns, change, session, head, params);
  const isTakenOver = session.lastErrorCode === TAKEN_OVER;
  if (isTakenOver) items.insertOwn(change, turn, takeOverNotice(change));
  sessions.patch(change, session, { status: 'busy', activeTurnId: turn.turnId, ...(isTakenOver ? { lastErrorCode: null } : {}) });
  change.after(() => leases.watch(session.sessionId));
  return claimedAnswer(turns, turn);
}

function admit(turns: TurnStore, change: Change, session: SessionRow, head: TurnRow, { claimId }: Params): TurnRow {
  return turns.patch(change, head, { state: 'running', claimId, admittedInstanceId: session.goalInstanceId, admittedAt: change.now, startedAt: change.now });
}

/** Holds no lock: each time something may have changed it makes a new attempt of its own, or one within the transaction that brings it work. */
function wait(options: ClaimCommandOptions, { principal, signal }: Call, params: Params): Promise<Result> {
  const { clock, waiting } = options;
  const done = new Deferred<Result>();
  let settled = false;
  // At once and not in a later turn of the event loop: a claim that has been answered must not be handed anything more.
  const settle = (answer: () => void): void => {
    if (settled) return;
    settled = true;
    waiting.remove(claim);
    timer.dispose();
    signal.removeEventListener('abort', giveUp);
    answer();
  };
  const giveUp = (): void => settle(() => done.resolve({ claimed: false }));
  const refuse = (error: unknown): void => settle(() => done.reject(error));
  const take = (attempt: Attempt): void => {
    if (typeof attempt === 'object') settle(() => done.resolve(attempt));
  };
  const claim: WaitingClaim = {
    sessionId: params.sessionId,
    connectionId: principal.connectionId,
    retry: () => {
      try {
        take(attemptClaim(options, principal, params));
      } catch (error) {
        refuse(error);
      }
    },
    join: (change) => {
      try {
        const attempt = change.by({ clientId: principal.clientId }, () => claimIn(options, change, principal, params));
        change.after(() => take(attempt));
      } catch (error) {
        // What the store says concerns the whole transaction; a refusal only this claim, once it has come true.
        if (isStoreFailure(error) || !(error instanceof AttacheError)) throw error;
        change.after(() => refuse(error));
      }
    },
    end: refuse,
  };
  const timer = clock.setTimeout(giveUp, params.waitSeconds * 1000);
  signal.addEventListener('abort', giveUp, { once: true });
  waiting.add(claim);
  return done.promise;
}
