import * as fc from 'fast-check';
import { intents } from '../../support/model/acts.ts';
import { newFigures, Play } from '../../support/model/play.ts';
import { CoreDriver } from './support/coreDriver.ts';

type Acts = Parameters<Play['play']>[0];

/** Runs that once came out otherwise, made as short as they could be. */
const COUNTER_EXAMPLES: Readonly<Record<string, Acts>> = {
  'a host whose lease ran out gets nothing until it registers again, also when somebody has resumed its session': [
    { do: 'submit', by: 0, s: 0, key: 'k0', text: 'first' }, { do: 'claim', by: 0, s: 0, claim: 'c0', wait: false }, { do: 'advance', ms: 31_000 },
    { do: 'resume', by: 1, s: 0 }, { do: 'submit', by: 1, s: 0, key: 'k1', text: 'second' }, { do: 'claim', by: 0, s: 0, claim: 'c1', wait: false },
    { do: 'register', by: 0, s: 0 }, { do: 'claim', by: 0, s: 0, claim: 'c1', wait: false },
  ],
  'a claim that waits on a paused queue ends with the stale code when the goal is retired': [
    { do: 'submit', by: 0, s: 0, key: 'k0', text: 'first' }, { do: 'pause', by: 0, s: 0 }, { do: 'claim', by: 0, s: 0, claim: 'c0', wait: true },
    { do: 'retire', by: 1, goal: 0, lifetime: 1 },
  ],
  'a retry with the key of a message is refused, and with its own key it is the same turn': [
    { do: 'submit', by: 0, s: 0, key: 'k0', text: 'first' }, { do: 'cancel', by: 0, s: 0, key: 'k0' }, { do: 'retry', by: 0, s: 0, key: 'k0', newKey: 'k0' },
    { do: 'retry', by: 0, s: 0, key: 'k0', newKey: 'k1' }, { do: 'retry', by: 1, s: 0, key: 'k0', newKey: 'k1' },
  ],
};

describe('any order of events', () => {
  for (const [name, acts] of Object.entries(COUNTER_EXAMPLES)) {
    it(name, async () => {
      const driver = new CoreDriver();
      await new Play(driver, 'example', newFigures()).play(acts);
      driver.gw.close();
    });
  }

  it('comes to what the reference model says, 500 times', async () => {
    const figures = newFigures();
    await fc.assert(fc.asyncProperty(intents({ restarts: true, maxLength: 40 }), async (run) => {
      const driver = new CoreDriver();
      try {
        await new Play(driver, 'run', figures).run(run);
      } finally {
        driver.gw.close();
      }
    }), { numRuns: 500 });
  }).timeout(180_000);
});
