import assert from 'node:assert/strict';
import { decideApproval } from '../../../src/gateway/approvals/decideApproval.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { TurnState } from '../../../src/protocol/turn/state.ts';

const NOW = 1000;
const pending = {
  approvalId: 'a', sessionId: 's', turnId: 't', itemId: 'i', title: '', subject: { kind: 'command', command: 'ls', cwd: '/', envNames: [] },
  options: [
    { optionId: 'once', name: '', kind: 'allow_once' }, { optionId: 'always', name: '', kind: 'allow_always' }, { optionId: 'no', name: '', kind: 'reject_once' },
    { optionId: 'never', name: '', kind: 'reject_always' }, { optionId: 'odd', name: '', kind: 'other' },
  ],
  actionDigest: 'd', status: 'pending', optionId: null, comment: null, decidedBy: null, cause: null, expiresAt: null, createdAt: 0, decidedAt: null,
} as unknown as Approval;

function outcome(changes: Partial<Approval>, optionId = 'once', turn: TurnState = 'waiting', actionDigest = 'd'): string {
  const decision = decideApproval({ ...pending, ...changes }, turn, { optionId, actionDigest }, NOW);
  return decision.kind === 'record' ? decision.status : decision.kind === 'refuse' ? decision.code : decision.kind;
}

describe('decideApproval', () => {
  it('reads each kind of option, of an act and of a question', () => {
    const of = (changes: Partial<Approval>) => ['once', 'always', 'no', 'never', 'odd', 'unknown'].map((optionId) => outcome(changes, optionId));
    assert.deepEqual(of({}), ['approved', 'approved', 'rejected', 'rejected', 'rejected', 'approval_option_unknown']);
    assert.deepEqual(of({ subject: { kind: 'question', detail: '' } }), ['answered', 'answered', 'rejected', 'rejected', 'answered', 'approval_option_unknown']);
  });

  it('takes the first answer and tells the others apart', () => {
    assert.equal(outcome({ status: 'approved', optionId: 'once' }), 'already');
    assert.equal(outcome({ status: 'approved', optionId: 'once' }, 'no'), 'approval_already_decided');
    for (const status of ['cancelled', 'expired', 'orphaned'] as const) assert.equal(outcome({ status }), 'approval_closed');
  });

  it('is closed at its expiry, and with a turn that does not go on', () => {
    assert.equal(outcome({ expiresAt: NOW + 1 }), 'approved');
    assert.equal(outcome({ expiresAt: NOW }), 'approval_closed');
    const byTurn = (['running', 'waiting', 'queued', 'cancelling', 'completing', 'completed', 'failed', 'cancelled', 'interrupted', 'expired'] as const).map((turn) => outcome({}, 'once', turn));
    assert.deepEqual(byTurn, ['approved', 'approved', ...Array.from({ length: 8 }, () => 'approval_closed')]);
  });

  describe('of a part of an edit', () => {
    const hunk = { fromStart: 0, fromEnd: 1, toStart: 0, toEnd: 1 };
    const edit = (mode: 'hosted' | 'agentApplied', ...hunks: (number | null)[]) =>
      ({ subject: { kind: 'edit', mode, changes: hunks.map((count) => (count === null ? {} : { hunks: Array.from({ length: count }, () => hunk) })) } }) as unknown as Partial<Approval>;
    const of = (changes: Partial<Approval>, part: number[][], optionId = 'once') => {
      const decision = decideApproval({ ...pending, ...changes }, 'waiting', { optionId, actionDigest: 'd', part }, NOW);
      return decision.kind === 'record' ? decision.status : decision.kind === 'refuse' ? decision.code : decision.kind;
    };

    it('names hunks that the request has, each once, in order, at least one', () => {
      for (const part of [[[0]], [[2]], [[0, 1, 2]]]) assert.equal(of(edit('hosted', 3), part), 'approved');
      for (const part of [[[3]], [[-1]], [[0, 0]], [[1, 0]], [[]], [[0], [0]]]) assert.equal(of(edit('hosted', 3), part), 'approval_part_unknown');
      assert.equal(of(edit('hosted', 1, 2), [[], [1]]), 'approved');
      assert.equal(of(edit('hosted', 1, 2), [[], []]), 'approval_part_unknown');
    });

    it('is refused where it could not be kept to: the agent writes, no hunks are stated, or it is said for good', () => {
      for (const changes of [edit('agentApplied', 3), edit('hosted', null), edit('hosted', 3, null), edit('hosted', 1), {}]) assert.equal(of(changes, [[0]]), 'approval_part_not_possible');
      for (const optionId of ['always', 'no', 'never', 'odd']) assert.equal(of(edit('hosted', 3), [[0]], optionId), 'approval_part_not_possible');
    });

    it('is the same answer only with the same part, and all of it is the whole', () => {
      const decided = { ...edit('hosted', 3), status: 'approved', optionId: 'once' } as const;
      assert.equal(of({ ...decided, part: [[0, 2]] }, [[0, 2]]), 'already');
      assert.equal(of({ ...decided, part: [[0, 2]] }, [[0]]), 'approval_already_decided');
      assert.equal(of({ ...decided, part: [[0, 2]] }, [[0, 1, 2]]), 'approval_already_decided');
      assert.equal(outcome({ ...decided, part: [[0, 2]] }), 'approval_already_decided');
      assert.equal(of(decided, [[0, 1, 2]]), 'already');
    });
  });

  it('is about exactly what was shown', () => {
    assert.equal(outcome({}, 'once', 'waiting', 'other'), 'approval_changed');
  });
});
