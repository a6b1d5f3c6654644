import type { AdmissionFacts, GoalFacts, Operation, SessionFacts, Stamp, TurnFacts } from '../../../../src/gateway/admission/facts.ts';
import type { NamedFacts } from '../../../support/admissionTable.ts';

const instance = (digit: string): string => `ginst_${digit.repeat(32)}`;

/** Every value of every fact, by the name that the table has for it. */
export const GOALS = {
  strict: { state: 'live', profile: 'source_session_v1', lifetime: 3, instanceId: instance('3') },
  legacy: { state: 'live', profile: 'legacy', lifetime: 3, stampedHistory: false },
  legacy_after_stamped: { state: 'live', profile: 'legacy', lifetime: 3, stampedHistory: true },
  absent: { state: 'absent' },
  retired: { state: 'retired', lifetime: 3 },
  duplicated: { state: 'duplicated', lifetimes: [2, 3] },
  malformed: { state: 'malformed', lifetime: 3 },
  unreadable: { state: 'unreadable' },
} as const satisfies Record<string, GoalFacts>;

export const STAMPS = {
  none: { kind: 'none' },
  current: { kind: 'instance', instanceId: instance('3') },
  older: { kind: 'instance', instanceId: instance('2') },
  oldest: { kind: 'instance', instanceId: instance('1') },
  malformed: { kind: 'malformed' },
} as const satisfies Record<string, Stamp>;

type StampName = keyof typeof STAMPS;
const STAMP_NAMES = Object.keys(STAMPS) as StampName[];
export const STATUSES = ['ready', 'busy', 'stale', 'resuming', 'resume_failed', 'closed', 'empty'] as const;

interface Named<T> {
  readonly names: NamedFacts;
  readonly value: T;
}

function sessions(): (Named<SessionFacts> & { readonly stamp: StampName | '-' })[] {
  const unknown = { names: { session: 'unknown', access: '-', status: '-', stamp: '-' }, value: { kind: 'unknown' } as const, stamp: '-' as const };
  const accesses = ['read_only', 'full'] as const;
  const unrecognized = accesses.map((access) => ({ names: { session: 'unrecognized', access, status: '-', stamp: '-' }, value: { kind: 'unrecognized', access } as const, stamp: '-' as const }));
  const known = (['attached', 'managed'] as const).flatMap((session) => accesses.flatMap((access) => STATUSES.flatMap((status) => STAMP_NAMES.map((stamp) => ({
    names: { session, access, status, stamp }, stamp,
    value: { kind: 'known', access, mode: session === 'attached' ? 'attached_host' : 'managed_runtime', status: status === 'empty' ? '' : status, stamp: STAMPS[stamp] } as const,
  })))));
  return [unknown, ...unrecognized, ...known];
}

const goals = (): Named<GoalFacts>[] => Object.entries(GOALS).map(([goal, value]) => ({ names: { goal }, value }));

/** How a turn's stamp looks beside its session's; a damaged one is nobody's. */
const beside = (stamp: StampName, session: StampName | '-'): string => (stamp === session && stamp !== 'malformed' ? 'same' : 'differs');

function turns(session: StampName | '-'): Named<TurnFacts>[] {
  return STAMP_NAMES.flatMap((stamp) => [
    { names: { 'turn': beside(stamp, session), 'handed out': 'never' }, value: { stamp: STAMPS[stamp], admission: { admitted: false } } },
    ...STAMP_NAMES.map((at) => ({
      names: { 'turn': beside(stamp, session), 'handed out': beside(at, session) },
      value: { stamp: STAMPS[stamp], admission: { admitted: true, stamp: STAMPS[at] } } as const,
    })),
  ]);
}

const yesNo = [['yes', true], ['no', false]] as const;
const HOSTS = ['bound', 'other'] as const;
const ACCESSES = ['none', 'read_only', 'full'] as const;

export interface Case {
  readonly names: NamedFacts;
  readonly facts: AdmissionFacts;
}

type Cases = Generator<Case>;
type Having<O extends Operation> = (operation: O) => Cases;

function* withSession(operation: 'cancel' | 'queue_remove' | 'approve_reject' | 'close' | 'delete' | 'undelete' | 'organise' | 'manage'): Cases {
  for (const { names, value: session } of sessions()) yield { names, facts: { operation, session } };
}

function* onAccess(operation: 'grant_revoke'): Cases {
  for (const access of ACCESSES) yield { names: { access }, facts: { operation, access } };
}

function* withHost(operation: 'register' | 'host_presence'): Cases {
  for (const { names, value: session } of sessions()) for (const host of HOSTS) yield { names: { ...names, host }, facts: { operation, session, host } };
}

function* withGoal(operation: 'resume' | 'approve_allow' | 'steer'): Cases {
  for (const session of sessions()) {
    for (const goal of goals()) yield { names: { ...session.names, ...goal.names }, facts: { operation, session: session.value, goal: goal.value } };
  }
}

function* withQueue(operation: 'submit' | 'retry' | 'fork' | 'queue_edit' | 'queue_reorder'): Cases {
  for (const session of sessions()) for (const goal of goals()) for (const [name, draining] of yesNo) {
    yield { names: { ...session.names, ...goal.names, draining: name }, facts: { operation, session: session.value, goal: goal.value, draining } };
  }
}

function* withExecutor(operation: 'replace_executor'): Cases {
  for (const session of sessions()) for (const goal of goals()) for (const executor of ['free', 'alive', 'in_grace'] as const) for (const [name, canHost] of yesNo) {
    yield {
      names: { ...session.names, ...goal.names, executor, 'can host': name },
      facts: { operation, session: session.value, goal: goal.value, executor, canHost },
    };
  }
}

function* withHead(operation: 'claim_new'): Cases {
  for (const session of sessions()) for (const goal of goals()) for (const host of HOSTS) for (const [name, draining] of yesNo) {
    for (const turn of [null, ...turns(session.stamp)]) {
      yield {
        names: { ...session.names, ...goal.names, host, draining: name, ...(turn === null ? { turn: '-' } : turn.names) },
        facts: { operation, session: session.value, goal: goal.value, host, draining, turn: turn?.value ?? null },
      };
    }
  }
}

function* withTurn(operation: 'claim_replay' | 'report' | 'approval_request' | 'complete'): Cases {
  for (const session of sessions()) for (const goal of goals()) for (const host of HOSTS) for (const turn of turns(session.stamp)) {
    yield { names: { ...session.names, ...goal.names, host, ...turn.names }, facts: { operation, session: session.value, goal: goal.value, host, turn: turn.value } };
  }
}

function* onGoal(operation: 'goal_create' | 'goal_update'): Cases {
  for (const goal of goals()) for (const access of ACCESSES) yield { names: { ...goal.names, access }, facts: { operation, access, goal: goal.value } };
}

function* onLifetime(operation: 'goal_retire' | 'goal_recreate'): Cases {
  for (const goal of goals()) for (const access of ACCESSES) for (const [expected, expectedLifetime] of [['same', 3], ['differs', 1], ['differs', 4]] as const) {
    yield { names: { ...goal.names, access, expected }, facts: { operation, access, goal: goal.value, expectedLifetime } };
  }
}

function* onAttach(operation: 'attach'): Cases {
  for (const goal of goals()) for (const access of ACCESSES) for (const candidate of ['none', 'equal', 'different'] as const) for (const mode of ['attached_host', 'managed_runtime'] as const) {
    yield { names: { ...goal.names, access, candidate, mode }, facts: { operation, access, goal: goal.value, candidate, mode } };
  }
}

/** How to walk each operation. One that is missing here does not compile. */
export const CASES: { readonly [O in Operation]: Having<O> } = {
  submit: withQueue, retry: withQueue, fork: withQueue, queue_edit: withQueue, queue_reorder: withQueue,
  resume: withGoal, approve_allow: withGoal, steer: withGoal, replace_executor: withExecutor,
  claim_new: withHead, claim_replay: withTurn, report: withTurn, approval_request: withTurn, complete: withTurn,
  cancel: withSession, queue_remove: withSession, approve_reject: withSession, close: withSession, delete: withSession, undelete: withSession, organise: withSession, manage: withSession, grant_revoke: onAccess,
  register: withHost, host_presence: withHost, attach: onAttach,
  goal_create: onGoal, goal_update: onGoal, goal_retire: onLifetime, goal_recreate: onLifetime,
};

export const OPERATIONS = Object.keys(CASES).sort() as Operation[];

/** The whole product of the facts of one operation. */
export const casesOf = (operation: Operation): Cases => (CASES[operation] as Having<Operation>)(operation);
