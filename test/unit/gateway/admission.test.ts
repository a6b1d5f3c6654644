import assert from 'node:assert/strict';
import { decideAdmission } from '../../../src/gateway/admission/decideAdmission.ts';
import type { AdmissionFacts, GoalFacts, HostFacts, SessionFacts, Stamp, TurnFacts } from '../../../src/gateway/admission/facts.ts';

const INSTANCE = `ginst_${'1'.repeat(32)}`;
const OLDER = `ginst_${'0'.repeat(32)}`;

const GOALS = {
  strict: { state: 'live', profile: 'source_session_v1', lifetime: 2, instanceId: INSTANCE },
  legacy: { state: 'live', profile: 'legacy', lifetime: 1, stampedHistory: false },
  legacyAfterStamped: { state: 'live', profile: 'legacy', lifetime: 1, stampedHistory: true },
  absent: { state: 'absent' },
  retired: { state: 'retired', lifetime: 2 },
  duplicated: { state: 'duplicated', lifetimes: [1, 2] },
  malformed: { state: 'malformed', lifetime: 2 },
  unreadable: { state: 'unreadable' },
} as const satisfies Record<string, GoalFacts>;
type GoalName = keyof typeof GOALS;

const STAMPS = {
  unstamped: { kind: 'none' },
  current: { kind: 'instance', instanceId: INSTANCE },
  older: { kind: 'instance', instanceId: OLDER },
  damaged: { kind: 'malformed' },
} as const satisfies Record<string, Stamp>;
type StampName = keyof typeof STAMPS;

const known = (stamp: Stamp, changes: Partial<Extract<SessionFacts, { kind: 'known' }>> = {}): SessionFacts =>
  ({ kind: 'known', access: 'full', mode: 'attached_host', status: 'ready', stamp, ...changes });

type BoundName = 'submit' | 'resume' | 'approve_allow' | 'claim_new' | 'claim_replay' | 'report' | 'approval_request' | 'complete';

interface Given {
  readonly session: SessionFacts;
  readonly goal: GoalFacts;
  readonly host?: HostFacts;
  readonly turn?: TurnFacts;
  readonly draining?: boolean;
}

function facts(operation: BoundName, { session, goal, host = 'bound', turn, draining = false }: Given): AdmissionFacts {
  const own: TurnFacts = turn ?? admittedTurn(session.kind === 'known' ? session.stamp : { kind: 'none' });
  switch (operation) {
    case 'submit':
      return { operation, session, goal, draining };
    case 'resume':
    case 'approve_allow':
      return { operation, session, goal };
    case 'claim_new':
      return { operation, session, goal, host, draining, turn: turn ?? null };
    default:
      return { operation, session, goal, host, turn: own };
  }
}

const admittedTurn = (stamp: Stamp): TurnFacts => ({ stamp, admission: { admitted: true, stamp } });
const verdict = (given: AdmissionFacts): string => {
  const decision = decideAdmission(given);
  return 'reject' in decision ? decision.reject : `+${decision.allow}`;
};

/**
 * The table of the contract, by hand. Columns: a strict live goal, then a legacy one, then one after stamped history, then the goals
 * that are not live. `L` stands for the goal's own code, `+h` for allow_historical.
 */
const LOST: Readonly<Record<string, string>> = {
  absent: 'goal_not_registered', retired: 'goal_retired', duplicated: 'goal_duplicated', malformed: 'invalid_goal_instance_id', unreadable: 'registry_unavailable',
};
const NEW_WORK = {
  unstamped: { strict: 'goal_instance_id_missing', legacy: '+legacy', legacyAfterStamped: 'goal_instance_id_missing', lost: 'L' },
  current: { strict: '+current', legacy: 'stale_goal_instance', legacyAfterStamped: 'stale_goal_instance', lost: 'L' },
  older: { strict: 'stale_goal_instance', legacy: 'stale_goal_instance', legacyAfterStamped: 'stale_goal_instance', lost: 'L' },
  damaged: { strict: 'invalid_goal_instance_id', legacy: 'invalid_goal_instance_id', legacyAfterStamped: 'invalid_goal_instance_id', lost: 'invalid_goal_instance_id' },
} as const;
const ADMITTED_WORK = {
  unstamped: { ...NEW_WORK.unstamped, lost: '+historical' },
  current: { strict: '+current', legacy: '+historical', legacyAfterStamped: '+historical', lost: '+historical' },
  older: { strict: '+historical', legacy: '+historical', legacyAfterStamped: '+historical', lost: '+historical' },
  damaged: NEW_WORK.damaged,
} as const;
const EXPECTED: Readonly<Record<BoundName, Record<StampName, Record<'strict' | 'legacy' | 'legacyAfterStamped' | 'lost', string>>>> = {
  submit: NEW_WORK,
  claim_new: NEW_WORK,
  resume: NEW_WORK,
  approve_allow: NEW_WORK,
  approval_request: NEW_WORK,
  claim_replay: ADMITTED_WORK,
  report: ADMITTED_WORK,
  complete: ADMITTED_WORK,
};
const BOUND = Object.keys(EXPECTED) as BoundName[];

describe('decideAdmission', () => {
  for (const operation of BOUND) {
    it(`decides ${operation} for every state of goal and session as the table says`, () => {
      for (const stamp of Object.keys(STAMPS) as StampName[]) {
        for (const goal of Object.keys(GOALS) as GoalName[]) {
          const row = EXPECTED[operation][stamp];
          const cell = goal in LOST ? row.lost.replace(/^L$/, LOST[goal] ?? '') : row[goal as 'strict'];
          assert.equal(verdict(facts(operation, { session: known(STAMPS[stamp]), goal: GOALS[goal] })), cell, `${operation} × ${stamp} × ${goal}`);
        }
      }
    });

    it(`${operation}: unknown, unrecognized, untrusted and closed sessions, before the goal is looked at`, () => {
      for (const goal of Object.values(GOALS)) {
        assert.equal(verdict(facts(operation, { session: { kind: 'unknown' }, goal })), 'not_found');
        assert.equal(verdict(facts(operation, { session: { kind: 'unrecognized', access: 'full' }, goal })), 'session_mode_unrecognized');
        assert.equal(verdict(facts(operation, { session: known(STAMPS.current, { access: 'read_only' }), goal })), 'workspace_untrusted');
        assert.equal(verdict(facts(operation, { session: known(STAMPS.current, { status: 'closed' }), goal })), 'session_closed');
      }
    });
  }

  it('asks a host who it is before anything else', () => {
    const sessions: SessionFacts[] = [known(STAMPS.older), known(STAMPS.unstamped, { access: 'read_only' }), known(STAMPS.damaged, { status: 'closed' }), { kind: 'unrecognized', access: 'full' }];
    for (const operation of ['claim_new', 'claim_replay', 'report', 'approval_request', 'complete'] as const) {
      for (const session of sessions) {
        for (const goal of Object.values(GOALS)) assert.equal(verdict(facts(operation, { session, goal, host: 'other' })), 'attached_session_host_mismatch');
      }
      assert.equal(verdict(facts(operation, { session: known(STAMPS.current, { mode: 'managed_runtime' }), goal: GOALS.strict })), 'attached_session_host_mismatch');
    }
    for (const operation of ['register', 'host_presence'] as const) {
      for (const session of sessions) assert.equal(verdict({ operation, session, host: 'other' }), 'attached_session_host_mismatch');
      assert.equal(verdict({ operation, session: { kind: 'unknown' }, host: 'other' }), 'not_found');
    }
    assert.equal(verdict({ operation: 'host_presence', session: known(STAMPS.older, { status: 'closed', access: 'read_only' }), host: 'bound' }), '+unbound');
    assert.equal(verdict({ operation: 'register', session: known(STAMPS.older), host: 'bound' }), '+unbound');
    assert.equal(verdict({ operation: 'register', session: known(STAMPS.older, { status: 'closed' }), host: 'bound' }), 'session_closed');
    assert.equal(verdict({ operation: 'register', session: known(STAMPS.older, { access: 'read_only' }), host: 'bound' }), 'workspace_untrusted');
  });

  it('what must always be possible is, whatever became of the goal', () => {
    for (const operation of ['cancel', 'approve_reject', 'close'] as const) {
      for (const stamp of Object.values(STAMPS)) {
        for (const access of ['full', 'read_only'] as const) {
          for (const status of ['ready', 'busy', 'stale', 'resuming', 'resume_failed', 'closed', '']) {
            assert.equal(verdict({ operation, session: known(stamp, { access, status }) }), '+unbound');
          }
        }
      }
      assert.equal(verdict({ operation, session: { kind: 'unknown' } }), 'not_found');
      assert.equal(verdict({ operation, session: { kind: 'unrecognized', access: 'full' } }), operation === 'close' ? '+unbound' : 'session_mode_unrecognized');
    }
    assert.equal(verdict({ operation: 'manage', session: known(STAMPS.older) }), '+unbound');
    assert.equal(verdict({ operation: 'manage', session: known(STAMPS.older, { access: 'read_only' }) }), 'workspace_untrusted');
    assert.equal(verdict({ operation: 'manage', session: known(STAMPS.older, { status: 'closed' }) }), 'session_closed');
  });

  it('a turn of another lifetime than its session, or never handed out, is told apart', () => {
    const session = known(STAMPS.current);
    const never = (stamp: Stamp): TurnFacts => ({ stamp, admission: { admitted: false } });
    for (const operation of ['claim_replay', 'report', 'complete'] as const) {
      const of = (turn: TurnFacts, goal: GoalFacts = GOALS.strict, bound = session) => verdict(facts(operation, { session: bound, goal, turn }));
      assert.equal(of(admittedTurn(STAMPS.older)), 'turn_goal_instance_mismatch');
      assert.equal(of({ stamp: STAMPS.current, admission: { admitted: true, stamp: STAMPS.older } }), 'turn_goal_instance_mismatch');
      assert.equal(of(never(STAMPS.current)), 'turn_not_admitted');
      assert.equal(of(never(STAMPS.older), GOALS.strict, known(STAMPS.older)), 'turn_not_admitted');
      assert.equal(of(admittedTurn(STAMPS.current), GOALS.strict, known(STAMPS.older)), 'turn_goal_instance_mismatch');
      for (const [name, code] of Object.entries(LOST)) assert.equal(of(never(STAMPS.current), GOALS[name as GoalName]), code);
    }
    const claim = (turn: TurnFacts) => verdict(facts('claim_new', { session, goal: GOALS.strict, turn }));
    assert.equal(claim(never(STAMPS.current)), '+current');
    assert.equal(claim(never(STAMPS.older)), 'turn_goal_instance_mismatch');
  });

  it('new work needs a session that takes it, and a gateway that stays', () => {
    for (const status of ['ready', 'busy', 'stale']) assert.equal(verdict(facts('submit', { session: known(STAMPS.current, { status }), goal: GOALS.strict })), '+current');
    for (const status of ['resuming', 'resume_failed', '']) assert.equal(verdict(facts('submit', { session: known(STAMPS.current, { status }), goal: GOALS.strict })), 'session_not_ready');
    for (const status of ['ready', 'busy']) assert.equal(verdict(facts('claim_new', { session: known(STAMPS.current, { status }), goal: GOALS.strict })), '+current');
    for (const status of ['stale', 'resuming', 'resume_failed']) assert.equal(verdict(facts('claim_new', { session: known(STAMPS.current, { status }), goal: GOALS.strict })), 'session_not_ready');
    for (const operation of ['submit', 'claim_new'] as const) assert.equal(verdict(facts(operation, { session: known(STAMPS.current), goal: GOALS.strict, draining: true })), 'draining');
    for (const operation of ['claim_replay', 'report', 'complete'] as const) assert.equal(verdict(facts(operation, { session: known(STAMPS.current), goal: GOALS.strict, draining: true })), '+current');
  });

  it('decides attach by goal, folder and candidate', () => {
    const attach = (goal: GoalFacts, changes: Partial<Extract<AdmissionFacts, { operation: 'attach' }>> = {}) =>
      verdict({ operation: 'attach', access: 'full', goal, candidate: 'none', mode: 'attached_host', ...changes });
    assert.deepEqual(Object.fromEntries((Object.keys(GOALS) as GoalName[]).map((name) => [name, attach(GOALS[name])])), {
      strict: '+current', legacy: '+legacy', legacyAfterStamped: 'goal_instance_id_missing', ...LOST,
    });
    assert.equal(attach(GOALS.strict, { candidate: 'equal' }), '+current');
    assert.equal(attach(GOALS.strict, { candidate: 'different' }), 'attached_session_conflict');
    assert.equal(attach(GOALS.strict, { candidate: 'different', mode: 'managed_runtime' }), 'attached_session_conflict');
    assert.equal(attach(GOALS.strict, { mode: 'managed_runtime' }), 'attached_session_requires_host_bridge');
    assert.equal(attach(GOALS.absent, { access: 'read_only' }), 'workspace_untrusted');
    assert.equal(attach(GOALS.absent, { access: 'none' }), 'workspace_not_granted');
  });

  it('decides what is done to goals themselves', () => {
    const rows: Record<GoalName, readonly [create: string, update: string, retire: string, recreate: string, wrongLifetime: string]> = {
      strict: ['goal_exists', '+current', '+current', '+current', 'goal_lifetime_changed'],
      legacy: ['goal_exists', '+current', 'goal_lifetime_changed', 'goal_lifetime_changed', 'goal_lifetime_changed'],
      legacyAfterStamped: ['goal_exists', '+current', 'goal_lifetime_changed', 'goal_lifetime_changed', 'goal_lifetime_changed'],
      absent: ['+current', 'goal_not_registered', 'goal_not_registered', 'goal_not_registered', 'goal_not_registered'],
      retired: ['+current', 'goal_retired', 'goal_retired', '+current', 'goal_lifetime_changed'],
      duplicated: ['goal_duplicated', 'goal_duplicated', '+current', 'goal_duplicated', 'goal_duplicated'],
      malformed: ['goal_exists', 'invalid_goal_instance_id', '+current', '+current', 'goal_lifetime_changed'],
      unreadable: ['registry_unavailable', 'registry_unavailable', 'registry_unavailable', 'registry_unavailable', 'registry_unavailable'],
    };
    for (const [name, expected] of Object.entries(rows)) {
      const goal: GoalFacts = GOALS[name as GoalName];
      const access = 'full';
      assert.deepEqual([
        verdict({ operation: 'goal_create', access, goal }), verdict({ operation: 'goal_update', access, goal }),
        verdict({ operation: 'goal_retire', access, goal, expectedLifetime: 2 }), verdict({ operation: 'goal_recreate', access, goal, expectedLifetime: 2 }),
        verdict({ operation: 'goal_recreate', access, goal, expectedLifetime: 9 }),
      ], expected, name);
      assert.equal(verdict({ operation: 'goal_create', access: 'none', goal }), 'workspace_not_granted');
      assert.equal(verdict({ operation: 'goal_retire', access: 'read_only', goal, expectedLifetime: 2 }), 'workspace_untrusted');
    }
  });
});
