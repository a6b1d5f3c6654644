import assert from 'node:assert/strict';
import { CoreHarness, refused } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

const HOUR = 3_600_000;
const JUMPS = { 'an hour back': -HOUR, 'a year ahead': 365 * 24 * HOUR } as const;

describe('R8 jumps of the wall clock', () => {
  for (const [name, jump] of Object.entries(JUMPS)) {
    it(`${name}: a request ends when its time is over, not before and not later`, async () => {
      const gw = new CoreHarness();
      const story = await Story.begin(gw);
      await story.run();
      const expiresAt = gw.clock.now() + 60_000;
      const [early, late] = [await story.ask(undefined, { expiresAt }), await story.ask(undefined, { expiresAt })];
      gw.clock.wallOffset = jump;
      await gw.clock.advance(20_000);
      await story.host.call('host/renew', { sessionId: story.sessionId, hostRunId: story.hostRunId });
      assert.equal((await story.decide(early, 'allow')).outcome, 'decided');
      await gw.clock.advance(25_000);
      await story.host.call('host/renew', { sessionId: story.sessionId, hostRunId: story.hostRunId });
      await gw.clock.advance(16_000);
      await refused(gw, 'approval_closed', () => story.decide(late, 'allow'));
      gw.close();
    });

    it(`${name}: a queued message, a deleted session and a cancel that came early keep their time`, async () => {
      const gw = new CoreHarness();
      const story = await Story.begin(gw);
      await story.submit();
      const deleted = await Story.begin(gw, { goalId: 'deleted', hostSessionId: 'd'.repeat(32) });
      await deleted.host.call('session/delete', { commandId: 'd', sessionId: deleted.sessionId });
      await story.host.call('turn/cancel', { commandId: 'c', sessionId: story.sessionId, clientTurnId: 'soon' });
      gw.clock.wallOffset = jump;
      await gw.clock.advance(30_000);
      assert.equal((await story.submit('cancelled already', 'soon')).turn.state, 'cancelled');
      assert.equal((await story.claim()).claimed, true);
      assert.equal((await deleted.host.call('session/undelete', { commandId: 'u', sessionId: deleted.sessionId })).session.status, 'stale');
      gw.close();
    });

    it(`${name}, across a restart: what expires goes on by the difference, never below zero`, async () => {
      const gw = new CoreHarness();
      const story = await Story.begin(gw);
      await story.submit();
      gw.clock.wallOffset = jump;
      gw.restart();
      await story.reconnect();
      const { claimed } = await story.claim();
      assert.equal(claimed, jump < 0, 'an hour in a queue is over after a year, not after a step back');
      gw.close();
    });
  }

  it('a wall clock that stands still changes nothing: time is monotonic, order is by number', async () => {
    const gw = new CoreHarness();
    const story = await Story.begin(gw);
    const stuck = gw.clock.now();
    for (let step = 0; step < 3; step++) {
      await story.submit();
      await gw.clock.advance(25 * 60_000);
      gw.clock.wallOffset += stuck - gw.clock.now();
    }
    assert.equal(gw.clock.now(), stuck);
    const answer = await story.claim();
    assert.ok(answer.claimed && answer.turn.turnIdx === 2, 'the first one has waited for an hour');
    const { turns } = story.snapshot();
    assert.deepEqual(turns.map(({ turnIdx }) => turnIdx), [1, 2, 3]);
    gw.close();
  });
});
