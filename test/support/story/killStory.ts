import fs from 'node:fs';
import path from 'node:path';
import { asAttacheError } from '../../../src/protocol/errors.ts';
import { KILLED_FILE, STEP_KINDS, type Fault, type StepKind } from '../failingCore.ts';
import type { GatewayHarness } from '../gatewayHarness.ts';
import { TestClient } from '../testClient.ts';
import { Inspection } from './inspectStory.ts';
import { Story, unlessLeft } from './story.ts';

/** Where in the story the gateway kills itself, and what comes after that. */
export interface KillPoint {
  readonly at: StepKind;
  readonly after: number;
  /** `returns`: the host comes back; `leaves`: nobody does; `again`: the next start is killed, too, at this step of it. */
  readonly then: 'returns' | 'leaves' | { readonly again: number };
}

export interface KillResult {
  /** False where the story ended before it came to that step. */
  readonly killed: boolean;
  readonly checks: number;
  readonly restarts: number;
}

/** Plays stories on one data root, each in a folder of its own, and ends the gateway in them. */
export class StoryKiller {
  readonly #harness: GatewayHarness;
  #stories = 0;

  constructor(harness: GatewayHarness) {
    this.#harness = harness;
  }

  /** The steps of a story in which nothing goes wrong, by kind. */
  async count(): Promise<Record<StepKind, number>> {
    const story = this.#newStory();
    const control = await this.#control();
    const steps = async () => (await control.raw('test/steps', {})) as Record<StepKind, number>;
    const before = await steps();
    await story.play();
    const after = await steps();
    story.end();
    control.close();
    return Object.fromEntries(STEP_KINDS.map((kind) => [kind, after[kind] - before[kind]])) as Record<StepKind, number>;
  }

  async kill({ at, after, then }: KillPoint): Promise<KillResult> {
    fs.rmSync(this.#marker, { force: true });
    await this.#harness.restart();
    await this.#plan({ at, after, how: 'kill' });
    const story = this.#newStory();
    try {
      return await this.#killIn(story, then);
    } finally {
      story.end();
    }
  }

  async #killIn(story: Story, then: KillPoint['then']): Promise<KillResult> {
    const inspection = new Inspection(this.#harness.dataRoot, story);
    const supervised = this.#supervise(story, then);
    try {
      await story.play().catch(unlessLeft);
    } finally {
      supervised.storyEnded();
    }
    // A gateway that is being brought back just now comes first: two restarts at once would end each other's.
    const restarts = await supervised.restarts;
    await this.#harness.restart();
    // Whatever was planned and not reached must not hit the inspection.
    await this.#plan({ at: 'reply', method: 'none', how: 'kill' });
    const killed = fs.existsSync(this.#marker);
    if (killed && then === 'leaves') await inspection.abandoned();
    else await inspection.finished();
    await inspection.nothingLost();
    return { killed, checks: inspection.checks, restarts };
  }

  /** Brings the gateway back whenever it is gone, as a window would. */
  #supervise(story: Story, then: KillPoint['then']): { storyEnded(): void; readonly restarts: Promise<number> } {
    let over = false;
    const watch = async (): Promise<number> => {
      for (let restarts = 0; ; restarts++) {
        const control = await this.#control().catch(() => null);
        const gone = control?.peer.closed.then(() => 'gone' as const) ?? 'gone';
        const ended = await Promise.race([gone, ending]);
        control?.close();
        if (ended === 'over' || over) return restarts;
        if (then === 'leaves') story.end();
        const faulty = typeof then === 'object' && restarts === 0 ? ['--kill-at', String(then.again)] : [];
        await this.#harness.restart(...faulty).catch((error: unknown) => {
          // It may have died right in its start, which is the point.
          if (asAttacheError(error)?.kind !== 'gateway_unavailable') throw error;
        });
      }
    };
    let end: (word: 'over') => void = () => undefined;
    const ending = new Promise<'over'>((resolve) => {
      end = resolve;
    });
    const restarts = watch();
    restarts.catch(() => story.end());
    return {
      restarts,
      storyEnded: () => {
        over = true;
        end('over');
      },
    };
  }

  async #plan(fault: Fault): Promise<void> {
    const control = await this.#control();
    // Its own answer may be where it dies.
    await control.raw('test/fail', fault).catch(() => undefined);
    control.close();
  }

  get #marker(): string {
    return path.join(this.#harness.dataRoot, KILLED_FILE);
  }

  #newStory(): Story {
    this.#stories += 1;
    return new Story(this.#harness.dataRoot, this.#harness.folder(`story-${this.#stories}`));
  }

  #control(): Promise<TestClient> {
    return TestClient.connect(this.#harness.dataRoot, { kind: 'cli', clientId: 'control' });
  }
}
