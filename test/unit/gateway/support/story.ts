import { createHash } from 'node:crypto';
import type { ApprovalSubject } from '../../../../src/protocol/approval/state.ts';
import type { ReportOp } from '../../../../src/protocol/host/commands.ts';
import type { ParamsOf, ResultOf } from '../../../../src/protocol/methods.ts';
import type { AttachedCapability } from '../../../../src/protocol/session/state.ts';
import { CoreHarness, WORKSPACE, type Loose, type TestClient } from './coreHarness.ts';

export const hex = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface SessionPlan {
  readonly goalId?: string;
  readonly hostSessionId?: string;
  readonly capabilities?: readonly AttachedCapability[];
}

type AttachParams = Loose<ParamsOf<'session/attach'>>;
type Result = Loose<ParamsOf<'host/complete'>>['result'];

/** One session with its window, in the words of a test. */
export class Story {
  readonly gw: CoreHarness;
  readonly sessionId: string;
  readonly goalId: string;
  readonly hostSessionId: string;
  readonly channelId: string;
  host: TestClient;
  hostRunId: string;
  #reportSeq = new Map<string, number>();
  #submits = 0;

  constructor(gw: CoreHarness, host: TestClient, made: { readonly sessionId: string; readonly goalId: string; readonly hostSessionId: string; readonly channelId: string }) {
    this.gw = gw;
    this.host = host;
    this.sessionId = made.sessionId;
    this.goalId = made.goalId;
    this.hostSessionId = made.hostSessionId;
    this.channelId = made.channelId;
    this.hostRunId = hex(`run of ${made.hostSessionId}`);
  }

  /** A goal, a session and its registered host. */
  static async begin(gw = new CoreHarness(), plan: SessionPlan = {}): Promise<Story> {
    const story = await Story.attached(gw, plan);
    await story.register();
    return story;
  }

  /** A goal and a session without a host. */
  static async attached(gw = new CoreHarness(), plan: SessionPlan = {}): Promise<Story> {
    const { goalId = 'goal', hostSessionId = hex('host session'), capabilities = ['interrupt', 'session_queue', 'claim_wait'] } = plan;
    const host = gw.client(`window of ${goalId}`);
    const { goals } = await host.call('goal/list', { workspace: WORKSPACE });
    if (!goals.some((goal) => goal.goalId === goalId)) await host.call('goal/create', { commandId: host.command(), workspace: WORKSPACE, goalId, title: `Goal ${goalId}` });
    const { session } = await host.call('session/attach', attachParams(host, { goalId, hostSessionId, attachedCapabilities: [...capabilities] }));
    if (session === null) throw new Error('not attached');
    return new Story(gw, host, { sessionId: session.sessionId, goalId, hostSessionId, channelId: session.channelId });
  }

  register(): Promise<ResultOf<'host/register'>> {
    const { sessionId, hostRunId, hostSessionId } = this;
    return this.host.call('host/register', { sessionId, hostRunId, hostSessionId, hostSurface: 'vscode' });
  }

  /** The same window on a new link. */
  reconnect(): Promise<ResultOf<'host/register'>> {
    this.host = this.gw.client(this.host.principal.clientId);
    return this.register();
  }

  submit(text = 'do it', clientTurnId = `message-${(this.#submits += 1)}`, by: TestClient = this.host): Promise<ResultOf<'turn/submit'>> {
    return by.call('turn/submit', { sessionId: this.sessionId, clientTurnId, text });
  }

  claim(claimId = 'claim-1', waitSeconds = 0, signal?: AbortSignal): Promise<ResultOf<'host/claim'>> {
    const { sessionId, hostRunId } = this;
    return this.host.call('host/claim', { sessionId, hostRunId, claimId, waitSeconds }, signal);
  }

  /** Submits a message and claims it; the id of the running turn. */
  async run(claimId = 'claim-1', text = 'do it'): Promise<string> {
    const { turn } = await this.submit(text);
    const answer = await this.claim(claimId);
    if (!answer.claimed || answer.turn.turnId !== turn.turnId) throw new Error('another turn was claimed');
    return turn.turnId;
  }

  report(ops: readonly Loose<ReportOp>[], claimId = 'claim-1'): Promise<ResultOf<'host/report'>> {
    const reportSeq = (this.#reportSeq.get(claimId) ?? 0) + 1;
    this.#reportSeq.set(claimId, reportSeq);
    return this.reportAs(reportSeq, ops, claimId);
  }

  reportAs(reportSeq: number, ops: readonly Loose<ReportOp>[], claimId = 'claim-1'): Promise<ResultOf<'host/report'>> {
    const { sessionId, hostRunId } = this;
    return this.host.call('host/report', { sessionId, hostRunId, claimId, reportSeq, ops: [...ops] });
  }

  complete(turnId: string, result: Result = answerOf('done'), keys: { readonly claimId?: string; readonly completionId?: string } = {}): Promise<ResultOf<'host/complete'>> {
    const { sessionId, hostRunId } = this;
    const { claimId = 'claim-1', completionId = 'completion-1' } = keys;
    return this.host.call('host/complete', { sessionId, hostRunId, turnId, claimId, completionId, lastReportSeq: this.#reportSeq.get(claimId) ?? 0, result });
  }

  async ask(subject: Loose<ApprovalSubject> = command('touch a.txt'), more: Partial<Loose<ParamsOf<'approval/request'>>> = {}): Promise<ResultOf<'approval/request'>['approval']> {
    const { approval } = await this.host.call('approval/request', {
      commandId: this.host.command(), sessionId: this.sessionId, claimId: 'claim-1', title: 'May I?', subject, actionDigest: digestOf(JSON.stringify(subject)),
      options: [{ optionId: 'allow', name: 'Allow', kind: 'allow_once' }, { optionId: 'deny', name: 'Deny', kind: 'reject_once' }], ...more,
    });
    return approval;
  }

  decide(approval: { readonly approvalId: string; readonly actionDigest: string }, optionId: string, by: TestClient = this.host): Promise<ResultOf<'approval/decide'>> {
    return by.call('approval/decide', { commandId: by.command(), approvalId: approval.approvalId, optionId, actionDigest: approval.actionDigest });
  }

  cancel(turnId: string, by: TestClient = this.host): Promise<ResultOf<'turn/cancel'>> {
    return by.call('turn/cancel', { commandId: by.command(), turnId });
  }

  steer(turnId: string, text = 'the other way', commandId = this.host.command()): Promise<ResultOf<'turn/steer'>> {
    return this.host.call('turn/steer', { commandId, sessionId: this.sessionId, turnId, text });
  }

  retire(expectedLifetime = 1): Promise<ResultOf<'goal/retire'>> {
    return this.host.call('goal/retire', { commandId: this.host.command(), workspace: WORKSPACE, goalId: this.goalId, expectedLifetime });
  }

  recreate(expectedLifetime = 1): Promise<ResultOf<'goal/recreate'>> {
    return this.host.call('goal/recreate', { commandId: this.host.command(), workspace: WORKSPACE, goalId: this.goalId, expectedLifetime });
  }

  onSession(method: 'session/close' | 'session/resume' | 'queue/pause' | 'queue/resume', by: TestClient = this.host): Promise<ResultOf<'session/close'>> {
    return by.call(method, { commandId: by.command(), sessionId: this.sessionId });
  }

  snapshot(): ReturnType<TestClient['snapshot']> {
    return this.host.snapshot(this.sessionId);
  }

  async turn(turnId: string): Promise<ResultOf<'turn/get'>['turn']> {
    return (await this.host.call('turn/get', { turnId })).turn;
  }

  /** Writes to a row as a damaged, older or newer store would have it. */
  tamper(table: 'sessions' | 'turns' | 'goals', changes: Record<string, string | number | null>, where = '1 = 1'): void {
    const set = Object.keys(changes).map((name) => `${name} = ?`).join(', ');
    this.gw.store.run(`UPDATE ${table} SET ${set} WHERE ${where}`, ...Object.values(changes));
  }
}

export const answerOf = (text: string): Result => ({ outcome: 'completed', stopReason: 'end_turn', message: { text } });
export const command = (text: string): Loose<ApprovalSubject> => ({ kind: 'command', command: text, cwd: WORKSPACE, envNames: [] });
type ItemStart = Extract<ReportOp, { op: 'item.start' }>;

export const itemStart = (itemKey: string, data: Loose<ItemStart['data']> = { kind: 'agent_message' }): Loose<ReportOp> => ({ op: 'item.start', itemKey, data });
export const commandItem = (itemKey: string): Loose<ReportOp> =>
  itemStart(itemKey, { kind: 'command', command: 'touch a.txt', cwd: WORKSPACE, envNames: [], exitCode: null, signal: null, cut: 0 });

export function attachParams(client: TestClient, changes: Partial<AttachParams> = {}): AttachParams {
  return {
    commandId: client.command(), workspace: WORKSPACE, goalId: 'goal', agentId: 'offline', sessionMode: 'attached_host', hostSurface: 'vscode',
    hostSessionId: hex('host session'), executorEndpointId: 'offline', attachedCapabilities: ['interrupt'], ...changes,
  };
}
