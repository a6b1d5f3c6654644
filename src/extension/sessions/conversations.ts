import { Emitter } from '../../base/event.ts';
import { t } from '../../base/l10n.ts';
import { SerialQueue } from '../../base/serialQueue.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { ClientTurnId, CommandId, GoalId, HostSessionId, SessionId } from '../../protocol/ids.ts';
import type { AttachParams } from '../../protocol/session/commands.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { Attachment } from '../../protocol/turn/attachment.ts';
import type { ComposerAttachments } from '../attachments/composerAttachments.ts';
import type { DraftAttachment } from '../attachments/draftAttachment.ts';
import { explain } from '../log.ts';
import type { ConversationPlan, HostedConversation, OutboxMessage, WindowMemory } from '../memory.ts';
import { newCommandId, randomHex } from '../randomId.ts';

export const CAPABILITIES: AttachParams['attachedCapabilities'] = ['session_queue', 'claim_wait', 'reply_readback', 'interrupt'];

export interface ConversationsOptions {
  readonly memory: WindowMemory;
  /** Patient ones: each step is repeated with its key until it is answered. */
  readonly calls: GatewayCalls;
  readonly attachments: Pick<ComposerAttachments, 'fix' | 'bring' | 'giveBack'>;
  /** Where and with whom a conversation begins that nothing else was said about. */
  readonly defaults: (conversation: string) => Promise<NewConversation>;
}

export type NewConversation = Pick<ConversationPlan, 'workspace' | 'agentId'> & Partial<Pick<ConversationPlan, 'goalId' | 'title' | 'objective'>>;

/**
 * Turns what a person types into sessions and turns, once each: every step has a key that is stored before it is sent, and is
 * sent again with it after a cut link, a reload or a crash.
 */
export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #lanes = new Map<string, SerialQueue>();
  readonly #outboxChanged = new Emitter<string>();
  readonly #begun = new Emitter<HostedConversation>();

  /** Fires with the conversation whose unsent messages changed. */
  readonly onOutboxChanged = this.#outboxChanged.event;
  /** A conversation has become a session of this window. */
  readonly onBegun = this.#begun.event;

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  /** Names a new conversation; nothing else exists of it yet. */
  fresh(): string {
    return `new_${randomHex()}`;
  }

  /** Says how a conversation without a session is to begin. */
  async plan(conversation: string, wanted: NewConversation): Promise<ConversationPlan> {
    const { memory } = this.#options;
    await memory.prepare();
    const key = (purpose: string): string => memory.key(conversation, purpose);
    const keys = { goalCommandId: key('goal'), attachCommandId: key('attach'), hostSessionId: key('host session') };
    const plan = { ...keys, goalId: null, title: '', objective: '', ...wanted };
    void memory.setPlan(conversation, plan);
    return plan;
  }

  /** Makes this window the one that runs a session. Refused while the other one is alive and works, or may come back. */
  async takeOver({ sessionId, agentId, workspace }: Session): Promise<void> {
    const { memory, calls } = this.#options;
    const hostSessionId = randomHex();
    await calls.call('session/replaceExecutor', {
      commandId: newCommandId(),
      sessionId,
      hostSessionId: hostSessionId as HostSessionId,
      hostSurface: 'vscode',
      executorEndpointId: agentId,
      attachedCapabilities: CAPABILITIES,
    });
    this.adopt({ conversation: memory.conversationOf(sessionId), sessionId, hostSessionId, agentId, workspace });
  }

  /** A session that was bound to this window. */
  adopt(hosted: HostedConversation): void {
    void this.#options.memory.addHosted(hosted);
    this.#begun.fire(hosted);
  }

  outbox(conversation: string): OutboxMessage[] {
    return this.#options.memory.outbox.filter((message) => message.conversation === conversation);
  }

  /** A message whose key is known goes with what it went with before, whatever is given now. */
  async submit(conversation: string, clientTurnId: string, text: string, drafts: readonly DraftAttachment[] = []): Promise<void> {
    const { drafts: given = drafts, attachments } = this.#message(clientTurnId) ?? {};
    this.#put({ conversation, clientTurnId, text, ...(given.length === 0 ? {} : { drafts: given }), ...(attachments === undefined ? {} : { attachments }), failure: null });
    await this.#deliver(clientTurnId);
  }

  /** Resolves when nothing is on its way any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
  }

  async resend(clientTurnId: string): Promise<void> {
    const message = this.#message(clientTurnId);
    if (message !== undefined) await this.submit(message.conversation, clientTurnId, message.text);
  }

  /** Takes a message that was not delivered back into the composer; its text is returned. */
  async takeBack(clientTurnId: string): Promise<string | null> {
    const message = this.#message(clientTurnId);
    if (message === undefined || message.failure === null) return null;
    this.#options.attachments.giveBack(message.conversation, message.drafts ?? []);
    await this.discard(clientTurnId);
    return message.text;
  }

  async discard(clientTurnId: string): Promise<void> {
    const message = this.#message(clientTurnId);
    if (message === undefined) return;
    await this.#options.memory.removeOutbox(clientTurnId);
    this.#outboxChanged.fire(message.conversation);
  }

  /** Goes on with what an earlier run of this window had not got an answer for. */
  async deliverPending(): Promise<void> {
    const pending = this.#options.memory.outbox.filter((message) => message.failure === null);
    await Promise.all(pending.map(({ clientTurnId }) => this.#deliver(clientTurnId)));
  }

  /** The session of a conversation, made now when there is none. */
  async ensureSession(conversation: string, firstText: string): Promise<string> {
    return this.#lane(conversation).run(() => this.#session(conversation, firstText));
  }

  async #deliver(clientTurnId: string): Promise<void> {
    const lane = this.#message(clientTurnId)?.conversation;
    if (lane === undefined) return;
    await this.#lane(lane).run(async () => {
      const message = this.#message(clientTurnId);
      if (message === undefined || message.failure !== null) return;
      try {
        await this.#send(message);
        void this.#options.memory.removeOutbox(clientTurnId);
        this.#outboxChanged.fire(message.conversation);
      } catch (error) {
        this.#put({ ...message, failure: explain(error) });
      }
    });
  }

  async #send(message: OutboxMessage): Promise<void> {
    const { conversation, clientTurnId, text } = message;
    const sessionId = await this.#session(conversation, text);
    const attachments = await this.#attachments(message, sessionId);
    const params = { sessionId: sessionId as SessionId, clientTurnId: clientTurnId as ClientTurnId, text };
    await this.#options.calls.call('turn/submit', { ...params, ...(attachments.length === 0 ? {} : { attachments: [...attachments] }) });
  }

  /** What goes with a message, at the gateway and the same at every attempt. */
  async #attachments(message: OutboxMessage, sessionId: string): Promise<readonly Attachment[]> {
    const { memory, attachments, calls } = this.#options;
    const known = message.attachments ?? memory.sent(message.clientTurnId);
    if (known === undefined && message.drafts === undefined) return [];
    const workspace = memory.hostedSession(sessionId)?.workspace ?? (await calls.call('session/get', { sessionId: sessionId as SessionId })).snapshot.session.workspace;
    const fixed = known ?? (await attachments.fix(message.drafts ?? [], workspace));
    if (known === undefined) {
      this.#put({ ...message, attachments: fixed });
      void memory.setSent(message.clientTurnId, fixed);
    }
    await attachments.bring(workspace, fixed);
    return fixed;
  }

  async #session(conversation: string, firstText: string): Promise<string> {
    const { memory } = this.#options;
    const known = memory.sessionOf(conversation);
    if (known !== null) return known;
    const plan = memory.plan(conversation) ?? (await this.plan(conversation, await this.#options.defaults(conversation)));
    const title = plan.title === '' ? titleOf(firstText) : plan.title;
    // A repeat must say the same.
    void memory.setPlan(conversation, { ...plan, title });
    const hosted = { ...(await this.#attach({ ...plan, title })), conversation };
    void memory.addHosted(hosted);
    void memory.setPlan(conversation, null);
    this.#begun.fire(hosted);
    return hosted.sessionId;
  }

  async #attach(plan: ConversationPlan): Promise<Omit<HostedConversation, 'conversation'>> {
    const { workspace, agentId, hostSessionId } = plan;
    const goalId = plan.goalId ?? (await this.#createGoal(plan));
    const params: AttachParams = {
      commandId: plan.attachCommandId as CommandId,
      workspace,
      goalId: goalId as GoalId,
      agentId,
      sessionMode: 'attached_host',
      hostSurface: 'vscode',
      hostSessionId: hostSessionId as HostSessionId,
      executorEndpointId: agentId,
      attachedCapabilities: CAPABILITIES,
    };
    const { session } = await this.#options.calls.call('session/attach', params);
    if (session === null) throw new AttacheError('session_not_ready');
    return { sessionId: session.sessionId, hostSessionId, agentId, workspace };
  }

  async #createGoal({ goalCommandId, workspace, title, objective }: ConversationPlan): Promise<string> {
    const params = { commandId: goalCommandId as CommandId, workspace, title, ...(objective === '' ? {} : { objective }) };
    const { goal } = await this.#options.calls.call('goal/create', params);
    return goal.goalId;
  }

  /** What is written down is not waited for: a window that is closing may never answer, and the keys are the same without it. */
  #put(message: OutboxMessage): void {
    void this.#options.memory.putOutbox(message);
    this.#outboxChanged.fire(message.conversation);
  }

  #message(clientTurnId: string): OutboxMessage | undefined {
    return this.#options.memory.outbox.find((message) => message.clientTurnId === clientTurnId);
  }

  #lane(conversation: string): SerialQueue {
    const lane = this.#lanes.get(conversation) ?? new SerialQueue();
    this.#lanes.set(conversation, lane);
    return lane;
  }
}

const MAX_TITLE = 120;

/** The first line that says something. */
function titleOf(text: string): string {
  const line = text.split('\n').map((entry) => entry.trim()).find((entry) => entry !== '') ?? t('New session');
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1).trimEnd()}…`;
}
