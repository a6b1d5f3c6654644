import assert from 'node:assert/strict';
import { applySessionEvent } from '../../../src/protocol/subscription/reducer.ts';
import { CoreHarness, refused } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

describe('the order of the queue', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const submit = async (text: string) => (await story.submit(text)).turn.turnId;
  const reorder = (turnIds: readonly string[], commandId = story.host.command()) =>
    story.host.call('queue/reorder', { commandId, sessionId: story.sessionId, turnIds: [...turnIds] });

  it('is the one that was asked for, for the host and in the transcript', async () => {
    const running = await story.run();
    const [a, b, c] = [await submit('A'), await submit('B'), await submit('C')];
    const view = story.snapshot();
    const { turns } = await reorder([c, a, b]);
    assert.deepEqual(turns.map(({ text, turnIdx }) => [text, turnIdx]), [['C', 2], ['A', 3], ['B', 4]]);
    const after = story.snapshot();
    assert.deepEqual(after.turns.map(({ turnId }) => turnId), [running, c, a, b]);
    assert.deepEqual(after.items.map(({ text, turnIdx }) => [text, turnIdx]), [['do it', 1], ['C', 2], ['A', 3], ['B', 4]]);
    for (const event of gw.sessionEvents(story.sessionId)) applySessionEvent(view, event);
    assert.deepEqual([view.turns, view.items], [after.turns, after.items], 'a client that follows the events sees the same');

    await story.complete(running);
    const claimed = await story.claim('claim-2');
    assert.equal(claimed.claimed && claimed.turn.turnId, c);
  });

  it('is kept as it was when something else waits than was named', async () => {
    const [a, b] = [await submit('A'), await submit('B')];
    for (const wanted of [[b], [b, a, a], [a, a], [b, a, await submit('C')].slice(0, 2)]) await refused(gw, 'revision_conflict', () => reorder(wanted));
    await gw.clock.advance(3_600_000);
    await refused(gw, 'revision_conflict', () => reorder([b, a]));
  });

  it('is decided like new work', async () => {
    const [a, b] = [await submit('A'), await submit('B')];
    story.tamper('sessions', { goalInstanceId: null });
    await refused(gw, 'goal_instance_id_missing', () => reorder([b, a]));
  });
});
