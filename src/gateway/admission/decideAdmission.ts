import { assertNever } from '../../base/assertNever.ts';
import type { ErrorKind } from '../../protocol/errors.ts';
import type { Access, AdmissionFacts, FactsOf, GoalFacts, HostFacts, Operation, SessionFacts, Stamp, TurnFacts } from './facts.ts';

/**
 * `current`: for the live lifetime. `historical`: a turn of an older one that had been admitted. `legacy`: without identities,
 * no stamp is written. `unbound`: an operation that no lifetime can forbid.
 */
export type Decision = { readonly allow: 'current' | 'historical' | 'legacy' | 'unbound' } | { readonly reject: ErrorKind };

type KnownSession = Extract<SessionFacts, { kind: 'known' }>;
type QueueOperation = 'submit' | 'retry' | 'fork' | 'queue_edit' | 'queue_reorder';
type BoundOperation = QueueOperation | 'resume' | 'replace_executor' | 'steer' | 'approve_allow' | 'claim_new' | 'claim_replay' | 'report' | 'approval_request' | 'complete';

const reject = (kind: ErrorKind): Decision => ({ reject: kind });
const allow = (kind: 'current' | 'historical' | 'legacy' | 'unbound'): Decision => ({ allow: kind });

/** Where a session stands to its goal: the columns of the table. `lost`: the key has no live, well-formed lifetime. */
export type Column =
  | { readonly at: 'unstamped' | 'current' | 'legacy' | 'older' | 'damaged' }
  | { readonly at: 'lost'; readonly code: ErrorKind };

/** What an operation gets in a column. `admitted`: only for a turn that was handed out while its lifetime was current. */
type Verdict = 'accept' | 'refuse' | 'admitted';

/** The rows of the table for sessions with an older stamp, or whose goal is gone. Unstamped rows of strict goals are always refused. */
const TABLE: Readonly<Record<BoundOperation, { readonly older: Verdict; readonly lost: Verdict }>> = {
  submit: { older: 'refuse', lost: 'refuse' },
  retry: { older: 'refuse', lost: 'refuse' },
  fork: { older: 'refuse', lost: 'refuse' },
  queue_edit: { older: 'refuse', lost: 'refuse' },
  queue_reorder: { older: 'refuse', lost: 'refuse' },
  claim_new: { older: 'refuse', lost: 'refuse' },
  claim_replay: { older: 'admitted', lost: 'admitted' },
  report: { older: 'admitted', lost: 'admitted' },
  approval_request: { older: 'refuse', lost: 'refuse' },
  complete: { older: 'admitted', lost: 'admitted' },
  resume: { older: 'refuse', lost: 'refuse' },
  replace_executor: { older: 'refuse', lost: 'refuse' },
  steer: { older: 'refuse', lost: 'refuse' },
  approve_allow: { older: 'refuse', lost: 'refuse' },
};

/** One rule for each operation. A missing one, or one that asks for facts its operation does not have, does not compile. */
const RULES: { readonly [O in Operation]: (facts: FactsOf<O>) => Decision } = {
  goal_create: (facts) => folderRefusal(facts.access) ?? decideCreate(facts.goal),
  goal_update: ({ access, goal }) => folderRefusal(access) ?? (goal.state === 'live' ? allow('current') : reject(goalCode(goal))),
  goal_retire: decideLifetimeEnd,
  goal_recreate: decideLifetimeEnd,
  attach: (facts) => folderRefusal(facts.access) ?? decideAttach(facts),
  cancel: ({ session }) => knownRefusal(session) ?? allow('unbound'),
  queue_remove: ({ session }) => knownRefusal(session) ?? allow('unbound'),
  approve_reject: ({ session }) => knownRefusal(session) ?? allow('unbound'),
  delete: ({ session }) => removalRefusal(session) ?? allow('unbound'),
  undelete: ({ session }) => removalRefusal(session) ?? allow('unbound'),
  organise: ({ session }) => knownRefusal(session) ?? removalRefusal(session) ?? allow('unbound'),
  // Taking a permission back needs no trust.
  grant_revoke: ({ access }) => (access === 'none' ? reject('not_found') : allow('unbound')),
  close: ({ session }) => (session.kind === 'unrecognized' ? allow('unbound') : knownRefusal(session) ?? allow('unbound')),
  manage: ({ session }) => openRefusal(session) ?? allow('unbound'),
  register: ({ session, host }) => hostRefusal(session, host) ?? openRefusal(session) ?? allow('unbound'),
  host_presence: ({ session, host }) => hostRefusal(session, host) ?? allow('unbound'),
  submit: decideQueued,
  retry: decideQueued,
  fork: decideQueued,
  queue_edit: decideQueued,
  queue_reorder: decideQueued,
  replace_executor: decideReplace,
  steer: ({ operation, session, goal }) => decideBound(operation, session, goal),
  resume: ({ operation, session, goal }) => decideBound(operation, session, goal),
  approve_allow: ({ operation, session, goal }) => decideBound(operation, session, goal),
  claim_new: decideNewClaim,
  claim_replay: decideForTurn,
  report: decideForTurn,
  approval_request: decideForTurn,
  complete: decideForTurn,
};

/** The one decision about every operation on goals and bindings. Called inside the transaction that writes, before any write. */
export function decideAdmission(facts: AdmissionFacts): Decision {
  // The rule of an operation takes exactly the facts of that operation; TypeScript cannot follow the pair through a look-up.
  const rule = RULES[facts.operation] as (facts: AdmissionFacts) => Decision;
  return rule(facts);
}

function folderRefusal(access: Access): Decision | null {
  if (access === 'none') return reject('workspace_not_granted');
  return access === 'read_only' ? reject('workspace_untrusted') : null;
}

function decideCreate(goal: GoalFacts): Decision {
  switch (goal.state) {
    case 'absent':
    case 'retired':
      return allow('current');
    case 'live':
    case 'malformed':
      return reject('goal_exists');
    default:
      return reject(goalCode(goal));
  }
}

/** A damaged or doubled goal may be retired: that is the way out of it. */
function decideLifetimeEnd({ operation, access, goal, expectedLifetime: expected }: FactsOf<'goal_retire'>): Decision {
  const refusal = folderRefusal(access);
  if (refusal !== null) return refusal;
  switch (goal.state) {
    case 'absent':
    case 'unreadable':
      return reject(goalCode(goal));
    case 'duplicated':
      if (operation === 'goal_recreate') return reject('goal_duplicated');
      return goal.lifetimes.includes(expected) ? allow('current') : reject('goal_lifetime_changed');
    case 'retired':
      if (operation === 'goal_retire') return reject('goal_retired');
      return goal.lifetime === expected ? allow('current') : reject('goal_lifetime_changed');
    case 'live':
    case 'malformed':
      return goal.lifetime === expected ? allow('current') : reject('goal_lifetime_changed');
    default:
      return assertNever(goal);
  }
}

function decideAttach(facts: FactsOf<'attach'>): Decision {
  if (facts.goal.state !== 'live') return reject(goalCode(facts.goal));
  if (facts.goal.profile === 'legacy' && facts.goal.stampedHistory) return reject('goal_instance_id_missing');
  if (facts.candidate === 'different') return reject('attached_session_conflict');
  // The gateway starts no runtime of its own yet, so a new managed session would never run.
  if (facts.candidate === 'none' && facts.mode !== 'attached_host') return reject('attached_session_requires_host_bridge');
  return allow(facts.goal.profile === 'legacy' ? 'legacy' : 'current');
}

function decideQueued(facts: FactsOf<QueueOperation>): Decision {
  const bound = decideBound(facts.operation, facts.session, facts.goal);
  if ('reject' in bound || facts.session.kind !== 'known') return bound;
  if (!QUEUEING.has(facts.session.status)) return reject('session_not_ready');
  return facts.draining ? reject('draining') : bound;
}

/** In these a submit queues; `stale` only means that nobody runs it at the moment. */
const QUEUEING: ReadonlySet<string> = new Set(['ready', 'busy', 'stale']);

/** A take-over never tears a turn from a host that works, or that may still come back to it. */
function decideReplace({ operation, session, goal, executor, canHost }: FactsOf<'replace_executor'>): Decision {
  if (session.kind === 'unknown') return reject('not_found');
  if (!canHost) return reject('attached_session_requires_host_bridge');
  if (session.kind === 'known' && session.mode !== 'attached_host') return reject('attached_session_host_mismatch');
  const bound = decideBound(operation, session, goal);
  if ('reject' in bound || executor === 'free') return bound;
  return reject(executor === 'alive' ? 'executor_alive' : 'executor_in_grace');
}

function decideNewClaim(facts: FactsOf<'claim_new'>): Decision {
  const refusal = hostRefusal(facts.session, facts.host);
  if (refusal !== null) return refusal;
  const bound = decideBound('claim_new', facts.session, facts.goal, facts.turn ?? undefined);
  if ('reject' in bound || facts.session.kind !== 'known') return bound;
  // A busy session is no refusal: the answer is that nothing was claimed.
  if (facts.session.status !== 'ready' && facts.session.status !== 'busy') return reject('session_not_ready');
  return facts.draining ? reject('draining') : bound;
}

function decideForTurn({ operation, session, goal, host, turn }: FactsOf<'claim_replay'>): Decision {
  return hostRefusal(session, host) ?? decideBound(operation, session, goal, turn);
}

/** Before any other check a host operation needs the bound host, on the connection that registered. */
function hostRefusal(session: SessionFacts, host: HostFacts): Decision | null {
  if (session.kind === 'unknown') return reject('not_found');
  if (host === 'other') return reject('attached_session_host_mismatch');
  return session.kind === 'known' && session.mode !== 'attached_host' ? reject('attached_session_host_mismatch') : null;
}

/** Refuses what needs a session whose mode this build knows. All that must always be possible needs no more than that. */
function knownRefusal(session: SessionFacts): Decision | null {
  if (session.kind === 'unknown') return reject('not_found');
  return session.kind === 'unrecognized' ? reject('session_mode_unrecognized') : null;
}

/** What is thrown away, or fetched back, may be in any state and of any mode; only the folder has to be trusted. */
function removalRefusal(session: SessionFacts): Decision | null {
  if (session.kind === 'unknown') return reject('not_found');
  return session.access === 'read_only' ? reject('workspace_untrusted') : null;
}

/** Refuses what needs an open session in a trusted folder. */
function openRefusal(session: SessionFacts): Decision | null {
  const refusal = knownRefusal(session);
  if (refusal !== null || session.kind !== 'known') return refusal;
  if (session.access === 'read_only') return reject('workspace_untrusted');
  return session.status === 'closed' ? reject('session_closed') : null;
}

function decideBound(operation: BoundOperation, session: SessionFacts, goal: GoalFacts, turn?: TurnFacts): Decision {
  const refusal = openRefusal(session);
  if (refusal !== null || session.kind !== 'known') return refusal ?? reject('not_found');
  const column = columnOf(goal, session.stamp);
  switch (column.at) {
    case 'unstamped':
      return reject('goal_instance_id_missing');
    case 'damaged':
      return reject('invalid_goal_instance_id');
    case 'current':
    case 'legacy':
      return turnRefusal(operation, session, turn) ?? allow(column.at);
    case 'older':
      return atVerdict(TABLE[operation].older, operation, session, turn, 'stale_goal_instance');
    case 'lost':
      // Not admitted and no goal: the state of the goal says more than the turn's.
      if (turn?.admission.admitted !== true) return reject(column.code);
      return atVerdict(TABLE[operation].lost, operation, session, turn, column.code);
    default:
      return assertNever(column);
  }
}

function atVerdict(verdict: Verdict, operation: BoundOperation, session: KnownSession, turn: TurnFacts | undefined, code: ErrorKind): Decision {
  if (verdict === 'refuse' || turn === undefined) return reject(code);
  return turnRefusal(operation, session, turn) ?? allow('historical');
}

/** A turn belongs to the lifetime of its session; what is done for it needs that it was handed out in that lifetime. */
function turnRefusal(operation: BoundOperation, session: KnownSession, turn: TurnFacts | undefined): Decision | null {
  if (turn === undefined) return null;
  if (!sameStamp(turn.stamp, session.stamp)) return reject('turn_goal_instance_mismatch');
  if (operation === 'claim_new') return null;
  if (!turn.admission.admitted) return reject('turn_not_admitted');
  return sameStamp(turn.admission.stamp, session.stamp) ? null : reject('turn_goal_instance_mismatch');
}

/** The column of the table that a session is in. */
export function columnOf(goal: GoalFacts, stamp: Stamp): Column {
  if (stamp.kind === 'malformed') return { at: 'damaged' };
  if (goal.state !== 'live') return { at: 'lost', code: goalCode(goal) };
  if (goal.profile === 'source_session_v1') {
    if (stamp.kind === 'none') return { at: 'unstamped' };
    return { at: stamp.instanceId === goal.instanceId ? 'current' : 'older' };
  }
  if (stamp.kind !== 'none') return { at: 'older' };
  return { at: goal.stampedHistory ? 'unstamped' : 'legacy' };
}

function sameStamp(a: Stamp, b: Stamp): boolean {
  if (a.kind === 'instance' && b.kind === 'instance') return a.instanceId === b.instanceId;
  return a.kind === 'none' && b.kind === 'none';
}

/** The code of a goal that has no live, well-formed lifetime. */
function goalCode(goal: Exclude<GoalFacts, { state: 'live' }>): ErrorKind {
  switch (goal.state) {
    case 'absent':
      return 'goal_not_registered';
    case 'retired':
      return 'goal_retired';
    case 'duplicated':
      return 'goal_duplicated';
    case 'malformed':
      return 'invalid_goal_instance_id';
    case 'unreadable':
      return 'registry_unavailable';
    default:
      return assertNever(goal);
  }
}
