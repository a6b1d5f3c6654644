import type { Disposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { asAttacheError, AttacheError } from '../protocol/errors.ts';
import type { AgentProcessState } from '../protocol/panel.ts';
import type { AgentState } from '../protocol/session/state.ts';
import type { Agent, AgentLaunch, AgentRuntime } from '../runtime/agent.ts';

export interface AgentKeeperOptions {
  readonly runtime: AgentRuntime;
  readonly launch: () => AgentLaunch | Promise<AgentLaunch>;
  readonly onProcess: (state: AgentProcessState) => void;
  /** What the agent says about itself; its id of the conversation when it has just been opened. */
  readonly onState: (state: AgentState, agentSessionId: string | null) => void;
  readonly logger: Logger;
}

/** What the first prompt to a newly opened conversation has to know. */
export interface Opening {
  readonly isNew: boolean;
  readonly isLost: boolean;
}

/** Owns the one agent process of a session: started when it is needed, ended with the session. */
export class AgentKeeper {
  readonly #options: AgentKeeperOptions;
  #agent: Agent | null = null;
  #starting: Promise<Agent> | null = null;
  #resume: string | null = null;
  #opening: Opening = { isNew: false, isLost: false };
  #label = '';
  #listening: Disposable | null = null;
  #giveUp = new AbortController();
  #disposed = false;

  constructor(options: AgentKeeperOptions) {
    this.#options = options;
  }

  /** The agent's id of the conversation to go on with, as the gateway knows it. */
  setResume(agentSessionId: string | null): void {
    this.#resume ??= agentSessionId;
  }

  get label(): string {
    return this.#label === '' ? 'The agent' : this.#label;
  }

  /** Starts the agent unless it runs. */
  async get(): Promise<Agent> {
    if (this.#agent !== null) return this.#agent;
    this.#starting ??= this.#start().finally(() => { this.#starting = null; });
    return this.#starting;
  }

  /** To be called with each prompt: true once for each newly opened conversation. */
  takeOpening(): Opening {
    const opening = this.#opening;
    this.#opening = { isNew: false, isLost: false };
    return opening;
  }

  /** The prompt that took the opening was not sent. */
  giveBack(opening: Opening): void {
    this.#opening = opening;
  }

  /** Ends the process, so that the next use starts a new one in the same conversation. */
  async stop(): Promise<void> {
    this.#giveUp.abort();
    await this.#starting?.catch(() => undefined);
    const agent = this.#agent;
    this.#forget();
    if (agent === null) return;
    this.#options.onProcess({ state: 'none' });
    await agent.dispose();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.get();
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.stop();
  }

  async #start(): Promise<Agent> {
    if (this.#disposed) throw new AttacheError('execution_unavailable', { message: 'The session has ended.' });
    this.#options.onProcess({ state: 'starting' });
    this.#giveUp = new AbortController();
    const { signal } = this.#giveUp;
    try {
      const launch = await this.#options.launch();
      this.#label = launch.label;
      const agent = await this.#options.runtime.start({ launch, resume: this.#resume, signal });
      this.#take(agent);
      return agent;
    } catch (error) {
      const known = asAttacheError(error) ?? new AttacheError('execution_unavailable', { message: String(error) });
      this.#options.onProcess({ state: 'dead', message: known.message, next: known.data.next });
      throw known;
    }
  }

  #take(agent: Agent): void {
    this.#agent = agent;
    this.#resume = agent.agentSessionId;
    this.#opening = { isNew: agent.restored === 'new' || agent.restored === 'lost', isLost: agent.restored === 'lost' };
    this.#listening = agent.onStateChanged((state) => this.#options.onState(state, null));
    this.#options.onProcess({ state: 'running' });
    this.#options.onState(agent.state, agent.agentSessionId);
    void agent.exited.then(({ message, next, wanted, stderr }) => {
      if (this.#agent !== agent) return;
      this.#forget();
      this.#options.logger.warn(`${message}${stderr === '' ? '' : `\n${stderr}`}`);
      // The turn that it did not stop for says so already.
      this.#options.onProcess(wanted ? { state: 'none' } : { state: 'dead', message, next });
    });
  }

  #forget(): void {
    this.#listening?.dispose();
    this.#listening = null;
    this.#agent = null;
  }
}
