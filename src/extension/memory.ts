import { createHmac } from 'node:crypto';
import type { Memento } from 'vscode';
import type { ScrollPlace } from '../protocol/panel.ts';
import type { Attachment } from '../protocol/turn/attachment.ts';
import type { DraftAttachment } from './attachments/draftAttachment.ts';
import type { DraftLists } from './attachments/draftLists.ts';
import { randomHex } from './randomId.ts';

/** A conversation this window hosts. `hostSessionId` proves it to the gateway and never leaves this machine. */
export interface HostedConversation {
  readonly conversation: string;
  readonly sessionId: string;
  readonly hostSessionId: string;
  readonly agentId: string;
  readonly workspace: string;
}

/** How a conversation becomes a session; the keys make every step repeatable. */
export interface ConversationPlan {
  readonly workspace: string;
  readonly agentId: string;
  /** The goal it works for; null: one is created with `title`. */
  readonly goalId: string | null;
  readonly title: string;
  readonly objective: string;
  readonly goalCommandId: string;
  readonly attachCommandId: string;
  readonly hostSessionId: string;
}

/** A message that was typed and has not been acknowledged by the gateway. */
export interface OutboxMessage {
  readonly conversation: string;
  readonly clientTurnId: string;
  readonly text: string;
  /** What goes with it, as it was composed; absent: nothing. */
  readonly drafts?: readonly DraftAttachment[];
  /** What goes with it, as it is sent: fixed at the first attempt, so that each further one says the same. Absent: not fixed yet. */
  readonly attachments?: readonly Attachment[];
  /** Why it could not be delivered; null while it is being sent. */
  readonly failure: string | null;
}

/** What a person left in a conversation. */
export interface ConversationNotes {
  readonly draft: string;
  /** When it was typed, ms since 1970. */
  readonly draftAt: number;
  readonly attachments: readonly DraftAttachment[];
  /** When they were last changed, ms since 1970. */
  readonly attachmentsAt: number;
  readonly scroll: ScrollPlace | null;
}

const KEYS = {
  client: 'attache.client',
  secret: 'attache.secret',
  hosted: 'attache.hosted',
  plans: 'attache.plans',
  outbox: 'attache.outbox',
  agent: 'attache.agent',
  shown: 'attache.shown',
  notes: 'attache.notes',
  sent: 'attache.sent',
  flags: 'attache.flags',
  places: 'attache.places',
  roots: 'attache.roots',
} as const;
const MAX_NOTES = 200;
const NO_NOTES: ConversationNotes = { draft: '', draftAt: 0, attachments: [], attachmentsAt: 0, scroll: null };

/** What this window remembers of its workspace across reloads; everything else is the gateway's. */
export class WindowMemory {
  readonly #state: Memento;
  readonly #lists: Pick<DraftLists, 'read' | 'write'>;
  /** What this window wrote itself. Other windows share the store and may write over it from an older copy: one's own goes first. */
  readonly #own = new Map<string, Map<string, unknown>>();
  /** Names this one life of the window: two tabs of one browser share everything that is remembered, but not this. */
  readonly windowId = `window-${randomHex()}`;

  /** `lists` has what goes with drafts at once. */
  constructor(state: Memento, lists: Pick<DraftLists, 'read' | 'write'>) {
    this.#state = state;
    this.#lists = lists;
  }

  /** Makes what identifies this window, once for all its lives. */
  async prepare(): Promise<void> {
    if (this.#state.get<string>(KEYS.secret) === undefined) await this.#state.update(KEYS.secret, randomHex());
    if (this.clientId === '') await this.#state.update(KEYS.client, `vscode-${randomHex()}`);
  }

  /** Names this window to the gateway, also after a reload: a repeated command must come from the same client. Empty before `prepare`. */
  get clientId(): string {
    return this.#state.get<string>(KEYS.client, '');
  }

  /**
   * 128 bits that only this window can know, the same for the same conversation and purpose in every life of the window: what
   * was begun just before a reload, and not written down in time, is then repeated under the same key.
   */
  key(conversation: string, purpose: string): string {
    return createHmac('sha256', this.#state.get<string>(KEYS.secret, '')).update(`${purpose} ${conversation}`).digest('hex').slice(0, 32);
  }

  get hosted(): readonly HostedConversation[] {
    return this.#list<HostedConversation>(KEYS.hosted, ({ sessionId }) => sessionId);
  }

  hostedSession(sessionId: string): HostedConversation | undefined {
    return this.hosted.find((entry) => entry.sessionId === sessionId);
  }

  async addHosted(entry: HostedConversation): Promise<void> {
    await this.#putInList(KEYS.hosted, entry.sessionId, entry, ({ sessionId }: HostedConversation) => sessionId);
  }

  async forgetHosted(sessionId: string): Promise<void> {
    await this.#putInList(KEYS.hosted, sessionId, null, (entry: HostedConversation) => entry.sessionId);
  }

  /** The session of a conversation; null while it has none. A session opened from elsewhere is named by its own id. */
  sessionOf(conversation: string): string | null {
    if (conversation.startsWith('ses_')) return conversation;
    return this.hosted.find((entry) => entry.conversation === conversation)?.sessionId ?? null;
  }

  conversationOf(sessionId: string): string {
    return this.hostedSession(sessionId)?.conversation ?? sessionId;
  }

  plan(conversation: string): ConversationPlan | undefined {
    return this.#record<ConversationPlan>(KEYS.plans)[conversation];
  }

  /** Null: the plan has been carried out or given up. */
  async setPlan(conversation: string, plan: ConversationPlan | null): Promise<void> {
    await this.#put(KEYS.plans, conversation, plan);
  }

  get outbox(): readonly OutboxMessage[] {
    return this.#list<OutboxMessage>(KEYS.outbox, ({ clientTurnId }) => clientTurnId);
  }

  /** Replaces the message of the same key in its place, or adds it at the end. */
  async putOutbox(message: OutboxMessage): Promise<void> {
    await this.#putInList(KEYS.outbox, message.clientTurnId, message, (entry: OutboxMessage) => entry.clientTurnId);
  }

  async removeOutbox(clientTurnId: string): Promise<void> {
    await this.#putInList(KEYS.outbox, clientTurnId, null, (entry: OutboxMessage) => entry.clientTurnId);
  }

  /** The agent chosen for new sessions of this workspace. */
  get agentId(): string | undefined {
    return this.#state.get<string>(KEYS.agent);
  }

  async setAgentId(agentId: string): Promise<void> {
    await this.#state.update(KEYS.agent, agentId);
  }

  /** A choice of how lists are shown. */
  flag(name: string): boolean {
    return this.#record<boolean>(KEYS.flags)[name] ?? false;
  }

  async setFlag(name: string, value: boolean): Promise<void> {
    await this.#put(KEYS.flags, name, value);
  }

  /** The folder that was chosen for a conversation that has not begun. */
  place(conversation: string): string | undefined {
    return this.#record<string>(KEYS.places)[conversation];
  }

  async setPlace(conversation: string, folder: string): Promise<void> {
    await this.#put(KEYS.places, conversation, folder);
  }

  /** Every folder that was a root of this workspace, by its canonical path; the latest last. */
  get roots(): readonly string[] {
    return Object.keys(this.#record<true>(KEYS.roots));
  }

  async addRoot(folder: string): Promise<void> {
    if (this.#record<true>(KEYS.roots)[folder] !== true) await this.#put(KEYS.roots, folder, true);
  }

  /** The conversation that a place (the view) shows. */
  shown(place: string): string | undefined {
    return this.#record<string>(KEYS.shown)[place];
  }

  async setShown(place: string, conversation: string): Promise<void> {
    await this.#put(KEYS.shown, place, conversation);
  }

  /** Every conversation in which somebody left something. */
  get allNotes(): readonly ConversationNotes[] {
    return Object.keys(this.#record(KEYS.notes)).map((conversation) => this.notes(conversation));
  }

  /** With what a message went out, for as long as it may be repeated; undefined: with nothing, or long ago. */
  sent(clientTurnId: string): readonly Attachment[] | undefined {
    return this.#record<readonly Attachment[]>(KEYS.sent)[clientTurnId];
  }

  async setSent(clientTurnId: string, attachments: readonly Attachment[]): Promise<void> {
    await this.#put(KEYS.sent, clientTurnId, attachments);
  }

  notes(conversation: string): ConversationNotes {
    // What an earlier version wrote lacks some of it.
    const stored = { ...NO_NOTES, ...this.#record<Partial<ConversationNotes>>(KEYS.notes)[conversation] };
    const list = this.#lists.read(conversation);
    return list !== null && list.at > stored.attachmentsAt ? { ...stored, attachments: list.attachments, attachmentsAt: list.at } : stored;
  }

  async setNotes(conversation: string, change: Partial<ConversationNotes>): Promise<void> {
    const before = this.notes(conversation);
    // Later than any before it, also when the clock is not.
    const attachmentsAt = change.attachments === undefined ? before.attachmentsAt : Math.max(Date.now(), before.attachmentsAt + 1);
    const next = { ...before, ...(change.draft === undefined ? {} : { draftAt: Date.now() }), ...change, attachmentsAt };
    if (change.attachments !== undefined) this.#lists.write(conversation, { at: attachmentsAt, attachments: change.attachments });
    await this.#put(KEYS.notes, conversation, next.draft === '' && next.attachments.length === 0 && next.scroll === null ? null : next);
  }

  /** The stored entries with one's own in their places; null stands for one that was taken out. */
  #list<T>(key: string, nameOf: (entry: T) => string): readonly T[] {
    const own = this.#own.get(key) as ReadonlyMap<string, T | null> | undefined;
    const stored = this.#state.get<T[]>(key, []);
    if (own === undefined) return stored;
    const known = new Set(stored.map(nameOf));
    const added = [...own].flatMap(([name, entry]) => (entry === null || known.has(name) ? [] : [entry]));
    return [...stored.map((entry) => own.get(nameOf(entry)) === undefined ? entry : (own.get(nameOf(entry)) ?? null)).filter((entry) => entry !== null), ...added];
  }

  async #putInList<T>(key: string, name: string, value: T | null, nameOf: (entry: T) => string): Promise<void> {
    this.#remember(key, name, value);
    await this.#state.update(key, this.#list(key, nameOf));
  }

  #record<T>(key: string): Readonly<Record<string, T>> {
    const stored = this.#state.get<Record<string, T>>(key, {});
    const own = this.#own.get(key);
    if (own === undefined) return stored;
    return Object.fromEntries(Object.entries({ ...stored, ...Object.fromEntries(own) as Record<string, T | null> }).filter((entry): entry is [string, T] => entry[1] !== null));
  }

  /** The entry written last stands last, so that the oldest goes first when there are too many. */
  async #put(key: string, name: string, value: unknown): Promise<void> {
    this.#remember(key, name, value);
    const others = Object.entries(this.#record(key)).filter(([other]) => other !== name).slice(-(MAX_NOTES - 1));
    await this.#state.update(key, Object.fromEntries(value === null ? others : [...others, [name, value]]));
  }

  #remember(key: string, name: string, value: unknown): void {
    const own = this.#own.get(key) ?? new Map<string, unknown>();
    this.#own.set(key, own.set(name, value));
  }
}
