import { STEP_KINDS, type StepKind } from '../support/failingCore.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { figuresLine, randomFrom, type SoakFigures, type SoakOptions } from '../support/soak.ts';
import { StoryKiller, type KillPoint } from '../support/story/killStory.ts';

export const about = 'R1, B6: kill -9 of the gateway at every step of its store and sockets while three clients play a story';
export const defaultRuns = 1500;

/** So that a store of many stories does not slow the next one down. */
const POINTS_PER_GATEWAY = 60;
const START_STEPS = 60;

/** Every step of the story, in an order that visits all kinds early: the first few are a fair sample. */
export function pointsOf(steps: Readonly<Record<StepKind, number>>, random: () => number): KillPoint[] {
  const queues = STEP_KINDS.map((at) => shuffled(Array.from({ length: steps[at] }, (_, after) => ({ at, after })), random)).filter(({ length }) => length > 0);
  const points: KillPoint[] = [];
  while (queues.some(({ length }) => length > 0)) {
    for (const queue of queues) {
      const point = queue.pop();
      if (point !== undefined) points.push({ ...point, then: fateOf(points.length, random) });
    }
  }
  return points;
}

/** Mostly everybody comes back; at times nobody does, or the next start is killed as well. */
function fateOf(at: number, random: () => number): KillPoint['then'] {
  if (at % 4 === 1) return 'leaves';
  return at % 7 === 2 ? { again: Math.floor(random() * START_STEPS) } : 'returns';
}

export async function run({ runs, seed, report }: SoakOptions): Promise<SoakFigures> {
  const main = await bundleGateway('test/support/gatewayMain.ts');
  const random = randomFrom(seed);
  const done = { points: 0, notReached: 0, restarts: 0, checks: 0 };
  let all: KillPoint[] = [];
  let total = 0;
  while (done.points < runs) {
    const harness = await GatewayHarness.start({ main });
    try {
      const killer = new StoryKiller(harness);
      if (all.length === 0) {
        all = pointsOf(await killer.count(), random);
        total = all.length;
      }
      for (let n = 0; n < POINTS_PER_GATEWAY && done.points < runs && all.length > 0; n++) {
        const point = all.shift()!;
        const result = await killer.kill(point).catch((error: unknown) => {
          throw new Error(`killed at ${JSON.stringify(point)}`, { cause: error });
        });
        done[result.killed ? 'points' : 'notReached'] += 1;
        done.restarts += result.restarts;
        done.checks += result.checks;
      }
    } finally {
      await harness.stop();
    }
    report(figuresLine(figures()));
  }
  return figures();

  function figures(): SoakFigures {
    return { 'points killed at': done.points, 'steps in a story': total, 'not reached': done.notReached, 'restarts': done.restarts, 'invariants checked': done.checks };
  }
}

function shuffled<T>(list: T[], random: () => number): T[] {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other]!, list[at]!];
  }
  return list;
}
