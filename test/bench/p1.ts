import { delta, key, startMessage, submit, TestHost } from '../support/testHost.ts';
import { atMost, type BenchRow } from './support/benchRow.ts';
import { textSource } from './support/corpus.ts';
import { GatewayUnderTest } from './support/gatewayUnderTest.ts';

const REPLAYS = 20;

/** A finished turn within the limits of the cache is read once and never parsed or written as JSON again. */
export const row: BenchRow = {
  id: 'P1',
  about: `${REPLAYS} replays of a finished turn`,
  run: async () => {
    const gateway = await GatewayUnderTest.start();
    try {
      const client = await gateway.client();
      const host = await TestHost.start(client, { workspace: gateway.folder });
      const { turn } = await submit(client, host.sessionId, 'work');
      await host.claim();
      const text = textSource();
      for (let n = 0; n < 40; n++) await host.report(startMessage(`m${n}`), delta(`m${n}`, text(8000)));
      await host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m39') } });
      await gateway.settled();
      await gateway.reset();
      for (let n = 0; n < REPLAYS; n++) await client.raw('turn/replay', { turnId: turn.turnId });
      const { reads, parses, stringifies } = await gateway.counts();
      client.close();
      return [
        atMost(1, { name: 'store reads', ours: reads, unit: 'reads' }),
        atMost(0, { name: 'JSON.parse of content', ours: parses, unit: 'calls' }),
        atMost(0, { name: 'JSON.stringify of content', ours: stringifies, unit: 'calls' }),
      ];
    } finally {
      await gateway.stop();
    }
  },
};
