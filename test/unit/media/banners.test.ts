import assert from 'node:assert/strict';
import { banners, sendBlocked } from '../../../media/chat/format/banners.ts';
import type { Goal } from '../../../src/protocol/goal/state.ts';
import type { PanelChrome, PanelState } from '../../../src/protocol/panel.ts';
import type { Session } from '../../../src/protocol/session/state.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';
import { NOON, OTHER_WINDOW, chrome } from '../../support/panelHarness/states.ts';

const state = (surroundings: Partial<PanelChrome> = {}, session: Partial<Session> = {}): PanelState => new SessionScript(session).state({ chrome: chrome(surroundings) });
const shown = (surroundings: Partial<PanelChrome>, session: Partial<Session> = {}) => banners(state(surroundings, session)).map(({ id, actions }) => [id, ...actions.map(({ command }) => command)].join(' '));

describe('the banners of the chat page', () => {
  it('are silent when nothing stands in the way', () => {
    assert.deepEqual(shown({}), []);
    assert.equal(sendBlocked(state()), null);
  });

  it('C34 say what is missing and offer the way out', () => {
    assert.deepEqual(shown({ hasFolder: false }), ['no-folder openFolder']);
    assert.deepEqual([shown({ storeLoss: 'A part was lost.' }), shown({ storeLoss: null })], [['store-loss doctor'], []]);
    assert.equal(sendBlocked(state({ storeLoss: 'A part was lost.' })), null);
    assert.deepEqual(shown({ trusted: false }), ['untrusted manageTrust']);
    assert.deepEqual(shown({ connection: { state: 'disconnected', message: 'x', retryAt: 1 } }), ['disconnected restartGateway']);
    assert.deepEqual(shown({ connection: { state: 'failed', message: 'x', next: 'y' } }), ['failed restartGateway doctor showLog']);
    assert.deepEqual(shown({ agentProcess: { state: 'dead', message: 'x', next: 'y' } }), ['dead-agent restartAgent showLog']);
    assert.deepEqual(shown({}, { bindingMatch: 'goal_instance_mismatch' }), ['stale-goal continueInNewSession']);
    assert.deepEqual(shown({}, { bindingMatch: 'missing_goal_instance_id' }), ['no-lifetime continueInNewSession']);
    assert.deepEqual(shown({}, { bindingMatch: 'invalid' }), ['damaged-goal recreateGoal']);
    assert.deepEqual(shown({}, { status: 'closed' }), ['closed newSession']);
    assert.deepEqual(shown({}, { executor: { state: 'connected', windowId: OTHER_WINDOW, surface: 'vscode' } }), ['other-window takeOver']);
    assert.deepEqual(shown({}, { executor: { state: 'none', windowId: null, surface: 'vscode' } }), ['no-executor takeOver']);
  });

  it('say since when a session is history, and why', () => {
    const text = (bindingMatch: Session['bindingMatch'], goal: Partial<Goal> | null): string => {
      const { view, ...rest } = state({}, { bindingMatch });
      assert.ok(view?.goal);
      const [first] = banners({ ...rest, view: { ...view, goal: goal === null ? null : { ...view.goal, ...goal } } });
      return [first?.id, first?.text, first?.next, ...(first?.actions.map(({ command }) => command) ?? [])].join(' | ');
    };
    assert.match(text('goal_instance_mismatch', { createdAt: NOON }), /^stale-goal \| This goal was recreated on .*14.*2030.*02; this session is history\. \|  \| continueInNewSession$/);
    assert.match(text('goal_not_registered', { state: 'retired', retiredAt: NOON }), /^retired-goal \| This goal was retired on .*2030.*; this session is history\. \| Recreate the goal to go on\. \| recreateGoal \| newSession$/);
    assert.equal(text('goal_not_registered', null), 'retired-goal | The goal of this session does not exist any more; this session is history. | Start a session for another goal. | newSession');
    assert.equal(text('missing_goal_instance_id', { state: 'retired' }), 'retired-goal | This session was made before goals had lifetimes, so it can be read and takes no new work. | Recreate the goal to go on. | recreateGoal | newSession');
  });

  it('let the reader send whenever the gateway takes the message, also to another window or over a cut link', () => {
    assert.equal(sendBlocked(state({ connection: { state: 'disconnected', message: 'x', retryAt: null } })), null);
    assert.equal(sendBlocked(state({}, { executor: { state: 'connected', windowId: OTHER_WINDOW, surface: 'vscode' } })), null);
    for (const blocked of [state({ trusted: false }), state({ hasFolder: false }), state({}, { status: 'closed' }), state({}, { bindingMatch: 'goal_not_registered' })]) {
      assert.notEqual(sendBlocked(blocked), null);
    }
  });
});
