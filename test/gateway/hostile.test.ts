import assert from 'node:assert/strict';
import { MUTATION_KINDS } from '../support/frameMutator.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { randomFrom } from '../support/soak.ts';
import { HostileRounds } from '../soak/hostile.ts';

describe('a gateway that is sent hostile frames', () => {
  let gateway: GatewayHarness;
  before(async () => {
    gateway = await GatewayHarness.start({ main: await bundleGateway('test/support/gatewayMain.ts'), clock: 'system' });
  });
  after(() => gateway.stop());

  it('R7 5,000 mutants of valid frames, before and after hello: it lives, others are served, its log says nothing unexpected', async () => {
    const rounds = new HostileRounds(gateway, randomFrom(1));
    const { pid } = gateway;
    await rounds.begin();
    while (rounds.tally.frames < 5000) await rounds.play();
    await rounds.end();
    assert.equal(gateway.pid, pid);
    assert.equal(rounds.kinds.size, MUTATION_KINDS.length);
    assert.ok(rounds.tally.answers > 50 && rounds.tally.strangers > 5, JSON.stringify(rounds.tally));
  }).timeout(60_000);
});
