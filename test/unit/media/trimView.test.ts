import assert from 'node:assert/strict';
import { trimView } from '../../../media/chat/trimView.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';

function session(turns: number, chars: number): SessionScript {
  const script = new SessionScript();
  for (let n = 0; n < turns; n += 1) {
    const turn = script.start(`question ${n}`);
    script.done(turn, { kind: 'agent_message' }, 'x'.repeat(chars));
    script.endTurn(turn);
  }
  return script;
}

describe('a view that has grown too large', () => {
  it('lets go of its oldest turns, whole, and says from where they can be loaded again', () => {
    const { view } = session(80, 1000);
    assert.equal(trimView(view, 60_000), true);
    assert.deepEqual([view.turns.length, view.items.length, view.turns[0]?.turnIdx, view.earlier], [59, 118, 22, 22]);
    assert.equal(trimView(view, 60_000), false);
  });

  it('keeps the last ten turns, however large', () => {
    const { view } = session(60, 10_000);
    trimView(view, 1000);
    assert.deepEqual([view.turns.length, view.earlier], [10, 51]);
    assert.equal(trimView(session(10, 10_000).view, 1000), false);
  });

  it('keeps what waits or runs', () => {
    const script = session(5, 10_000);
    const asking = script.start('asks');
    script.ask(script.item(asking, { kind: 'command', command: 'ls', cwd: '/', envNames: [], exitCode: null, signal: null, cut: 0 }), { kind: 'command', command: 'ls', cwd: '/', envNames: [] });
    script.endTurn(asking);
    for (let n = 0; n < 70; n += 1) script.endTurn(script.start(`later ${n}`));
    assert.equal(trimView(script.view, 100), true);
    assert.equal(script.view.turns[0]?.turnId, asking.turnId);
    assert.equal(script.view.approvals.length, 1);
  });
});
