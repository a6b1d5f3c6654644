import assert from 'node:assert/strict';
import { receipt, subjectName } from '../../../media/chat/format/receipts.ts';
import type { Approval, ApprovalStatus } from '../../../src/protocol/approval/state.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';
import { OTHER_WINDOW, THIS_WINDOW, change } from '../../support/panelHarness/states.ts';

function settled(status: ApprovalStatus, more: Partial<Approval> = {}): Approval {
  const script = new SessionScript();
  const item = script.item(script.start('x'), { kind: 'edit', mode: 'hosted', change: change() });
  const approval = script.ask(item, { kind: 'edit', mode: 'hosted', changes: [change()] });
  return { ...approval, status, ...more };
}

const HERE = { clientId: THIS_WINDOW, windowId: THIS_WINDOW };
const by = (clientKind: string, clientId: string) => ({ by: 'client' as const, clientId, clientKind, rule: null });
const outcome = (status: ApprovalStatus, more: Partial<Approval> = {}): string => receipt(settled(status, more), HERE).outcome;

describe('the receipt of a request', () => {
  it('says who decided', () => {
    assert.equal(outcome('approved', { decidedBy: by('editor', THIS_WINDOW) }), 'Approved here');
    assert.equal(outcome('approved', { decidedBy: { ...by('editor', THIS_WINDOW), windowId: THIS_WINDOW } }), 'Approved here');
    assert.equal(outcome('approved', { decidedBy: { ...by('editor', THIS_WINDOW), windowId: OTHER_WINDOW } }), 'Approved in the editor');
    assert.equal(outcome('approved', { decidedBy: by('cli', 'cli-1') }), 'Approved in CLI');
    assert.equal(outcome('rejected', { decidedBy: by('editor', OTHER_WINDOW) }), 'Rejected in another window');
    assert.equal(outcome('approved', { decidedBy: { by: 'policy', clientId: null, clientKind: null, rule: 'policy:attache.approvals' } }), 'Approved by rule policy:attache.approvals');
    assert.equal(outcome('approved', { decidedBy: { by: 'grant', clientId: null, clientKind: null, rule: 'grt_1' } }), 'Allowed by your rule');
  });

  it('C04 C06 says why nobody decided', () => {
    assert.equal(outcome('cancelled', { cause: 'turn_cancelled' }), 'Withdrawn: the turn was stopped');
    assert.equal(outcome('cancelled', { cause: 'goal_retired' }), 'Withdrawn: the goal was retired');
    assert.equal(outcome('orphaned', { cause: 'executor_restarted' }), 'Not answered; nothing was run: the window that ran it was restarted');
    assert.equal(outcome('orphaned', { cause: 'executor_lost' }), 'Not answered; nothing was run: the window that ran it went away');
    assert.equal(outcome('expired'), 'Expired: nobody answered in time');
    assert.equal(outcome('cancelled', { cause: 'some_new_cause' }), 'Withdrawn: some new cause');
  });

  it('never gives a withdrawal as its own reason', () => {
    const withdrawn = (turn: Parameters<typeof receipt>[2]) => receipt(settled('cancelled', { cause: 'withdrawn' }), HERE, turn).outcome;
    assert.equal(withdrawn({ turn: { state: 'failed', cause: 'execution_unavailable' } }), 'Withdrawn: the agent ended or could not be started');
    assert.equal(withdrawn({ turn: { state: 'cancelled', cause: null } }), 'Withdrawn: the turn was stopped');
    assert.equal(withdrawn({ turn: { state: 'interrupted', cause: 'executor_lost' } }), 'Withdrawn: the window that ran it went away');
    assert.equal(withdrawn({ turn: { state: 'completed', cause: null } }), 'Withdrawn: the agent took it back');
    assert.equal(withdrawn({}), 'Withdrawn: the agent took it back');
  });

  it('says that a request was asked again', () => {
    assert.equal(receipt(settled('approved'), HERE, { superseded: true }).outcome, 'Approved elsewhere, then asked again: the file had changed');
  });

  it('names what was asked in one line', () => {
    assert.equal(receipt(settled('approved'), HERE).subject, 'Edit of src/cart.ts');
    assert.equal(subjectName({ kind: 'command', command: 'cd a &&\n  ls', cwd: '/', envNames: [] }, ''), 'Command cd a && ⏎ ls');
    assert.equal(subjectName({ kind: 'edit', mode: 'hosted', changes: [change('a'), change('b')] }, ''), 'Edit of 2 files');
    assert.ok(subjectName({ kind: 'question', detail: '' }, 'x'.repeat(5000)).length <= 200);
  });
});
