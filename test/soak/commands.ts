import { CommandRounds } from '../agents/support/commandRounds.ts';
import { HostStory } from '../agents/support/hostStory.ts';
import { figuresLine, type SoakFigures, type SoakOptions } from '../support/soak.ts';

export const about = 'C24, C25: short, long, multi-line, failing and reading commands give all of their output and their own end; Stop stops each kind of work';
export const defaultRuns = 20;

export async function run({ runs, report }: SoakOptions): Promise<SoakFigures> {
  const story = await HostStory.start();
  const rounds = new CommandRounds(story);
  try {
    for (let round = 1; round <= runs; round += 1) {
      await rounds.run(1);
      await rounds.stopLoop();
      await rounds.stopAtCard();
      await rounds.stopWithJob();
      await rounds.stopDeaf();
      if (round % 5 === 0) report(figuresLine(rounds.tally));
    }
    return rounds.tally;
  } finally {
    await story.stop();
  }
}
