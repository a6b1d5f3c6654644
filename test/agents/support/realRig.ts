import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { agentCacheFolder } from './agentCache.ts';
import { HostStory, type StorySession } from './hostStory.ts';
import { startModelServer, type ModelServer } from './modelServer.ts';
import { realAgent, type RealAgent, type RealAgentName } from './realAgents.ts';

/** A real agent with its host and a scripted model, ended with the test. */
export class RealRig {
  readonly story: HostStory;
  readonly session: StorySession;
  readonly #model: ModelServer;
  /** The agent's own home folder. */
  readonly home: string;
  readonly #agent: RealAgent;

  static async start(name: RealAgentName, options: { readonly asks?: boolean } = {}): Promise<RealRig> {
    const model = await startModelServer();
    const agent = await realAgent(name, { modelPort: model.port, ...options });
    await mkdir(join(agentCacheFolder(), 'work'), { recursive: true });
    const story = await HostStory.start(await realpath(await mkdtemp(join(agentCacheFolder(), 'work', `${name}-`))));
    return new RealRig(story, await story.session({ agent }), model, agent);
  }

  private constructor(story: HostStory, session: StorySession, model: ModelServer, agent: RealAgent) {
    this.story = story;
    this.session = session;
    this.#model = model;
    this.#agent = agent;
    this.home = agent.home;
  }

  async end(): Promise<void> {
    await this.story.stop();
    await this.#model.close();
    await this.#agent.dispose();
  }
}
