import assert from 'node:assert/strict';
import { agentChip, goalChip, modeChip, rightsChip, stateChip } from '../../../media/chat/format/chips.ts';
import type { Session } from '../../../src/protocol/session/state.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';
import { OTHER_WINDOW, THIS_WINDOW, change, chrome } from '../../support/panelHarness/states.ts';

const idle = { stoppingTurnId: null };
const view = (change: Partial<Session> = {}) => new SessionScript(change).view;
const mode = (change: Partial<Session>): string => modeChip(view(change), THIS_WINDOW).label;

describe('the chips of the chat page', () => {
  it('name goal and lifetime, or say that the first message makes a goal', () => {
    assert.equal(goalChip(view()).label, 'cart-rounding · life 2');
    assert.equal(goalChip(null).label, 'New goal');
  });

  it('show the title instead of a key that nobody chose', () => {
    const label = (change: Partial<Session>): string => goalChip(view({ goalId: 'g-x3shc6wr54' as Session['goalId'], ...change })).label;
    assert.equal(label({ lifetime: 1, goalTitle: 'Fix the cart' }), 'Fix the cart');
    assert.equal(label({ lifetime: 2, goalTitle: 'Round prices half to even in the cart' }), 'Round prices half to even i… · life 2');
    assert.match(goalChip(view({ goalId: 'g-x3shc6wr54' as Session['goalId'] })).hint, /Key g-x3shc6wr54, lifetime 2/);
  });

  it('do not warn of a missing window where the goal ends it all', () => {
    const gone = { executor: { state: 'disconnected', windowId: null, surface: 'vscode' } } as const;
    assert.equal(modeChip(view(gone), THIS_WINDOW).tone, 'need');
    assert.equal(modeChip(view({ ...gone, bindingMatch: 'goal_not_registered' }), THIS_WINDOW).tone, 'plain');
  });

  it('say that the queue is paused', () => {
    const script = new SessionScript({ queue: { paused: true, pending: 2, oldestAt: 1 } });
    script.queue('one');
    script.queue('two');
    assert.equal(stateChip(chrome(), script.view, idle).label, 'Paused (2)');
  });

  it('A47 A48 A49 quote the mode from the readback and never derive it', () => {
    const readback = view().session.readback;
    assert.equal(mode({}), 'Attached · this window');
    assert.equal(mode({ executor: { state: 'connected', windowId: OTHER_WINDOW, surface: 'vscode' } }), 'Attached · another window');
    assert.equal(mode({ executor: { state: 'disconnected', windowId: null, surface: 'vscode' } }), 'Attached · no window');
    assert.equal(mode({ readback: { ...readback, sessionMode: 'managed_runtime' } }), 'Managed');
    // The row's own text says attached; what counts is what was read back.
    assert.equal(mode({ sessionMode: 'attached_host', readback: { ...readback, sessionMode: null, sessionModeSource: 'unbound' } }), 'Unbound');
    assert.equal(mode({ sessionMode: 'hybrid_handoff', readback: { ...readback, sessionMode: null, sessionModeSource: 'unrecognized' } }), 'Unrecognized');
    assert.equal(modeChip(null, THIS_WINDOW).label, 'Unbound');
  });

  it('name the agent and the model it says it uses', () => {
    assert.equal(agentChip(chrome(), view()).label, 'Codex · fake-model');
    assert.equal(agentChip(chrome(), null).label, 'Codex');
    assert.equal(agentChip(chrome({ agent: { agentId: 'x', label: 'X', installed: false } }), null).tone, 'need');
  });

  it('say what may be done without asking; a new session begins by asking', () => {
    const words = (mode: Session['permissionMode']): string => rightsChip(view({ permissionMode: mode })).label;
    assert.deepEqual((['ask', 'askAlways', 'acceptEdits', 'readOnly'] as const).map(words), ['Ask', 'Ask always', 'Accept edits', 'Read only']);
    assert.deepEqual(rightsChip(null), rightsChip(view({ permissionMode: 'ask' })));
  });

  it('C24 say that it is stopping as soon as Stop was pressed', () => {
    const script = new SessionScript();
    const turn = script.start('work');
    assert.equal(stateChip(chrome(), script.view, idle).label, 'Working');
    assert.equal(stateChip(chrome(), script.view, { stoppingTurnId: turn.turnId }).label, 'Stopping');
    script.updateTurn(turn, { state: 'cancelling' });
    assert.equal(stateChip(chrome(), script.view, idle).label, 'Stopping');
    script.endTurn(turn, 'cancelled');
    assert.equal(stateChip(chrome(), script.view, { stoppingTurnId: turn.turnId }).label, 'Ready');
  });

  it('count what needs an answer', () => {
    const script = new SessionScript();
    const turn = script.start('work');
    const item = script.item(turn, { kind: 'edit', mode: 'hosted', change: change() });
    const first = script.ask(item, { kind: 'edit', mode: 'hosted', changes: [change()] });
    script.ask(item, { kind: 'edit', mode: 'hosted', changes: [change()] });
    assert.equal(stateChip(chrome(), script.view, idle).label, 'Needs you (2)');
    script.settle(first, 'approved');
    assert.equal(stateChip(chrome(), script.view, idle).label, 'Needs you (1)');
  });

  it('put what keeps everything from running before what the session says', () => {
    const label = (change: Parameters<typeof chrome>[0], session: Partial<Session> = {}): string => stateChip(chrome(change), view(session), idle).label;
    assert.equal(label({ connection: { state: 'disconnected', message: '', retryAt: null } }), 'Disconnected');
    assert.equal(label({ connection: { state: 'connecting' } }), 'Connecting');
    assert.equal(label({ trusted: false }), 'Restricted');
    assert.equal(label({ hasFolder: false }), 'No folder');
    assert.equal(label({ agentProcess: { state: 'dead', message: 'gone', next: '' } }), 'Agent stopped');
    assert.equal(label({}, { bindingMatch: 'goal_instance_mismatch' }), 'Stale goal');
    assert.equal(label({}, { bindingMatch: 'missing_goal_instance_id' }), 'Read-only');
    assert.equal(label({}, { status: 'closed' }), 'Closed');
    assert.equal(label({}, { status: 'stale' }), 'Disconnected');
    assert.equal(label({}), 'Ready');
  });
});
