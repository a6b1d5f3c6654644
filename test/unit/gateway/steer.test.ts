import assert from 'node:assert/strict';
import { CoreHarness, refused } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

describe('steer', () => {
  let gw: CoreHarness;
  let story: Story;

  const begin = async (capabilities: Parameters<typeof Story.begin>[1] = {}): Promise<string> => {
    story = await Story.begin(gw, capabilities);
    return story.run();
  };
  beforeEach(() => {
    gw = new CoreHarness();
  });
  afterEach(() => gw.close());

  const steer = (turnId: string, commandId?: string, text?: string) => story.steer(turnId, text, commandId);

  it('A44 without the capability there is a durable failed receipt, never a queue entry', async () => {
    const turnId = await begin();
    const before = gw.dump(['receipts', 'meta']);
    const receipt = await steer(turnId, 'steer-1');
    assert.deepEqual([receipt.outcome, receipt.outcome === 'failed' && receipt.code], ['failed', 'attached_session_live_steering_unavailable']);
    assert.deepEqual(gw.dump(['receipts', 'meta']), before, 'nothing but the receipt was written');
    gw.restart();
    await story.reconnect();
    assert.deepEqual(await steer(turnId, 'steer-1'), receipt, 'it is there after a restart');
    await refused(gw, 'idempotency_conflict', () => steer(turnId, 'steer-1', 'something else'));
    assert.deepEqual([story.snapshot().turns.length, story.snapshot().session.queue.pending], [1, 0]);
  });

  it('with the capability the message stands in the running turn, once, and nowhere else', async () => {
    const turnId = await begin({ capabilities: ['live_steering', 'interrupt'] });
    const receipt = await steer(turnId, 'steer-1');
    assert.deepEqual(await steer(turnId, 'steer-1'), receipt);
    const { items, turns } = story.snapshot();
    const said = items.filter(({ data }) => data.kind === 'user_message').map(({ itemId, turnId: of, text }) => [itemId, of, text]);
    assert.deepEqual([said.at(-1), said.length, turns.length], [[receipt.outcome === 'delivered' && receipt.itemId, turnId, 'the other way'], 2, 1]);
  });

  it('A44 each other refusal has its own code and leaves no receipt', async () => {
    const turnId = await begin({ capabilities: ['live_steering', 'interrupt'] });
    const next = await story.submit('next');
    await refused(gw, 'live_steering_turn_mismatch', () => steer(next.turn.turnId));
    await story.cancel(turnId);
    await refused(gw, 'live_steering_rejected', () => steer(turnId));
    await story.complete(turnId, { outcome: 'cancelled' });
    await refused(gw, 'live_steering_requires_active_turn', () => steer(turnId));
  });

  it('is refused when nobody is there to hear it, and for a lifetime that is over, without a receipt', async () => {
    const turnId = await begin({ capabilities: ['live_steering'] });
    story.host.disconnect();
    await refused(gw, 'live_steering_rejected', () => steer(turnId));
    await story.reconnect();
    await story.recreate();
    await refused(gw, 'stale_goal_instance', () => steer(turnId));
  });
});
