import { createHash } from 'node:crypto';
import type { CoreMethod } from '../../../src/gateway/core.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';
import type { ParamsOf, ResultOf } from '../../../src/protocol/methods.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import type { Act } from './acts.ts';
import { WAIT_MS, type Model } from './state.ts';

/** The real thing that a run is played on. Window -1 is an onlooker that is never cut off. */
export interface ModelDriver {
  readonly workspace: string;
  call<M extends CoreMethod>(window: number, method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  /** Cuts the link of a window, which then has a new one. */
  cut(window: number): Promise<void>;
  advance(ms: number): Promise<void>;
  restart(): Promise<void>;
  /** How many ends of each turn were told. */
  ends(): Promise<ReadonlyMap<string, number>>;
  /** Looks at the store before an act; what it gives looks again with the outcome. */
  watch?(sessionId: string | null): (outcome: string) => void;
}

interface Sent {
  readonly method: CoreMethod;
  readonly params: unknown;
  readonly result: unknown;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Plays acts on the real thing and says what came of them in the words of the reference. */
export class Performer {
  readonly driver: ModelDriver;
  readonly sessions: { readonly sessionId: string; readonly channel: number }[] = [];
  /** The last command of each window that has a receipt. */
  readonly sent = new Map<number, Sent>();
  readonly #channels = new Map<number, string>();
  readonly #turns = new Map<string, string>();
  readonly #requests = new Map<string, string>();
  readonly #name: string;
  #commands = 0;

  constructor(driver: ModelDriver, name: string) {
    this.driver = driver;
    this.#name = name;
  }

  async outcome(model: Model, act: Act): Promise<string> {
    try {
      return await this.#play(model, act);
    } catch (error) {
      if (error instanceof AttacheError) return error.kind;
      throw error;
    }
  }

  #play(model: Model, act: Act): Promise<string> {
    switch (act.do) {
      case 'create':
      case 'retire':
      case 'recreate':
        return this.#onGoal(act);
      case 'attach':
        return this.#attach(act);
      case 'submit':
      case 'retry':
        return this.#submit(act);
      case 'register':
      case 'claim':
      case 'report':
      case 'ask':
      case 'complete':
        return this.#asHost(model, act);
      case 'decide':
        return this.#decide(act);
      default:
        return this.#manage(act);
    }
  }

  async #onGoal(act: Extract<Act, { readonly do: 'create' | 'retire' | 'recreate' }>): Promise<string> {
    const target = { commandId: this.#command(), workspace: this.driver.workspace, goalId: `${this.#name}-g${act.goal}` };
    const { goal } = act.do === 'create'
      ? await this.#send(act.by, 'goal/create', { ...target, title: 'A goal' })
      : await this.#send(act.by, `goal/${act.do}`, { ...target, expectedLifetime: act.lifetime });
    return `ok ${goal.lifetime}`;
  }

  async #attach(act: Extract<Act, { readonly do: 'attach' }>): Promise<string> {
    const known = this.#channels.get(act.channel);
    const { created, session } = await this.#send(act.by, 'session/attach', {
      commandId: this.#command(), workspace: this.driver.workspace, goalId: `${this.#name}-g${act.goal}`, agentId: 'agent', sessionMode: 'attached_host', hostSurface: 'vscode',
      hostSessionId: this.#hostSession(act.by, act.channel), executorEndpointId: 'endpoint', attachedCapabilities: ['interrupt', 'session_queue'],
      ...(known === undefined ? {} : { channelId: known }),
    });
    if (session === null) throw new Error('nothing was attached');
    if (!created) return `ok same ${this.sessions.findIndex(({ sessionId }) => sessionId === session.sessionId)}`;
    this.sessions.push({ sessionId: session.sessionId, channel: act.channel });
    this.#channels.set(act.channel, session.channelId);
    return `ok new ${this.sessions.length - 1}`;
  }

  async #submit(act: Extract<Act, { readonly do: 'submit' | 'retry' }>): Promise<string> {
    const { created, turn } = act.do === 'submit'
      ? await this.driver.call(act.by, 'turn/submit', { sessionId: this.idOf(act.s), clientTurnId: act.key, text: act.text } as ParamsOf<'turn/submit'>)
      : await this.#send(act.by, 'turn/retry', { commandId: this.#command(), turnId: this.turnId(act.s, act.key), clientTurnId: act.newKey });
    this.#turns.set(`${act.s} ${turn.clientTurnId}`, turn.turnId);
    return `ok ${created ? 'new' : 'again'} ${turn.clientTurnId}`;
  }

  async #asHost(model: Model, act: Extract<Act, { readonly do: 'register' | 'claim' | 'report' | 'ask' | 'complete' }>): Promise<string> {
    const host = { sessionId: this.idOf(act.s), hostRunId: hash(`${this.#name} run ${act.by} ${model.runs[act.by]}`).slice(0, 32) };
    switch (act.do) {
      case 'register':
        return this.#register(act, host);
      case 'claim':
        return claimOutcome(await this.#call(act.by, 'host/claim', { ...host, claimId: act.claim, waitSeconds: act.wait ? WAIT_MS / 1000 : 0 }));
      case 'report':
        return `ok ${(await this.#call(act.by, 'host/report', { ...host, claimId: act.claim, reportSeq: act.seq, ops: [{ op: 'turn.usage', usage: { totalTokens: act.seq } }] })).turnState}`;
      case 'ask':
        return this.#ask(act);
      case 'complete':
        return this.#complete(act, host);
    }
  }

  async #register(act: Extract<Act, { readonly do: 'register' }>, host: object): Promise<string> {
    const hostSessionId = this.#hostSession(act.by, this.sessions[act.s]?.channel ?? 0);
    const { session, active } = await this.#call(act.by, 'host/register', { ...host, hostSessionId, hostSurface: 'vscode' });
    if ((active?.turn.turnId ?? null) !== session.activeTurnId) return `another turn: ${active?.turn.turnId}`;
    return `ok ${active?.turn.clientTurnId ?? 'idle'}`;
  }

  async #complete(act: Extract<Act, { readonly do: 'complete' }>, host: object): Promise<string> {
    const { created, turn } = await this.#call(act.by, 'host/complete', {
      ...host, turnId: this.turnId(act.s, act.key), claimId: act.claim, completionId: act.completion, lastReportSeq: act.lastSeq,
      result: { outcome: 'completed', stopReason: 'end_turn', message: { text: act.text } },
    });
    return `ok ${created ? 'new' : 'again'} ${turn.state}`;
  }

  async #ask(act: Extract<Act, { readonly do: 'ask' }>): Promise<string> {
    const { approval } = await this.#call(act.by, 'approval/request', {
      commandId: this.#command(), sessionId: this.idOf(act.s), claimId: act.claim, title: 'May I?', subject: { kind: 'question', detail: act.request }, actionDigest: hash(act.request),
      options: [{ optionId: 'allow', name: 'Allow', kind: 'allow_once' }, { optionId: 'deny', name: 'Deny', kind: 'reject_once' }],
    });
    this.#requests.set(`${act.s} ${act.request}`, approval.approvalId);
    return `ok ${approval.status}`;
  }

  async #decide(act: Extract<Act, { readonly do: 'decide' }>): Promise<string> {
    const approvalId = this.#requests.get(`${act.s} ${act.request}`) ?? '';
    const { outcome } = await this.#send(act.by, 'approval/decide', { commandId: this.#command(), approvalId, optionId: act.option, actionDigest: hash(act.request) });
    return `ok ${outcome}`;
  }

  async #manage(act: Extract<Act, { readonly do: 'cancel' | 'close' | 'pause' | 'unpause' | 'resume' | 'takeOver' }>): Promise<string> {
    const onSession = { commandId: this.#command(), sessionId: this.idOf(act.s) };
    switch (act.do) {
      case 'cancel':
        return `ok ${(await this.#send(act.by, 'turn/cancel', { commandId: onSession.commandId, turnId: this.turnId(act.s, act.key) })).turn?.state}`;
      case 'takeOver': {
        const hostSessionId = this.#hostSession(act.by, this.sessions[act.s]?.channel ?? 0);
        const { replaced } = await this.#send(act.by, 'session/replaceExecutor', {
          ...onSession, hostSessionId, hostSurface: 'vscode', executorEndpointId: 'endpoint', attachedCapabilities: ['interrupt', 'session_queue'],
        });
        return `ok ${replaced}`;
      }
      default:
        await this.#send(act.by, METHODS[act.do], onSession);
        return 'ok';
    }
  }

  idOf(s: number): string {
    return this.sessions[s]?.sessionId ?? '';
  }

  turnId(s: number, key: string): string {
    return this.#turns.get(`${s} ${key}`) ?? '';
  }

  #hostSession(window: number, channel: number): string {
    return hash(`${this.#name} window ${window} on ${channel}`).slice(0, 32);
  }

  #command(): string {
    this.#commands += 1;
    return `${this.#name}:${this.#commands}`;
  }

  #call<M extends CoreMethod>(by: number, method: M, params: object): Promise<ResultOf<M>> {
    return this.driver.call(by, method, params as ParamsOf<M>);
  }

  /** A command with a receipt: its repeat must get the same answer, whatever has happened since. */
  async #send<M extends CoreMethod>(by: number, method: M, params: object): Promise<ResultOf<M>> {
    const result = await this.#call(by, method, params);
    this.sent.set(by, { method, params, result });
    return result;
  }
}

const METHODS = { close: 'session/close', resume: 'session/resume', pause: 'queue/pause', unpause: 'queue/resume' } as const;

function claimOutcome(answer: { readonly claimed: false } | { readonly claimed: true; readonly turn: Turn }): string {
  return answer.claimed ? `ok ${answer.turn.clientTurnId}` : 'ok nothing';
}
