import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type InitializeResponse,
  type LoadSessionRequest,
  type NewSessionRequest,
  type PromptRequest,
  type PromptResponse,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { answerPrompt } from './answerPrompt.ts';
import { Conversation } from './conversation.ts';
import type { ConversationStore } from './conversationStore.ts';
import { messageOf, Problem, TurnCancelled } from './problem.ts';
import { promptInput } from './promptInput.ts';
import { commandDescriptions } from './slashCommand.ts';
import { Turn } from './turn.ts';

export type OfflineAgentOptions = {
  /** Null: nothing is kept, and loading a session is not offered. */
  readonly store: ConversationStore | null;
  readonly version: string;
  readonly log: (line: string) => void;
};

type Session = { readonly conversation: Conversation; running: AbortController | null };

/** The built-in agent of one connection: sessions in memory, at most one turn each. */
export class OfflineAgent {
  readonly #options: OfflineAgentOptions;
  readonly #sessions = new Map<string, Session>();
  #capabilities: ClientCapabilities = {};

  constructor(options: OfflineAgentOptions) {
    this.#options = options;
  }

  app(): AgentApp {
    return agent({ name: 'attache-offline' })
      .onRequest(methods.agent.initialize, ({ params }) => this.#initialize(params.clientCapabilities))
      .onRequest(methods.agent.session.new, ({ params, client }) => this.#newSession(params, client))
      .onRequest(methods.agent.session.load, ({ params, client }) => this.#loadSession(params, client))
      .onRequest(methods.agent.session.prompt, ({ params, client, signal }) => this.#prompt(params, client, signal))
      .onNotification(methods.agent.session.cancel, ({ params }) => {
        this.#sessions.get(params.sessionId)?.running?.abort();
      });
  }

  /** Ends every running turn: the client is gone. */
  stop(): void {
    for (const session of this.#sessions.values()) session.running?.abort();
  }

  #initialize(capabilities: ClientCapabilities | undefined): InitializeResponse {
    this.#capabilities = capabilities ?? {};
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'attache-offline', title: 'Offline Agent', version: this.#options.version },
      agentCapabilities: { loadSession: this.#options.store !== null, promptCapabilities: { image: true, embeddedContext: true }, _meta: { 'attache/comments': true, 'attache/parts': true } },
      authMethods: [],
    };
  }

  #newSession({ cwd }: NewSessionRequest, client: AgentContext): { sessionId: string } {
    requireAbsolute(cwd);
    const sessionId = randomUUID();
    this.#sessions.set(sessionId, { conversation: new Conversation(sessionId, cwd), running: null });
    // After the answer: a client knows the session only from then on.
    setImmediate(() => void this.#announce(client, sessionId));
    return { sessionId };
  }

  async #loadSession({ sessionId, cwd }: LoadSessionRequest, client: AgentContext): Promise<Record<string, never>> {
    if (this.#options.store === null) throw RequestError.methodNotFound(methods.agent.session.load);
    requireAbsolute(cwd);
    if (this.#sessions.get(sessionId)?.running) throw RequestError.invalidRequest(undefined, 'a turn is running in this session');
    const stored = await this.#options.store.load(sessionId);
    if (stored === null) throw RequestError.sessionNotFound(sessionId);
    const conversation = new Conversation(sessionId, cwd, stored.entries());
    this.#sessions.set(sessionId, { conversation, running: null });
    for (const update of conversation.replay()) await client.notify(methods.client.session.update, { sessionId, update });
    setImmediate(() => void this.#announce(client, sessionId));
    return {};
  }

  async #announce(client: AgentContext, sessionId: string): Promise<void> {
    const availableCommands = commandDescriptions.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint === '' ? {} : { input: { hint } }),
    }));
    const update = { sessionUpdate: 'available_commands_update', availableCommands } as const;
    await client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
  }

  async #prompt({ sessionId, prompt }: PromptRequest, client: AgentContext, gone: AbortSignal): Promise<PromptResponse> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    if (session.running !== null) throw RequestError.invalidRequest(undefined, 'a turn is already running in this session');
    const running = new AbortController();
    session.running = running;
    const { conversation } = session;
    const signal = AbortSignal.any([running.signal, gone]);
    try {
      const input = promptInput(prompt);
      conversation.append('user', randomUUID(), input.text);
      await this.#save(conversation);
      const turn = new Turn({ client, conversation, signal, capabilities: this.#capabilities });
      return { stopReason: await this.#runTurn(turn, () => answerPrompt(turn, input)) };
    } finally {
      session.running = null;
      await this.#save(conversation);
    }
  }

  async #runTurn(turn: Turn, work: () => Promise<void>): Promise<StopReason> {
    try {
      await turn.race(work());
      return 'end_turn';
    } catch (error) {
      if (turn.signal.aborted || error instanceof TurnCancelled) {
        await turn.settleOpenTools('Cancelled.');
        return 'cancelled';
      }
      await turn.settleOpenTools(messageOf(error));
      if (!(error instanceof Problem)) this.#options.log(`turn failed: ${messageOf(error)}`);
      await turn.say(error instanceof Problem ? `${error.message} ${error.nextStep}` : `The offline agent failed: ${messageOf(error)}`);
      return 'end_turn';
    }
  }

  async #save(conversation: Conversation): Promise<void> {
    try {
      await this.#options.store?.save(conversation);
    } catch (error) {
      this.#options.log(`conversation not stored: ${messageOf(error)}`);
    }
  }
}

function requireAbsolute(cwd: string): void {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, 'cwd must be an absolute path');
}
