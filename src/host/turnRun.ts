import { asAttacheError, AttacheError, type ErrorKind } from '../protocol/errors.ts';
import type { ReportOp, TurnResult } from '../protocol/host/commands.ts';
import type { ClientTurnId, ItemId, ItemKey } from '../protocol/ids.ts';
import type { ResultOf } from '../protocol/methods.ts';
import type { AgentState } from '../protocol/session/state.ts';
import type { AttachedContent } from '../protocol/turn/attachment.ts';
import { hasEnded } from '../protocol/turn/phase.ts';
import type { TurnState } from '../protocol/turn/state.ts';
import type { Agent, PromptAttachment, SentPicture, TurnEnd, TurnSink } from '../runtime/agent.ts';
import type { AgentKeeper } from './agentKeeper.ts';
import { ApprovalDesk } from './approvalDesk.ts';
import type { Blobs } from './blobs.ts';
import type { GuardedCommand } from './guardedCommand.ts';
import { TurnGuard, type StopReport } from './guardedPlane.ts';
import type { HostConnection } from './hostConnection.ts';
import type { AttachedHostOptions } from './hostOptions.ts';
import { LeaseWatch } from './leaseWatch.ts';
import { MessageTracker } from './messageTracker.ts';
import { readAttachments } from './promptAttachments.ts';
import { Reporter, type ReportAnswer } from './reporter.ts';
import type { SeenTexts } from './seenTexts.ts';
import type { SessionWatch } from './sessionWatch.ts';
import type { ShownChanges } from './shownChanges.ts';
import { tellEnd } from './turnEnd.ts';
import { cancelledResult, completedResult, failedResult } from './turnResults.ts';
import { asksAbout } from './unaskedActs.ts';

export type Claimed = Extract<ResultOf<'host/claim'>, { claimed: true }>;

export interface TurnRunParts {
  readonly options: AttachedHostOptions;
  readonly connection: HostConnection;
  readonly watch: SessionWatch;
  readonly keeper: AgentKeeper;
  readonly blobs: Blobs;
  readonly changes: ShownChanges;
  readonly seen: SeenTexts;
  readonly objective: string;
  /** The gateway takes answers that approve a part of an edit. */
  readonly takesParts: boolean;
  readonly takesMarks: boolean;
  readonly takesPictures: boolean;
}

interface Ready {
  readonly agent: Agent;
  readonly attachments: readonly PromptAttachment[];
}

/** Why a turn is brought to its end from outside. */
type StopReason = 'cancelled' | 'cut_off' | 'ended_elsewhere' | 'overflow';

/** Failures of what runs the turn, not of the turn. */
const crashes: ReadonlySet<string> = new Set<ErrorKind>(['execution_unavailable', 'agent_authentication_required']);
const nothingStopped: StopReport = { stopped: [], leftRunning: [] };

/** Runs one claimed turn from its claim to the gateway's answer to its completion. */
export class TurnRun implements TurnSink {
  readonly #parts: TurnRunParts;
  readonly #claimed: Claimed;
  readonly #abort = new AbortController();
  readonly #lease: LeaseWatch;
  readonly #reporter: Reporter;
  readonly #guard: TurnGuard;
  readonly #message = new MessageTracker();
  readonly #itemKeys = new Map<ItemId, ItemKey>();
  #stopReason: StopReason | null = null;
  #stopping: Promise<StopReport> | null = null;
  #completing = false;
  #begun = false;
  #hasCrashed = false;

  constructor(parts: TurnRunParts, claimed: Claimed) {
    this.#parts = parts;
    this.#claimed = claimed;
    this.#lease = this.#makeLease();
    this.#reporter = this.#makeReporter();
    this.#guard = this.#makeGuard();
  }

  get turnId(): Claimed['turn']['turnId'] {
    return this.#claimed.turn.turnId;
  }

  /** It went down with its agent, or for want of one. */
  get hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  get commands(): readonly GuardedCommand[] {
    return this.#guard.commands;
  }

  /** Resolves when the gateway has taken, or refused, the turn's end. */
  async run(): Promise<void> {
    const { connection, watch, options: { logger } } = this.#parts;
    const answered = connection.onAnswered(() => this.#lease.answered());
    const turns = watch.onTurn((turn) => (turn.turnId === this.turnId ? this.seen(turn.state) : undefined));
    try {
      if (this.#claimed.turn.state === 'cancelling') this.stop('cancelled');
      const end = await this.#work().catch((error: unknown) => broken(error));
      await this.#complete(end);
    } catch (error) {
      logger.warn(`turn ${this.turnId}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      turns.dispose();
      answered.dispose();
      this.#lease.dispose();
      this.#reporter.dispose();
    }
  }

  /** What the gateway says about the turn. */
  seen(state: TurnState | null): void {
    if (state === 'cancelling') this.stop('cancelled');
    else if ((state === null || hasEnded(state)) && !this.#completing) this.stop('ended_elsewhere');
  }

  /** Brings it to its end: the agent is asked, our own commands are ended at once. The first reason counts. */
  stop(reason: StopReason): void {
    if (this.#stopReason !== null && reason !== 'cut_off') return;
    this.#stopReason ??= reason;
    this.#abort.abort();
    this.#stopping ??= this.#guard.stop();
    this.#stopping.catch(() => undefined);
    // Nobody may know that it goes on, so it does not: without asking, and with all it started.
    if (reason === 'cut_off') void this.#parts.keeper.stop().catch(() => undefined);
  }

  report(ops: readonly ReportOp[]): void {
    for (const op of ops) this.#message.take(op);
    this.#reporter.report(this.#guard.withResults(ops));
  }

  describe: TurnSink['describe'] = (change) => this.#parts.changes.describe(change);

  keepPicture({ name, mimeType, bytes }: SentPicture): AttachedContent | null {
    return this.#parts.takesPictures ? { name, mimeType, digest: this.#parts.blobs.put(bytes), size: bytes.length } : null;
  }

  log(message: string): void {
    this.#parts.options.logger.info(`turn ${this.turnId}: ${message}`);
  }

  reportAgent(agent: AgentState, agentSessionId: string | null): void {
    this.#reporter.report([{ op: 'session.agent', agent, ...(agentSessionId === null ? {} : { agentSessionId }) }]);
  }

  async killCommand(itemId: ItemId): Promise<void> {
    const itemKey = this.#itemKeys.get(itemId);
    if (itemKey === undefined) throw new AttacheError('not_found', { message: 'This command is not running any more.' });
    await this.#guard.kill(itemKey);
  }

  async #work(): Promise<TurnEnd> {
    const ready = await this.#ready().catch((error: unknown) => this.#notReady(error));
    if (ready === null || this.#abort.signal.aborted) return { outcome: 'cancelled', forced: false, strays: [], usage: null };
    return 'outcome' in ready ? ready : this.#prompt(ready);
  }

  /** The agent, and what goes with the message; null when the turn is to end before. */
  async #ready(): Promise<Ready | null> {
    const { connection, keeper, options: { folder } } = this.#parts;
    const agent = await this.#orStopped(keeper.get());
    if (agent === null) return null;
    const attachments = await this.#orStopped(readAttachments(connection, folder, this.#claimed.turn.attachments ?? []));
    return attachments === null ? null : { agent, attachments };
  }

  #notReady(error: unknown): TurnEnd {
    const known = asAttacheError(error);
    if (known === null) this.#parts.options.logger.error(`agent not started: ${String(error)}`);
    return { outcome: 'failed', code: known?.kind ?? 'execution_unavailable', message: known?.message ?? String(error), next: known?.data.next ?? 'Restart the agent.', usage: null };
  }

  async #prompt({ agent, attachments }: Ready): Promise<TurnEnd> {
    const { keeper, objective } = this.#parts;
    const opening = keeper.takeOpening();
    if (opening.isLost && this.#claimed.turn.turnIdx > 1) this.#tellLost();
    const input = { text: this.#claimed.turn.text, attachments, context: opening.isNew ? objective : '' };
    this.#begun = true;
    const end = await agent.prompt(input, this.#guard, this, this.#abort.signal);
    // Nothing was said to it, so the next message opens the conversation.
    if (end.outcome === 'failed' && end.code === 'attachment_not_taken') keeper.giveBack({ ...opening, isLost: false });
    return end;
  }

  /** Null when the turn is to end before it has begun. */
  #orStopped<T>(work: Promise<T>): Promise<T | null> {
    const { signal } = this.#abort;
    const stopped = new Promise<null>((resolve) => {
      if (signal.aborted) resolve(null);
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    return Promise.race([work, stopped]);
  }

  #tellLost(): void {
    const text = `${this.#parts.keeper.label} could not go on with the earlier conversation and began a new one. It does not remember what was said above.`;
    const data = { kind: 'notice', level: 'warning', code: 'conversation_lost' } as const;
    this.report([{ op: 'item.start', itemKey: 'conversation-lost' as ItemKey, data, text, state: 'completed' }]);
  }

  async #complete(end: TurnEnd): Promise<void> {
    const { blobs, connection, options: { sessionId, hostRunId, logger } } = this.#parts;
    const commands = (await this.#stopping) ?? nothingStopped;
    // Whoever still asks or waits is told that the turn is over.
    this.#abort.abort();
    await this.#guard.finish();
    await Promise.all([this.#reporter.settled(), blobs.settled()]);
    const result = this.#result(end, commands);
    this.#hasCrashed = result.outcome === 'failed' && crashes.has(result.code);
    // What was stopped because the turn had ended leaves nothing to tell.
    if (this.#stopReason === 'ended_elsewhere' && result.outcome === 'cancelled') return;
    this.#completing = true;
    await tellEnd({ connection, logger }, { sessionId, hostRunId, turnId: this.turnId, claimId: this.#claimed.claimId }, { result, usage: end.usage, lastReportSeq: this.#reporter.lastSeq });
  }

  #result(end: TurnEnd, commands: StopReport): TurnResult {
    if (this.#stopReason === 'cut_off') return failedResult(asFailure('host_cut_off', 'The link to the gateway was lost for 25 seconds, so the agent was ended with everything it had started.'));
    if (this.#stopReason === 'overflow') return failedResult(asFailure('overloaded', 'The agent wrote more than could be stored in time.'));
    switch (end.outcome) {
      case 'completed':
        return completedResult(end, { text: this.#message.text, isPicture: this.#message.isPicture, itemKey: this.#reporter.dead === null ? this.#message.key : null });
      case 'failed':
        return failedResult(end);
      default:
        return cancelledResult({ agent: this.#parts.keeper.label, hadBegun: this.#begun, forced: end.forced, strays: end.strays, commands });
    }
  }

  #makeLease(): LeaseWatch {
    const { connection, options: { clock, sessionId, hostRunId } } = this.#parts;
    return new LeaseWatch({
      clock,
      renew: async () => this.seen((await connection.call('host/renew', { sessionId, hostRunId })).turnState),
      onCutOff: () => this.stop('cut_off'),
    });
  }

  #makeReporter(): Reporter {
    const { connection, options: { clock, sessionId, hostRunId } } = this.#parts;
    const { claimId, nextReportSeq } = this.#claimed;
    return new Reporter({
      send: (reportSeq, ops) => connection.call('host/report', { sessionId, hostRunId, claimId, reportSeq, ops }),
      clock,
      nextSeq: nextReportSeq,
      onAnswer: (answer) => this.#answered(answer),
      onDead: (error) => {
        this.log(`reports end: ${error.kind}`);
        this.stop('ended_elsewhere');
      },
      onOverflow: () => this.stop('overflow'),
      log: (message) => this.log(message),
    });
  }

  #makeGuard(): TurnGuard {
    const { connection, watch, blobs, changes, seen, options } = this.#parts;
    const { signal } = this.#abort;
    const desk = new ApprovalDesk({ connection, watch, signal, sessionId: options.sessionId, claimId: this.#claimed.claimId, policy: options.approvals });
    const { plane, folder, clock, logger } = options;
    return new TurnGuard({
      plane, folder, clock, logger, signal, desk, blobs, changes, seen,
      takesParts: this.#parts.takesParts,
      takesMarks: this.#parts.takesMarks,
      reporter: this.#reporter,
      lease: this.#lease,
      isAskedAbout: (kind) => asksAbout(kind, options.approvals(), watch.session?.permissionMode),
      standing: (kind) => watch.standingAnswer(kind),
      queueMessage: (key, text) => this.#queueMessage(key, text),
    });
  }

  async #queueMessage(clientTurnId: ClientTurnId, text: string): Promise<void> {
    const { connection, options: { sessionId } } = this.#parts;
    await connection.call('turn/submit', { sessionId, clientTurnId, text });
  }

  #answered({ turnState, items }: ReportAnswer): void {
    for (const { itemKey, itemId } of items) this.#itemKeys.set(itemId, itemKey);
    this.seen(turnState);
  }
}

function broken(error: unknown): TurnEnd {
  return { outcome: 'failed', code: 'execution_unavailable', message: `The agent could not be used: ${error instanceof Error ? error.message : String(error)}`, next: 'Restart the agent, then send the message again.', usage: null };
}

function asFailure(kind: 'host_cut_off' | 'overloaded', message: string): { code: string; message: string; next: string } {
  return { code: kind, message, next: new AttacheError(kind).data.next };
}
