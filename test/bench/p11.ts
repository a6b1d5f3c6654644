import { type BenchRow, atMostTimes, percentile } from './support/benchRow.ts';
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
      const tasks: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        await ours.page.bringToFront();
        await ours.page.evaluate(() => globalThis.drive.longTasks());
        frames.ours.push(percentile(await ours.page.evaluate(([state, deltas, per, generation]) => globalThis.drive.stream(state, deltas, per, generation), [smallState(true), DELTAS, PER_FRAME, 50 + round] as const), 0.95));
        tasks.ours.push(await ours.page.evaluate(() => globalThis.drive.longTasks()));
        await baseline.page.bringToFront();
        await baseline.page.evaluate(() => globalThis.baselines.longTasks());
        frames.theirs.push(percentile(await baseline.page.evaluate(([deltas, per]) => globalThis.baselines.streaming(deltas, per), [DELTAS, PER_FRAME] as const), 0.95));
        tasks.theirs.push(await baseline.page.evaluate(() => globalThis.baselines.longTasks()));
      }
      const least = (values: readonly number[]): number => Math.min(...values);
      const [own, other] = [least(tasks.ours), least(tasks.theirs)];
      return [
        atMostTimes(1.2, { name: 'frame interval, 95th percentile', ours: least(frames.ours), baseline: least(frames.theirs), unit: 'ms', against: 'streaming-markdown, neither cleaned nor coloured' }),
        { name: 'tasks over 50 ms', ours: own, baseline: other, unit: 'tasks', against: 'streaming-markdown', target: '0, or no more than the machine gives the baseline', ok: own <= other },
      ];
    } finally {
      await bench.stop();
    }
  },
};
