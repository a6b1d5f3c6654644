import { atMost, atMostTimes, type BenchRow, timesLess } from './support/benchRow.ts';
import { type BenchPage, type Cost, PageBench, smallState } from './support/pageBench.ts';

const DELTAS = 5000;
/** A quick agent: 1,500 deltas a second where frames come in time. */
const PER_FRAME = 25;

let generation = 10;

async function stream(ours: BenchPage, deltas: number): Promise<Cost> {
  generation += 1;
  return ours.cost(() => ours.page.evaluate(([state, count, per, number]) => globalThis.drive.stream(state, count, per, number), [smallState(true), deltas, PER_FRAME, generation] as const));
}

/** Whether what streamed is what it would have been at once: 0 when it is. */
async function differs(ours: BenchPage): Promise<number> {
  return ours.page.evaluate(([state, deltas]) => globalThis.drive.differs(state, deltas), [smallState(true), DELTAS] as const);
}

export const row: BenchRow = {
  id: 'P10',
  about: `${DELTAS} deltas of 20 characters into one message, ${PER_FRAME} with each frame: script time of the page, with colours; the least of two, in turns`,
  run: async () => {
    const bench = await PageBench.start();
    try {
      const [ours, baseline] = [await bench.ours(smallState()), await bench.baseline()];
      const runs = async (act: () => Promise<Cost>): Promise<number> => Math.min((await act()).script, (await act()).script);
      const five = await runs(() => stream(ours, DELTAS));
      const writer = await runs(() => baseline.cost(() => baseline.page.evaluate(([deltas, per]) => globalThis.baselines.streaming(deltas, per), [DELTAS, PER_FRAME] as const)));
      const anew = (await baseline.cost(() => baseline.page.evaluate(([deltas, per]) => globalThis.baselines.perFrame(deltas, per), [DELTAS, PER_FRAME] as const))).script;
      const ten = await runs(() => stream(ours, 2 * DELTAS));
      return [
        timesLess(10, { name: 'script time', ours: five, baseline: anew, unit: 'ms', against: 'parsed, cleaned and coloured anew with each frame' }),
        atMostTimes(10, { name: 'script time of the whole page, all it does included', ours: five, baseline: writer, unit: 'ms', against: 'streaming-markdown alone, neither cleaned nor coloured' }),
        atMostTimes(2.2, { name: `${2 * DELTAS} deltas`, ours: ten, baseline: five, unit: 'ms', against: `${DELTAS} deltas` }),
        atMost(0, { name: 'differences from rendering at once', ours: await differs(ours), unit: 'messages' }),
      ];
    } finally {
      await bench.stop();
    }
  },
};
