import assert from 'node:assert/strict';
import { CoreHarness, rejection } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

/** A message for which a claim waits: stored, claimed and on its way with one commit. */
describe('A19 the wake of a waiting claim', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  it('costs no commit of its own, and says who did what', async () => {
    const waiting = story.claim('claim-1', 1800);
    const [commits, head] = [gw.store.commits, story.snapshot().head];
    const { turn } = await story.submit('do it', 'key', gw.client('cli', 'cli'));
    assert.equal(gw.store.commits, commits + 1);
    assert.equal((await waiting).claimed, true);
    const told = gw.sessionEvents(story.sessionId).filter(({ seq }) => seq > head);
    assert.deepEqual(told.map(({ type, causedBy }) => [type, causedBy.clientId]), [
      ['turn.updated', 'cli'], ['item.started', 'cli'], ['item.ended', 'cli'], ['turn.updated', story.host.principal.clientId], ['session.updated', 'cli'],
    ]);
    assert.deepEqual([turn.state, turn.rev], ['queued', 1], 'the answer is of the message');
    assert.equal((await story.turn(turn.turnId)).state, 'running');
  });

  it('is all or nothing with the message, at whatever step the store fails; the claim waits on', async () => {
    const steps = await countSteps(gw, async () => {
      const waiting = story.claim('claim-0', 1800);
      const { turn } = await story.submit();
      await waiting;
      await story.complete(turn.turnId, undefined, { claimId: 'claim-0' });
    });
    assert.ok(steps > 20, `${steps} steps`);
    let failures = 0;
    for (let at = 1; at <= steps; at++) {
      const waiting = story.claim(`claim-${at}`, 1800).catch(({ kind }: { kind: string }) => kind);
      const [before, published] = [gw.dump(), gw.published.length];
      let step = 0;
      gw.observe = ({ kind }) => {
        if (kind !== 'committed' && (step += 1) === at) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      };
      const failed = await story.submit('do it', `failing-${at}`).then(() => null, ({ kind }: { kind: string }) => kind);
      gw.observe = () => undefined;
      if (failed !== null) {
        failures += 1;
        assert.match(failed, /^(storage_full|registry_unavailable)$/);
        assert.deepEqual(gw.dump(), before, `nothing is left of it at step ${at}`);
        assert.equal(gw.published.length, published);
      }
      const { turn } = failed === null ? await story.submit('do it', `failing-${at}`) : await story.submit('again', `good-${at}`);
      const waited = await waiting;
      // The goals could not be read when the claim looked at them: it is refused, and the next one gets the message.
      const claimed = waited === 'registry_unavailable' ? await story.claim(`claim-${at}`) : waited;
      assert.ok(typeof claimed === 'object' && claimed.claimed && claimed.turn.turnId === turn.turnId, `step ${at}: it waited on`);
      await story.complete(turn.turnId, undefined, { claimId: `claim-${at}` });
    }
    assert.ok(failures > 0, 'no step failed');
  });

  it('refuses a claim that may not have it, and keeps the message', async () => {
    const waiting = rejection(() => story.claim('claim-1', 1800));
    gw.observe = ({ kind, sql }) => {
      if (kind === 'write' && sql.startsWith('INSERT INTO turns ')) story.tamper('sessions', { status: 'stale' });
    };
    const { turn } = await story.submit();
    gw.observe = () => undefined;
    assert.equal((await waiting).kind, 'session_not_ready');
    assert.equal((await story.turn(turn.turnId)).state, 'queued');
  });
});

async function countSteps(gw: CoreHarness, action: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let steps = 0;
  gw.observe = ({ kind }) => {
    if (kind === 'committed') steps = 0;
    else most = Math.max(most, (steps += 1));
  };
  await action();
  gw.observe = () => undefined;
  return most;
}
