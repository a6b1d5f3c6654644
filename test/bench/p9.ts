import { atMost, atMostTimes, type BenchRow, least, timesLess } from './support/benchRow.ts';
import { type BenchPage, PageBench, smallState } from './support/pageBench.ts';

const MESSAGES = 10_000;
const ROUNDS = 9;

const FRAME_MS = 16.7;
const words = (count: number): string => count.toLocaleString('en');

let generation = 10;

/** What it costs to show a session that is in the page's hands, to the first paint. */
async function show(ours: BenchPage, messages: number, loaded: 'all' | 'newest'): Promise<number> {
  generation += 1;
  await ours.page.evaluate(([state, count, number, which]) => { globalThis.drive.prepare(state, count, number, which); }, [smallState(), messages, generation, loaded] as const);
  return (await ours.cost(() => ours.page.evaluate(() => globalThis.drive.show()))).all;
}

export const row: BenchRow = {
  id: 'P9',
  about: `a session of ${words(MESSAGES)} messages, all of them loaded: CPU of the page's main thread to its first paint; the least of ${ROUNDS}, in turns`,
  run: async () => {
    const bench = await PageBench.start();
    try {
      const [ours, baseline] = [await bench.ours(smallState()), await bench.baseline()];
      await baseline.page.evaluate(([state, count]) => { globalThis.baselines.prepare(state, count); }, [smallState(), MESSAGES] as const);
      const [all, newest, short, plain]: [number[], number[], number[], number[]] = [[], [], [], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        short.push(await show(ours, MESSAGES / 10, 'newest'));
        newest.push(await show(ours, MESSAGES, 'newest'));
        all.push(await show(ours, MESSAGES, 'all'));
        plain.push((await baseline.cost(() => baseline.page.evaluate(() => globalThis.baselines.windowedPlain()))).all);
      }
      const nodes = await ours.page.evaluate(() => document.querySelectorAll('*').length);
      const full = (await baseline.cost(() => baseline.page.evaluate(() => globalThis.baselines.fullDom()))).all;
      return [
        timesLess(50, { name: 'first paint', ours: least(all), baseline: full, unit: 'ms', against: 'the same rows all in the page' }),
        atMostTimes(1.5, { name: 'first paint', ours: least(all), baseline: least(plain), unit: 'ms', against: 'rows of bare words, windowed by @tanstack/virtual-core' }),
        atMost(500, { name: 'DOM nodes', ours: nodes, unit: 'nodes' }),
        atMostTimes(1.2, { name: `${words(MESSAGES)} messages, as the gateway hands them over`, ours: least(newest), baseline: least(short), unit: 'ms', against: `${words(MESSAGES / 10)} messages` }),
        // To look once at each of 10,000 messages is not free; it has to fit into a frame.
        atMost(FRAME_MS, { name: 'more for having all of them loaded', ours: Math.max(0, least(all) - least(newest)), unit: 'ms' }),
      ];
    } finally {
      await bench.stop();
    }
  },
};
