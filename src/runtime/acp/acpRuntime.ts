import { client, type ClientConnection } from '@agentclientprotocol/sdk';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { Agent, AgentLaunch, AgentRuntime, AgentStart } from '../agent.ts';
import type { ProcessStarter } from '../processes.ts';
import { redactSecrets, secretValues } from '../../base/redact.ts';
import { AcpAgent } from './acpAgent.ts';
import { AgentProcess } from './agentProcess.ts';
import { registerClientHandlers } from './clientHandlers.ts';
import { shakeHands, type Handshake } from './handshake.ts';
import { messageStream } from './messageStream.ts';

export interface AcpRuntimeOptions {
  readonly processes: ProcessStarter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of this product, told to the agent. */
  readonly version: string;
}

/** Starts agents that speak the Agent Client Protocol on their standard input and output. */
export class AcpRuntime implements AgentRuntime {
  readonly #options: AcpRuntimeOptions;

  constructor(options: AcpRuntimeOptions) {
    this.#options = options;
  }

  async start(start: AgentStart): Promise<Agent> {
    const { clock, logger } = this.#options;
    const process = await AgentProcess.start(start.launch, this.#options);
    const agent = new AcpAgent({ launch: start.launch, process, clock, logger });
    try {
      const connection = this.#connect(start, process, agent);
      void process.exited.then(() => connection.close());
      agent.opened(connection.agent, await this.#shakeHands(start, process, connection));
      return agent;
    } catch (error) {
      await process.dispose();
      throw withStderr(error, process, start.launch.label);
    }
  }

  #connect({ launch }: AgentStart, process: AgentProcess, agent: AcpAgent): ClientConnection {
    const { stdin, stdout } = process.child;
    if (stdin === null || stdout === null) throw new AttacheError('execution_unavailable');
    const log = this.#logOf(launch);
    const app = client({ name: 'attache' });
    registerClientHandlers(app, { cwd: launch.cwd, sessionId: () => agent.agentSessionId || null, turn: () => agent.openTurn, hearsComments: () => agent.hearsComments, takesParts: () => agent.takesParts, log });
    app.onNotification('*', ({ method }) => log(`left out a notification of unknown kind ${method}`));
    return app.connect(messageStream({ stdin, stdout, log, onUpdate: (sessionId, update) => agent.onUpdate(sessionId, update) }));
  }

  /** What is logged may quote the agent. */
  #logOf({ agentId, env }: AgentLaunch): (message: string) => void {
    const secrets = secretValues(env);
    return (message) => this.#options.logger.info(`${agentId}: ${redactSecrets(message, secrets)}`);
  }

  async #shakeHands({ launch, resume, signal }: AgentStart, process: AgentProcess, { agent }: ClientConnection): Promise<Handshake> {
    const { clock, version } = this.#options;
    const hands = shakeHands({ agent, launch, resume, version, clock, log: this.#logOf(launch) });
    const gone = process.exited.then((exit): never => {
      throw new AttacheError('execution_unavailable', { message: exit.message, next: 'Check that its command speaks the Agent Client Protocol, then restart the agent.' });
    });
    // Ending the process ends the wait.
    const giveUp = (): void => void process.dispose();
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted === true) giveUp();
    try {
      return await Promise.race([hands, gone]);
    } catch (error) {
      if (error instanceof AttacheError || process.child.stdout?.readable === true) throw error;
      // A broken pipe is seen before the end of the process that explains it; an agent that has closed its output can say nothing more.
      void process.kill();
      return await gone;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }
}

/** Whatever went wrong, the agent's own last words help. */
function withStderr(error: unknown, process: AgentProcess, label: string): AttacheError {
  if (error instanceof AttacheError) return error;
  const last = process.stderr.split('\n').slice(-3).join(' ');
  const reason = error instanceof Error ? error.message : String(error);
  return new AttacheError('execution_unavailable', { message: `${label} could not be started: ${reason}${last === '' ? '' : ` (${last})`}` });
}
