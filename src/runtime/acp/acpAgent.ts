import { RequestError, type ClientContext, type ContentBlock } from '@agentclientprotocol/sdk';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { GuardedPlane } from '../../execution/plane.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Usage } from '../../protocol/turn/state.ts';
import type { Agent, AgentExit, AgentLaunch, PromptInput, Restored, TurnEnd, TurnSink } from '../agent.ts';
import type { OptionTarget } from './agentOptions.ts';
import type { AgentProcess } from './agentProcess.ts';
import { AgentStateTracker } from './agentStateTracker.ts';
import { answerWithin } from './answerWithin.ts';
import type { OpenTurn } from './clientHandlers.ts';
import { authenticationError, isAuthentication, type Handshake } from './handshake.ts';
import { promptBlocks } from './promptBlocks.ts';
import { TurnMapper } from './turnMapper.ts';
import { amount, fields, text, type Fields } from './wire.ts';

export interface AcpAgentParts {
  readonly launch: AgentLaunch;
  readonly process: AgentProcess;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An agent that listens to no signal either is ended this much later: in time for the host to confirm it. */
const hardKillMs = 1_000;

/** So long an agent may take to change a choice. */
const optionMs = 30_000;

type Answer = { readonly kind: 'answer'; readonly value: Fields } | { readonly kind: 'error'; readonly error: unknown } | { readonly kind: 'exit'; readonly exit: AgentExit };

/** One agent process that speaks ACP, with one conversation. */
export class AcpAgent implements Agent {
  readonly tracker = new AgentStateTracker();
  readonly #parts: AcpAgentParts;
  #context: ClientContext | null = null;
  #handshake: Handshake | null = null;
  #turn: (OpenTurn & { readonly sink: TurnSink }) | null = null;

  readonly onStateChanged = this.tracker.onChanged;

  constructor(parts: AcpAgentParts) {
    this.#parts = parts;
  }

  /** Called once, when the conversation is open. */
  opened(context: ClientContext, handshake: Handshake): void {
    this.#context = context;
    this.#handshake = handshake;
    this.tracker.setInfo(handshake.agentInfo, handshake.prompts);
    this.tracker.setSession(handshake.session);
  }

  get state(): Agent['state'] {
    return this.tracker.state;
  }

  get agentSessionId(): string {
    return this.#handshake?.agentSessionId ?? '';
  }

  get restored(): Restored {
    return this.#handshake?.restored ?? 'new';
  }

  get hearsComments(): boolean {
    return this.#handshake?.hearsComments ?? false;
  }

  get takesParts(): boolean {
    return this.#handshake?.takesParts ?? false;
  }

  get exited(): Promise<AgentExit> {
    return this.#parts.process.exited;
  }

  get openTurn(): OpenTurn | null {
    return this.#turn;
  }

  /** What an agent says about itself counts at any time; the rest belongs to the running turn. */
  onUpdate(sessionId: string, update: Fields): void {
    if (this.#handshake !== null && sessionId !== this.agentSessionId) return;
    if (this.tracker.apply(update)) return;
    // Before the conversation is open it is the history that session/load sends again.
    if (this.#handshake === null) return;
    if (update['sessionUpdate'] === 'session_info_update') return this.#setTitle(text(update['title'], 500).trim());
    if (this.#turn === null) this.#parts.logger.info(`${this.#parts.launch.agentId}: dropped ${String(update['sessionUpdate'])} outside of a turn`);
    else this.#turn.mapper.update(update);
  }

  async prompt(input: PromptInput, plane: GuardedPlane, sink: TurnSink, signal: AbortSignal): Promise<TurnEnd> {
    if (signal.aborted) return { outcome: 'cancelled', forced: false, strays: [], usage: null };
    const blocks = this.#blocks(input);
    if (blocks instanceof AttacheError) return { outcome: 'failed', code: blocks.kind, message: blocks.message, next: blocks.data.next, usage: null };
    const mapper = new TurnMapper({ report: (ops) => sink.report(ops), describe: (change) => sink.describe(change), keepPicture: (picture) => sink.keepPicture(picture), log: (line) => sink.log(line) });
    this.#turn = { plane, mapper, sink };
    const stop = new Stopper(this.#parts, () => this.#cancel());
    const onAbort = (): void => stop.begin();
    signal.addEventListener('abort', onAbort, { once: true });
    const costBefore = this.tracker.costUsd;
    const mark = this.#parts.process.mark();
    try {
      const answer = await this.#ask(blocks);
      const usage = this.#usage(answer, costBefore);
      return signal.aborted ? await this.#cancelled(answer, mapper, { forced: stop.forced, mark, usage }) : this.#end(answer, mapper, usage);
    } finally {
      signal.removeEventListener('abort', onAbort);
      stop.dispose();
      this.#turn = null;
    }
  }

  async setOption(id: string, value: string): Promise<void> {
    const target = this.tracker.target(id);
    if (target === null || this.#context === null) throw new AttacheError('not_found', { message: 'The agent does not offer that choice any more.' });
    const { clock, launch } = this.#parts;
    try {
      const answer = await answerWithin({ clock, ms: optionMs, late: `it did not answer within ${String(optionMs / 1000)} seconds` }, this.#choose(this.#context, target, value));
      const config = fields(answer)['configOptions'];
      if (target.kind === 'config' && Array.isArray(config)) this.tracker.setConfig(config);
      else this.tracker.choose(id, value);
    } catch (error) {
      throw new AttacheError('execution_unavailable', { message: `${launch.label} did not take that choice: ${error instanceof Error ? error.message : String(error)}`, next: 'Choose another one.' });
    }
  }

  #choose(context: ClientContext, target: OptionTarget, value: string): Promise<unknown> {
    const sessionId = this.agentSessionId;
    if (target.kind === 'mode') return context.request('session/set_mode', { sessionId, modeId: value });
    if (target.kind === 'model') return context.request<unknown, unknown>('session/set_model', { sessionId, modelId: value });
    const params = target.isBoolean ? { type: 'boolean', value: value === 'true' } : { value };
    return context.request<unknown, unknown>('session/set_config_option', { sessionId, configId: target.configId, ...params });
  }

  async dispose(): Promise<void> {
    await this.#parts.process.dispose();
  }

  #cancel(): void {
    this.#context?.notify('session/cancel', { sessionId: this.agentSessionId }).catch(() => undefined);
  }

  #setTitle(title: string): void {
    if (title !== '') this.#turn?.sink.report([{ op: 'session.agent', title }]);
  }

  #blocks(input: PromptInput): ContentBlock[] | AttacheError {
    try {
      return promptBlocks(input, this.#handshake?.prompts ?? { image: false, embeddedContext: false }, this.#parts.launch.label);
    } catch (error) {
      if (error instanceof AttacheError) return error;
      throw error;
    }
  }

  async #ask(blocks: ContentBlock[]): Promise<Answer> {
    const exit = this.exited.then((gone): Answer => ({ kind: 'exit', exit: gone }));
    const context = this.#context;
    if (context === null) return exit;
    const asked = context.request('session/prompt', { sessionId: this.agentSessionId, prompt: blocks }).then(
      (value): Answer => ({ kind: 'answer', value: fields(value) }),
      // A broken pipe is seen before the end of the process that explains it.
      (error: unknown): Answer | Promise<Answer> => (error instanceof RequestError ? { kind: 'error', error } : this.#closed(exit)),
    );
    return Promise.race([asked, exit]);
  }

  /** An agent that has closed its output can say nothing more, so it is ended. */
  async #closed(exit: Promise<Answer>): Promise<Answer> {
    void this.#parts.process.kill();
    return exit;
  }

  /** Some agents answer at once and let the command go on that they were running; that is no stop. */
  async #cancelled(answer: Answer, mapper: TurnMapper, how: { readonly forced: boolean; readonly mark: number; readonly usage: Usage | null }): Promise<TurnEnd> {
    const running = answer.kind === 'exit' ? [] : mapper.openWords('execute');
    const ended = running.length === 0 ? 0 : await this.#parts.process.killSince(how.mark);
    mapper.end('cancelled', 'cancelled');
    return { outcome: 'cancelled', forced: how.forced || answer.kind === 'exit', strays: ended > 0 ? running : [], usage: how.usage };
  }

  #end(answer: Answer, mapper: TurnMapper, usage: Usage | null): TurnEnd {
    if (answer.kind === 'answer') {
      mapper.end('completed', 'completed');
      return { outcome: 'completed', stopReason: text(answer.value['stopReason'], 200) || 'unknown', lastMessageKey: mapper.lastMessageKey, usage };
    }
    mapper.end('interrupted', 'interrupted');
    if (answer.kind === 'exit') return { outcome: 'failed', code: 'execution_unavailable', message: answer.exit.message, next: answer.exit.next, usage };
    return this.#failed(answer.error, usage);
  }

  #failed(error: unknown, usage: Usage | null): TurnEnd {
    const { launch } = this.#parts;
    if (isAuthentication(error)) {
      const known = authenticationError(error, launch, []);
      return { outcome: 'failed', code: known.kind, message: known.message, next: known.data.next, usage };
    }
    const words = error instanceof Error ? text(error.message, 2_000) : String(error);
    const data = error instanceof RequestError ? text(fields(error.data)['message'] ?? fields(error.data)['details'], 2_000) : '';
    const message = `${launch.label} could not answer: ${words}${data === '' || words.includes(data) ? '' : ` (${data})`}`;
    return { outcome: 'failed', code: 'agent_error', message, next: 'Send the message again, or restart the agent.', usage };
  }

  #usage(answer: Answer, costBefore: number | null): Usage | null {
    const given = answer.kind === 'answer' ? fields(answer.value['usage']) : {};
    const tokens = { inputTokens: amount(given['inputTokens']), outputTokens: amount(given['outputTokens']), totalTokens: amount(given['totalTokens']) };
    const cost = this.tracker.costUsd === null ? null : Math.max(0, this.tracker.costUsd - (costBefore ?? 0));
    const known = Object.entries({ ...tokens, costUsd: cost }).filter(([, value]) => value !== null && value > 0);
    return known.length === 0 ? null : (Object.fromEntries(known) as Usage);
  }
}

/** Asks an agent to stop, and ends it when it does not. */
class Stopper {
  readonly #parts: AcpAgentParts;
  readonly #ask: () => void;
  #timer: { dispose(): void } | null = null;
  forced = false;

  constructor(parts: AcpAgentParts, ask: () => void) {
    this.#parts = parts;
    this.#ask = ask;
  }

  begin(): void {
    this.#ask();
    this.#timer = this.#parts.clock.setTimeout(() => {
      this.forced = true;
      void this.#parts.process.dispose();
    }, LIMITS.agentCancelMs - hardKillMs);
  }

  dispose(): void {
    this.#timer?.dispose();
  }
}
