import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fakeAgent } from '../agents/support/fakeAgent.ts';
import { HostStory } from '../agents/support/hostStory.ts';
import { eventually } from '../support/eventually.ts';
import { allProcesses, descendants } from '../support/processes.ts';
import { figuresLine, type SoakFigures, type SoakOptions } from '../support/soak.ts';

export const about = 'B8: a session is opened, its agent works with children of its own, and it is closed; no process is left, and no other one is touched';
export const defaultRuns = 200;

/** Started once for everything this process starts, and idle: it ends what is left when this process is killed. */
const GUARD = 'attache-orphan-guard';
const CHILDREN_MS = 20_000;

/** What has ended and only waits to be collected is not alive. */
const alive = (pids: readonly number[]): number[] => {
  const all = new Set(allProcesses().map(({ pid }) => pid));
  return pids.filter((pid) => all.has(pid));
};

/** Opens and closes hosts with real agent processes, beside a process that is none of theirs. */
export class OpenCloseRounds {
  readonly #story: HostStory;
  readonly tally = { rounds: 0, processes: 0 };

  constructor(story: HostStory) {
    this.#story = story;
  }

  async play(): Promise<void> {
    const round = ++this.tally.rounds;
    const detached = round % 2 === 0;
    const script = { prompts: [{ steps: [{ spawnChild: { detached, ignoreSigterm: round % 5 === 0 } }, { text: 'ok' }] }] };
    const agent = fakeAgent(script, this.#story.gateway.folder('scripts'), `openClose${String(round)}`);
    const bystander = spawn('sleep', ['600'], { stdio: 'ignore', detached });
    await once(bystander, 'spawn');
    try {
      const session = await this.#story.session({ agent });
      assert.equal((await session.endOf(await session.submit('go'))).state, 'completed');
      await agent.waitFor('its children', (log) => log.some(({ event }) => event === 'child'), CHILDREN_MS);
      const tree = [...agent.events('prompt').map(({ pid }) => pid), ...agent.events('child').flatMap((entry) => [Number(entry['child']), Number(entry['grandchild'])])];
      assert.ok(alive(tree).length === 3, 'the agent and two of its own ran');
      this.tally.processes += tree.length;
      await session.end();
      await eventually('no child process is left', () => this.#children(bystander.pid).length === 0);
      assert.deepEqual(alive(tree), []);
      assert.deepEqual(alive([bystander.pid!]), [bystander.pid], 'a process that is none of theirs lives');
    } finally {
      bystander.kill('SIGKILL');
      await once(bystander, 'exit');
    }
  }

  /** Of this process; the gateway is a session of its own and no child of the story. */
  #children(bystander: number | undefined): number[] {
    const apart = new Set([bystander, this.#story.gateway.pid]);
    return descendants(process.pid).filter(({ pid, command }) => !apart.has(pid) && !command.includes(GUARD) && !command.startsWith('ps ')).map(({ pid }) => pid);
  }
}

export async function run({ runs, report }: SoakOptions): Promise<SoakFigures> {
  const story = await HostStory.start();
  const rounds = new OpenCloseRounds(story);
  try {
    while (rounds.tally.rounds < runs) {
      await rounds.play();
      if (rounds.tally.rounds % 50 === 0) report(figuresLine(rounds.tally));
    }
    return { ...rounds.tally, 'processes left': 0 };
  } finally {
    await story.stop();
  }
}
