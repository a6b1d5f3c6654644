import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Approval, ApprovalOption, ApprovalSubject } from '../../src/protocol/approval/state.ts';
import * as ids from '../../src/protocol/ids.ts';
import type { ReportOp, TurnResult } from '../../src/protocol/host/commands.ts';
import type { ParamsOf, ResultOf } from '../../src/protocol/methods.ts';
import type { AttachedCapability, Session } from '../../src/protocol/session/state.ts';
import type { Turn } from '../../src/protocol/turn/state.ts';
import type { TestClient } from './testClient.ts';

export const newCommand = (): ids.CommandId => ids.commandId.parse(`cmd-${randomUUID()}`);
export const newClaim = (): ids.ClaimId => ids.claimId.parse(`claim-${randomUUID()}`);
export const newMessage = (): ids.ClientTurnId => ids.clientTurnId.parse(`msg-${randomUUID()}`);
export const newRun = (): ids.HostRunId => ids.hostRunId.parse(randomBytes(16).toString('hex'));
export const newHostSession = (): ids.HostSessionId => ids.hostSessionId.parse(randomBytes(16).toString('hex'));
export const key = (name: string): ids.ItemKey => ids.itemKey.parse(name);
export const goalKey = (name: string): ids.GoalId => ids.goalId.parse(name);

export const OPTIONS: readonly ApprovalOption[] = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

export const digestOf = (value: unknown): ids.Digest => ids.digest.parse(createHash('sha256').update(JSON.stringify(value)).digest('hex'));

export interface AttachOptions {
  readonly workspace: string;
  readonly goal?: string;
  readonly capabilities?: readonly AttachedCapability[];
  readonly channelId?: ids.ChannelId;
  readonly hostSessionId?: ids.HostSessionId;
}

export const attachParams = (options: AttachOptions): ParamsOf<'session/attach'> => ({
  commandId: newCommand(),
  workspace: options.workspace,
  goalId: goalKey(options.goal ?? 'goal'),
  agentId: 'agent',
  sessionMode: 'attached_host',
  hostSurface: 'vscode',
  hostSessionId: options.hostSessionId ?? newHostSession(),
  executorEndpointId: 'endpoint',
  attachedCapabilities: [...(options.capabilities ?? ['session_queue', 'claim_wait', 'reply_readback', 'interrupt'])],
  ...(options.channelId === undefined ? {} : { channelId: options.channelId }),
});

export const createGoal = (client: TestClient, workspace: string, goal = 'goal'): Promise<ResultOf<'goal/create'>> =>
  client.call('goal/create', { commandId: newCommand(), workspace, goalId: goalKey(goal), title: `The ${goal}` });

export const submit = (client: TestClient, sessionId: ids.SessionId, text: string, clientTurnId = newMessage()): Promise<ResultOf<'turn/submit'>> =>
  client.call('turn/submit', { sessionId, clientTurnId, text });

/** An executor as the gateway sees it: one runtime process that serves one session, on whatever connection it has at the time. */
export class TestHost {
  client: TestClient;
  readonly session: Session;
  readonly hostSessionId: ids.HostSessionId;
  readonly hostRunId: ids.HostRunId;
  claimId = newClaim();
  turn: Turn | null = null;
  #reportSeq = 0;

  /** Makes the goal when it is not there, attaches a session to it and registers. */
  static async start(client: TestClient, options: AttachOptions): Promise<TestHost> {
    await createGoal(client, options.workspace, options.goal).catch(() => undefined);
    const hostSessionId = options.hostSessionId ?? newHostSession();
    const { session } = await client.call('session/attach', attachParams({ ...options, hostSessionId }));
    const host = new TestHost(client, session!, hostSessionId);
    await host.register();
    return host;
  }

  constructor(client: TestClient, session: Session, hostSessionId: ids.HostSessionId, hostRunId = newRun()) {
    this.client = client;
    this.session = session;
    this.hostSessionId = hostSessionId;
    this.hostRunId = hostRunId;
  }

  get sessionId(): ids.SessionId {
    return this.session.sessionId;
  }

  get target(): { sessionId: ids.SessionId; hostRunId: ids.HostRunId } {
    return { sessionId: this.sessionId, hostRunId: this.hostRunId };
  }

  /** Registers this run, on another connection when one is given. */
  async register(client = this.client): Promise<ResultOf<'host/register'>> {
    this.client = client;
    const registered = await client.call('host/register', { ...this.target, hostSessionId: this.hostSessionId, hostSurface: 'vscode' });
    if (registered.active !== null) this.#reportSeq = registered.active.nextReportSeq - 1;
    return registered;
  }

  /** The same window after a restart: same host session, new run. */
  restarted(client: TestClient): TestHost {
    return new TestHost(client, this.session, this.hostSessionId);
  }

  async claim(waitSeconds = 0, claimId = newClaim()): Promise<Turn | null> {
    const answer = await this.client.call('host/claim', { ...this.target, claimId, waitSeconds });
    if (!answer.claimed) return null;
    this.claimId = claimId;
    this.turn = answer.turn;
    this.#reportSeq = answer.nextReportSeq - 1;
    return answer.turn;
  }

  async report(...ops: ReportOp[]): Promise<ResultOf<'host/report'>> {
    const answer = await this.client.call('host/report', { ...this.target, claimId: this.claimId, reportSeq: this.#reportSeq + 1, ops });
    this.#reportSeq += 1;
    return answer;
  }

  renew(): Promise<ResultOf<'host/renew'>> {
    return this.client.call('host/renew', this.target);
  }

  complete(result: TurnResult | string, completionId = ids.completionId.parse(`done-${randomUUID()}`)): Promise<ResultOf<'host/complete'>> {
    return this.client.call('host/complete', {
      ...this.target,
      turnId: this.turn!.turnId,
      claimId: this.claimId,
      completionId,
      lastReportSeq: this.#reportSeq,
      result: typeof result === 'string' ? { outcome: 'completed', stopReason: 'end_turn', message: { text: result } } : result,
    });
  }

  /** Asks for consent to a command, as the executor does for its agent. */
  async ask(command: string, itemKey?: ids.ItemKey): Promise<Approval> {
    const subject: ApprovalSubject = { kind: 'command', command, cwd: this.session.workspace, envNames: [] };
    const { approval } = await this.client.call('approval/request', {
      commandId: newCommand(),
      sessionId: this.sessionId,
      claimId: this.claimId,
      title: command,
      subject,
      options: [...OPTIONS],
      actionDigest: digestOf(subject),
      ...(itemKey === undefined ? {} : { itemKey }),
    });
    return approval;
  }
}

export const decide = (client: TestClient, approval: Approval, optionId: 'yes' | 'no'): Promise<ResultOf<'approval/decide'>> =>
  client.call('approval/decide', { commandId: newCommand(), approvalId: approval.approvalId, optionId, actionDigest: approval.actionDigest });

export const startMessage = (name: string, text = ''): ReportOp => ({ op: 'item.start', itemKey: key(name), data: { kind: 'agent_message' }, text });
export const delta = (name: string, text: string): ReportOp => ({ op: 'item.delta', itemKey: key(name), text });
export const startCommand = (name: string, command: string, cwd: string): ReportOp => ({
  op: 'item.start',
  itemKey: key(name),
  data: { kind: 'command', command, cwd, envNames: [], exitCode: null, signal: null, cut: 0 },
});
