import * as fc from 'fast-check';
import { intents } from '../support/model/acts.ts';
import { newFigures, Play } from '../support/model/play.ts';
import { figuresLine, type SoakFigures, type SoakOptions } from '../support/soak.ts';
import { CoreDriver } from '../unit/gateway/support/coreDriver.ts';

export const about = 'random runs of several windows, gateway restarts and time-outs against a reference model';
export const defaultRuns = 10_000;

const BATCH = 500;

export async function run({ runs, seed, report }: SoakOptions): Promise<SoakFigures> {
  const figures = newFigures();
  let played = 0;
  const play = async (acts: Parameters<Play['run']>[0]): Promise<void> => {
    const driver = new CoreDriver();
    try {
      await new Play(driver, 'soak', figures).run(acts);
    } finally {
      driver.gw.close();
    }
  };
  const sofar = (): SoakFigures => ({ 'runs': played, 'steps': figures.steps, 'interleavings of two acts': figures.races, 'waiting claims': figures.waits, 'invariants checked': figures.checks });
  for (let batch = 0; played < runs; batch++) {
    const numRuns = Math.min(BATCH, runs - played);
    await fc.assert(fc.asyncProperty(intents({ restarts: true, maxLength: 60 }), play), { numRuns, seed: seed + batch });
    played += numRuns;
    report(figuresLine(sofar()));
  }
  return sofar();
}
