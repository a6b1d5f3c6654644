import assert from 'node:assert/strict';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { randomFrom } from '../support/soak.ts';
import { StoryKiller } from '../support/story/killStory.ts';
import { pointsOf } from '../soak/kill.ts';

const POINTS = 36;

describe('a story whose gateway is killed in the middle', () => {
  let gateway: GatewayHarness;
  let killer: StoryKiller;
  before(async () => {
    gateway = await GatewayHarness.start({ main: await bundleGateway('test/support/gatewayMain.ts') });
    killer = new StoryKiller(gateway);
  });
  after(() => gateway.stop());

  it(`R1 B6 at ${POINTS} of its steps, of all kinds: every client goes on with just what it saw, and nothing acknowledged is lost`, async () => {
    const steps = await killer.count();
    assert.ok(Object.values(steps).every((count) => count > 20), JSON.stringify(steps));
    let killed = 0;
    for (const point of pointsOf(steps, randomFrom(1)).slice(0, POINTS)) {
      try {
        if ((await killer.kill(point)).killed) killed += 1;
      } catch (error) {
        throw new Error(`killed at ${JSON.stringify(point)}: ${String(error)}`, { cause: error });
      }
    }
    assert.ok(killed > POINTS / 2, `${killed} were reached`);
  }).timeout(240_000);
});
