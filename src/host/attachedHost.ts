import { randomUUID } from 'node:crypto';
import { DisposableStore } from '../base/disposable.ts';
import { SerialQueue } from '../base/serialQueue.ts';
import { asAttacheError, AttacheError, type ErrorKind } from '../protocol/errors.ts';
import type { ClaimId, CompletionId, ItemId } from '../protocol/ids.ts';
import { LIMITS } from '../protocol/limits.ts';
import type { AgentChoice, AgentState } from '../protocol/session/state.ts';
import { AgentChoices } from './agentChoices.ts';
import { AgentKeeper } from './agentKeeper.ts';
import { Blobs } from './blobs.ts';
import { CrashPause } from './crashPause.ts';
import type { GuardedCommand } from './guardedCommand.ts';
import { HostConnection, type Registration } from './hostConnection.ts';
import type { AttachedHostOptions } from './hostOptions.ts';
import { SeenTexts } from './seenTexts.ts';
import { SessionWatch } from './sessionWatch.ts';
import { ShownChanges } from './shownChanges.ts';
import { failedResult } from './turnResults.ts';
import { TurnRun, type Claimed } from './turnRun.ts';

const goodbyeMs = 1_000;
const firstPauseMs = 250;
const maxPauseMs = 10_000;

const newClaimId = (): ClaimId => randomUUID() as ClaimId;

/** Refusals of a claim after which the same host may try again. */
const passing: ReadonlySet<ErrorKind> = new Set([
  'claim_superseded', 'claim_already_used', 'claim_conflict', 'session_not_ready', 'attached_session_host_mismatch', 'overloaded', 'draining', 'goal_duplicated', 'store_unreadable',
]);

/** Those of them that say that the gateway has given this host up: it was silent for too long. */
const forgotten: ReadonlySet<ErrorKind> = new Set(['session_not_ready', 'attached_session_host_mismatch']);

/**
 * The executor of one session in this process: registers, waits for turns, runs each with its one agent and reports what
 * happens. Owns the agent and every command it started; disposing it leaves nothing running.
 */
export class AttachedHost {
  readonly #options: AttachedHostOptions;
  readonly #connection: HostConnection;
  readonly #watch: SessionWatch;
  readonly #keeper: AgentKeeper;
  readonly #blobs: Blobs;
  readonly #changes: ShownChanges;
  readonly #seen = new SeenTexts();
  readonly #disposables = new DisposableStore();
  readonly #agentReports = new SerialQueue();
  readonly #crashes: CrashPause;
  readonly #choices = new AgentChoices({ apply: ({ id, value }) => this.setOption(id, value), decline: (choices) => this.#decline(choices) });
  /** Commands whose background processes may outlive their turn. */
  readonly #commands = new Set<GuardedCommand>();
  #run: TurnRun | null = null;
  /** What the next turn is asked for with. A key names at most one turn, ever. */
  #claimId = newClaimId();
  #unsent: { agent: AgentState; agentSessionId: string | null } | null = null;
  #finished: Promise<void> | null = null;
  #disposing: Promise<void> | null = null;
  /** Ends what only waits, when the host is disposed. */
  readonly #pauses = new Set<() => void>();

  constructor(options: AttachedHostOptions) {
    const { clock, folder, lineDiff, link, logger, sessionId } = options;
    this.#options = options;
    this.#crashes = new CrashPause(clock);
    this.#connection = new HostConnection(options);
    this.#watch = this.#disposables.add(new SessionWatch(link.calls, sessionId));
    this.#blobs = new Blobs({ connection: this.#connection, workspace: folder, clock, log: (message) => logger.warn(message) });
    this.#changes = new ShownChanges(folder, lineDiff, this.#blobs);
    this.#keeper = new AgentKeeper({
      runtime: options.runtime,
      launch: options.launch,
      onProcess: options.onAgentProcess,
      onState: (agent, agentSessionId) => this.#tellAgent(agent, agentSessionId),
      logger,
    });
  }

  /** True while a turn runs here. */
  get isBusy(): boolean {
    return this.#run !== null;
  }

  /** Registers and waits for work until it is disposed or the session ends. */
  start(): void {
    if (this.#finished !== null) return;
    this.#disposables.add(this.#watch.onSession(({ wanted }) => this.#choices.take(wanted)));
    this.#disposables.add(this.#watch.onReleased(() => this.#crashes.end()));
    this.#disposables.add(this.#connection.onRegistered((registration) => this.#registered(registration)));
    this.#connection.start();
    this.#finished = this.#serve();
  }

  /** Starts the agent ahead of the first turn, so that its modes and commands can be shown. */
  async startAgent(): Promise<void> {
    await this.#connection.registration();
    await this.#keeper.get();
  }

  /** Ends the agent's process tree and starts a new one in the same conversation; a running turn is stopped. */
  async restartAgent(): Promise<void> {
    this.#run?.stop('cancelled');
    this.#crashes.end();
    await this.#keeper.restart();
  }

  /** What the agent says of itself afterwards. */
  async setOption(id: string, value: string): Promise<AgentState> {
    const agent = await this.#keeper.get();
    await agent.setOption(id, value);
    return agent.state;
  }

  /** Ends one command that runs in the present turn. */
  async killCommand(itemId: ItemId): Promise<void> {
    if (this.#run === null) throw new AttacheError('not_found', { message: 'This command is not running any more.' });
    await this.#run.killCommand(itemId);
  }

  /** Says goodbye to the gateway and ends the agent with everything that was started here. */
  dispose(): Promise<void> {
    this.#disposing ??= this.#dispose();
    for (const giveUp of this.#pauses) giveUp();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    await this.#sayGoodbye();
    this.#run?.stop('ended_elsewhere');
    this.#connection.dispose();
    await this.#endProcesses();
    await this.#finished;
    this.#disposables.dispose();
  }

  async #endProcesses(): Promise<void> {
    const running = [...(this.#run?.commands ?? []), ...this.#commands];
    await Promise.allSettled([this.#keeper.dispose(), ...running.map((command) => command.stop('Ended with the session.'))]);
  }

  async #sayGoodbye(): Promise<void> {
    const { link, sessionId, hostRunId, clock } = this.#options;
    const late = new Promise<void>((resolve) => void clock.setTimeout(resolve, goodbyeMs));
    await Promise.race([link.calls.call('host/unregister', { sessionId, hostRunId }).catch(() => undefined), late]);
  }

  async #serve(): Promise<void> {
    const { onEnded, logger } = this.#options;
    try {
      const { agentSessionId } = await this.#connection.registration();
      this.#keeper.setResume(agentSessionId);
      await this.#claimForEver();
    } catch (error) {
      if (this.#disposing !== null) return;
      const reason = asAttacheError(error) ?? new AttacheError('gateway_unavailable', { message: String(error) });
      logger.info(`host of ${this.#options.sessionId} ends: ${reason.kind}`);
      this.#connection.end(reason);
      await this.#endProcesses();
      this.#disposables.dispose();
      onEnded(reason);
    }
  }

  async #claimForEver(): Promise<never> {
    const { sessionId, hostRunId, clock, logger } = this.#options;
    for (let pause = firstPauseMs; ; ) {
      const askedAt = clock.monotonic();
      try {
        const answer = await this.#connection.call('host/claim', { sessionId, hostRunId, claimId: this.#claimId, waitSeconds: LIMITS.claimWaitSeconds });
        const inVain = !answer.claimed && clock.monotonic() - askedAt < maxPauseMs;
        if (answer.claimed) await this.#runTurn(answer);
        await this.#untilEnd(this.#crashes.rested());
        pause = inVain ? await this.#rest(pause) : firstPauseMs;
        // Said at once, so a turn is on record here that nobody runs: registering tells which.
        if (inVain) this.#connection.again();
      } catch (error) {
        const known = asAttacheError(error);
        if (known === null || !passing.has(known.kind)) throw error;
        logger.info(`claim refused for now: ${known.kind}`);
        pause = await this.#rest(pause);
        if (forgotten.has(known.kind)) await this.#comeBack();
      }
      this.#claimId = newClaimId();
    }
  }

  /** Only a registration brings a session back that was taken for lost; where it did not, doing it again will not either. */
  async #comeBack(): Promise<void> {
    const { status } = (await this.#connection.registration()).session;
    if (status === 'ready' || status === 'busy') this.#connection.again();
  }

  async #rest(ms: number): Promise<number> {
    await this.#sleep(ms);
    return Math.min(maxPauseMs, ms * 2);
  }

  async #runTurn(claimed: Claimed): Promise<void> {
    const run = await this.#begin(claimed);
    if (run === null) return;
    this.#run = run;
    try {
      await run.run();
    } finally {
      this.#run = null;
    }
    this.#crashes.note(run.hasCrashed);
    await this.#keepLeftovers(run.commands).catch((error: unknown) => this.#options.logger.warn(`what turn ${run.turnId} left running is not known: ${String(error)}`));
    this.#sendAgent();
  }

  /** Null when this turn is one that no host of this build can run: it is given back, and the session lives on. */
  async #begin(claimed: Claimed): Promise<TurnRun | null> {
    const { objective, features = [] } = await this.#connection.registration();
    try {
      return new TurnRun({
        options: this.#options, connection: this.#connection, watch: this.#watch, keeper: this.#keeper, blobs: this.#blobs, changes: this.#changes, seen: this.#seen, objective, takesParts: features.includes('approval_part'), takesMarks: features.includes('act_marks'), takesPictures: features.includes('pictures'),
      }, claimed);
    } catch (error) {
      this.#options.logger.error(`turn ${claimed.turn.turnId} cannot be run: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      this.#crashes.note(true);
      await this.#giveBack(claimed, new AttacheError('execution_unavailable', { message: `This turn could not be begun: ${error instanceof Error ? error.message : String(error)}`, next: 'Send the message again in a new session, and report this with the log.' }));
      return null;
    }
  }

  async #keepLeftovers(commands: readonly GuardedCommand[]): Promise<void> {
    for (const command of [...this.#commands, ...commands]) {
      if (await command.hasLeftovers()) this.#commands.add(command);
      else this.#commands.delete(command);
    }
  }

  #registered({ active }: Registration): void {
    void this.#watch.connect();
    const run = this.#run;
    if (run !== null) return run.seen(active?.turn.turnId === run.turnId ? active.turn.state : null);
    if (active !== null && active.claimId !== this.#claimId) void this.#giveBack(active);
    this.#sendAgent();
  }

  /** A turn that was handed to this host and is not run by it. It is not begun again: nobody knows how far it came. */
  async #giveBack({ turn, claimId, nextReportSeq }: Claimed, { kind, message, data } = new AttacheError('executor_restarted')): Promise<void> {
    const { sessionId, hostRunId, logger } = this.#options;
    const params = {
      sessionId, hostRunId, turnId: turn.turnId, claimId, completionId: randomUUID() as CompletionId, lastReportSeq: nextReportSeq - 1,
      result: failedResult({ code: kind, message, next: data.next }),
    };
    await this.#connection.call('host/complete', params).catch((error: unknown) => logger.info(`turn ${turn.turnId} not given back: ${asAttacheError(error)?.kind ?? String(error)}`));
  }

  #decline(declined: AgentChoice[]): void {
    const { sessionId, hostRunId, logger } = this.#options;
    this.#connection.call('host/agent', { sessionId, hostRunId, declined })
      .catch((error: unknown) => logger.info(`declined choice not told: ${asAttacheError(error)?.kind ?? String(error)}`));
  }

  #tellAgent(agent: AgentState, agentSessionId: string | null): void {
    if (this.#run !== null) return this.#run.reportAgent(agent, agentSessionId);
    this.#unsent = { agent, agentSessionId: agentSessionId ?? this.#unsent?.agentSessionId ?? null };
    this.#sendAgent();
  }

  /** Sends the newest; what came in between is not worth a message of its own. */
  #sendAgent(): void {
    void this.#agentReports.run(async () => {
      const unsent = this.#unsent;
      if (unsent === null || this.#run !== null) return;
      this.#unsent = null;
      const { sessionId, hostRunId, logger } = this.#options;
      const { agent, agentSessionId } = unsent;
      await this.#connection.call('host/agent', { sessionId, hostRunId, agent, ...(agentSessionId === null ? {} : { agentSessionId }) })
        .catch((error: unknown) => logger.info(`agent state not taken: ${asAttacheError(error)?.kind ?? String(error)}`));
    });
  }

  async #sleep(ms: number): Promise<void> {
    await this.#untilEnd(new Promise<void>((resolve) => void this.#options.clock.setTimeout(resolve, ms)));
  }

  /** Rejects when the host is disposed first. */
  #untilEnd(wait: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new AttacheError('connection_closed'));
      if (this.#disposing !== null) return giveUp();
      this.#pauses.add(giveUp);
      void wait.then(resolve).finally(() => this.#pauses.delete(giveUp));
    });
  }
}
