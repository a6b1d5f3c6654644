import { once } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import type { Logger } from '../../base/logger.ts';
import type { AgentExit, AgentLaunch } from '../agent.ts';
import type { OwnedProcess, ProcessStarter } from '../processes.ts';
import { redactSecrets, secretValues } from '../../base/redact.ts';
import { StderrTail } from './stderrTail.ts';

export interface AgentProcessParts {
  readonly processes: ProcessStarter;
  readonly clock: Clock;
  readonly logger: Logger;
}

const lastWordsMs = 200;

/** The process of one agent, from its start to the end of its whole tree. */
export class AgentProcess {
  readonly #owned: OwnedProcess;
  readonly #launch: AgentLaunch;
  readonly #stderr: StderrTail;
  readonly #exited = new Deferred<AgentExit>();
  #killing: Promise<void> | null = null;
  #wanted = false;

  static async start(launch: AgentLaunch, { processes, clock, logger }: AgentProcessParts): Promise<AgentProcess> {
    const { command, args, cwd, env } = launch;
    return new AgentProcess(await processes.start({ command, args, cwd, env, stdin: 'pipe' }), launch, clock, logger);
  }

  constructor(owned: OwnedProcess, launch: AgentLaunch, clock: Clock, logger: Logger) {
    this.#owned = owned;
    this.#launch = launch;
    const secrets = secretValues(launch.env);
    const { child } = owned;
    this.#stderr = new StderrTail(child.stderr, (line) => redactSecrets(line, secrets), (line) => logger.debug(`${launch.agentId}: ${line}`));
    // A write to a process that is gone fails; its end is noticed by itself.
    child.stdin?.on('error', () => undefined);
    const closed = once(child, 'close');
    const exit = (exitCode: number | null, signal: string | null): void => {
      // What it left running is ended with it, and holds its output open until then.
      void this.kill();
      const soon = new Promise<void>((resolve) => void clock.setTimeout(resolve, lastWordsMs));
      void Promise.race([closed, soon]).then(() => this.#exited.resolve(this.#describe(exitCode, signal)));
    };
    // It may have ended before anybody could listen.
    if (child.exitCode === null && child.signalCode === null) child.once('exit', exit);
    else exit(child.exitCode, child.signalCode);
  }

  get child(): OwnedProcess['child'] {
    return this.#owned.child;
  }

  get exited(): Promise<AgentExit> {
    return this.#exited.promise;
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  /** Ends the whole tree. Resolves when none of it is left. */
  kill(): Promise<void> {
    this.#killing ??= this.#owned.kill();
    return this.#killing;
  }

  mark(): number {
    return this.#owned.mark();
  }

  killSince(mark: number): Promise<number> {
    return this.#owned.killSince(mark);
  }

  /** As `kill`, when the end is wanted and not a failure. */
  async dispose(): Promise<void> {
    this.#wanted = true;
    await this.kill();
  }

  #describe(exitCode: number | null, signal: string | null): AgentExit {
    const { label } = this.#launch;
    const how = signal === null ? `with code ${String(exitCode ?? 'unknown')}` : `by signal ${signal}`;
    const last = this.#stderr.text.split('\n').at(-1) ?? '';
    const message = this.#wanted ? `${label} was ended.` : `${label} ended unexpectedly ${how}.${last === '' ? '' : ` Its last words: ${last}`}`;
    return { exitCode, signal, message, next: 'The next message starts it again and, if the agent can, continues this conversation.', wanted: this.#wanted, stderr: this.#stderr.text };
  }
}
