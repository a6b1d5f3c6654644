import assert from 'node:assert/strict';
import { PartChoices } from '../../../src/extension/approvals/partChoices.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';

const hunk = (line: number): object => ({ fromStart: line, fromEnd: line + 1, toStart: line, toEnd: line + 1 });
const edit = (changes: readonly object[], mode = 'hosted'): Approval => ({ approvalId: 'one', subject: { kind: 'edit', mode, changes } }) as unknown as Approval;
const whole: readonly Approval[] = [
  edit([{ path: '/w/a' }]),
  edit([{ path: '/w/a', hunks: [hunk(1)] }]),
  edit([{ path: '/w/a', hunks: [hunk(1), hunk(5)] }, { path: '/w/b' }]),
  edit([{ path: '/w/a', hunks: [hunk(1), hunk(5)] }], 'agent'),
  { approvalId: 'one', subject: { kind: 'command', command: 'make' } } as unknown as Approval,
];

describe('what a person has marked of an edit', () => {
  it('is complete with a mark for each hunk, and not before', () => {
    const choices = new PartChoices();
    const approval = edit([{ path: '/w/a', hunks: [hunk(1)] }, { path: '/w/b', hunks: [hunk(2), hunk(9)] }]);
    for (const place of [{ change: 0, hunk: 0 }, { change: 1, hunk: 1 }]) {
      choices.mark('one', place, 'reject');
      assert.equal(choices.isComplete(approval), false);
    }
    choices.mark('one', { change: 1, hunk: 0 }, 'approve');
    assert.equal(choices.isComplete(approval), true);
    assert.deepEqual(choices.part(approval), [[], [0]]);
    choices.mark('one', { change: 0, hunk: 0 }, null);
    assert.equal(choices.isComplete(approval), false);
  });

  it('never completes a request that can only be answered whole: marking it would approve it', () => {
    for (const approval of whole) {
      const choices = new PartChoices();
      assert.equal(choices.isComplete(approval), false);
      choices.mark('one', { change: 0, hunk: 0 }, 'reject');
      assert.equal(choices.isComplete(approval), false);
    }
  });

  it('can only be a hunk that the request lets be chosen', () => {
    const choices = new PartChoices();
    const approval = edit([{ path: '/w/a', hunks: [hunk(1), hunk(5)] }]);
    assert.deepEqual([0, 1, 2, -1].map((at) => choices.canMark(approval, { change: 0, hunk: at })), [true, true, false, false]);
    assert.equal(choices.canMark(approval, { change: 1, hunk: 0 }), false);
    assert.deepEqual(whole.filter((each) => choices.canMark(each, { change: 0, hunk: 0 })), []);
  });
});
