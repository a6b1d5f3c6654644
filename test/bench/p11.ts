import { type BenchRow, atMost, atMostTimes, least, percentile } from './support/benchRow.ts';
import { PageBench, smallState } from './support/pageBench.ts';

const DELTAS = 1500;
const PER_FRAME = 10;
const ROUNDS = 3;

/** What a person sees of streaming: whether frames come in time. Both pages stream the same in turns, so that both meet the same machine. */
export const row: BenchRow = {
  id: 'P11',
  about: `frames while ${DELTAS} deltas stream into one message with colours, ${PER_FRAME} with each frame; the best of ${ROUNDS} rounds, in turns`,
  run: async () => {
    const bench = await PageBench.start();
    try {
      const [ours, baseline] = [await bench.ours(smallState()), await bench.baseline()];
      const frames: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] };
      const stream = (round: number): Promise<readonly number[]> => ours.page.evaluate(([state, deltas, per, generation]) => globalThis.drive.stream(state, deltas, per, generation), [smallState(true), DELTAS, PER_FRAME, 50 + round] as const);
      // The first one: it loads what colours, too.
      const tasks = await ours.tasks(() => stream(ROUNDS));
      for (let round = 0; round < ROUNDS; round += 1) {
        await ours.page.bringToFront();
        frames.ours.push(percentile(await stream(round), 0.95));
        await baseline.page.bringToFront();
        frames.theirs.push(percentile(await baseline.page.evaluate(([deltas, per]) => globalThis.baselines.streaming(deltas, per), [DELTAS, PER_FRAME] as const), 0.95));
      }
      return [
        atMostTimes(1.2, { name: 'frame interval, 95th percentile', ours: least(frames.ours), baseline: least(frames.theirs), unit: 'ms', against: 'streaming-markdown, neither cleaned nor coloured' }),
        atMost(0, { name: 'tasks over 50 ms of the thread’s own time', ours: tasks.filter((ms) => ms > 50).length, unit: 'tasks' }),
        atMost(50, { name: 'the longest of them', ours: Math.max(...tasks), unit: 'ms' }),
      ];
    } finally {
      await bench.stop();
    }
  },
};
