import assert from 'node:assert/strict';
import { LeaseWatch } from '../../../src/host/leaseWatch.ts';
import { FakeClock } from '../../support/fakeClock.ts';

function rig(renew: () => Promise<void> = () => Promise.resolve()): { clock: FakeClock; lease: LeaseWatch; counts: { renewals: number; cuts: number } } {
  const clock = new FakeClock();
  const counts = { renewals: 0, cuts: 0 };
  const lease = new LeaseWatch({ clock, renew: () => { counts.renewals += 1; return renew(); }, onCutOff: () => { counts.cuts += 1; } });
  return { clock, lease, counts };
}

describe('LeaseWatch', () => {
  it('renews every ten seconds while it is answered', async () => {
    const { clock, lease, counts } = rig();
    for (let round = 0; round < 6; round += 1) {
      await clock.advance(10_000);
      lease.answered();
    }
    assert.deepEqual(counts, { renewals: 6, cuts: 0 });
    assert.equal(lease.mayAct, true);
  });

  it('A46c nothing new after 20 seconds without an answer, the end after 25', async () => {
    const { clock, lease, counts } = rig();
    await clock.advance(19_999);
    assert.equal(lease.mayAct, true);
    await clock.advance(1);
    assert.equal(lease.mayAct, false);
    await clock.advance(4_999);
    assert.equal(counts.cuts, 0);
    await clock.advance(1);
    assert.equal(counts.cuts, 1);
    await clock.advance(100_000);
    assert.equal(counts.cuts, 1);
  });

  it('A46c an answer in between starts the count anew', async () => {
    const { clock, lease, counts } = rig();
    await clock.advance(24_000);
    lease.answered();
    assert.equal(lease.mayAct, true);
    await clock.advance(24_999);
    assert.equal(counts.cuts, 0);
    await clock.advance(1);
    assert.equal(counts.cuts, 1);
  });

  it('a renewal that waits for a link is not joined by others', async () => {
    const { clock, counts } = rig(() => new Promise(() => undefined));
    await clock.advance(24_000);
    assert.equal(counts.renewals, 1);
  });

  it('its end is the end of its timers', async () => {
    const { clock, lease } = rig();
    lease.dispose();
    assert.equal(clock.pending, 0);
    assert.equal(lease.mayAct, false);
  });
});
