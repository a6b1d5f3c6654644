import { randomUUID } from 'node:crypto';
import type { SessionId } from '../../../src/protocol/ids.ts';
import { delta, goalKey, key, newCommand, newMessage, startMessage } from '../testHost.ts';
import { ScriptedHost, type Claimed } from './scriptedHost.ts';
import { Left, StoryClient } from './storyClient.ts';

/** What the prompts of the story are, in the order of their turns, and what must have come of each. */
export const TURNS = [
  { text: 'talk', state: 'completed', answer: 'one, two, three' },
  { text: 'act', state: 'completed', answer: 'done' },
  { text: 'stop me', state: 'cancelled', answer: null },
  { text: 'talk again', state: 'completed', answer: 'one, two, three' },
  { text: 'never mind', state: 'cancelled', answer: null },
] as const;

const PIECES = ['one, ', 'two, ', 'three'];

/**
 * A session with all that can be cut short in it: streaming, consent, an effect, a cancel, an edited and a removed message. A window hosts it,
 * a second window answers and manages, a third client of the command line's kind sends. Each step waits for what its client is shown.
 */
export class Story {
  readonly host: StoryClient;
  readonly second: StoryClient;
  readonly sender: StoryClient;
  readonly folder: string;
  /** What was really done outside, by what asked for it: never more than once each. */
  readonly effects: string[] = [];
  /** Intents of which the gateway has said that they are on record, and those that were ever sent. */
  readonly intents = { sent: 0, acknowledged: 0, endSent: 0 };
  sessionId!: SessionId;
  readonly #executor: ScriptedHost;

  constructor(dataRoot: string, folder: string) {
    this.folder = folder;
    const tag = randomUUID().slice(0, 8);
    this.host = new StoryClient(dataRoot, folder, `host-${tag}`, 'editor');
    this.#executor = new ScriptedHost(this.host, folder);
    this.second = new StoryClient(dataRoot, folder, `second-${tag}`, 'editor');
    this.sender = new StoryClient(dataRoot, folder, `sender-${tag}`, 'cli');
  }

  get clients(): readonly StoryClient[] {
    return [this.host, this.second, this.sender];
  }

  /** Plays it to the end, however often the gateway dies. */
  async play(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.open()));
    await this.#executor.attach();
    this.sessionId = this.#executor.sessionId;
    await Promise.all(this.clients.map((client) => client.follow(this.sessionId)));
    await Promise.all([this.#hosting(), this.#sending(), this.#managing()]);
  }

  end(): void {
    for (const client of this.clients) client.end();
  }

  async #sending(): Promise<void> {
    const { sender } = this;
    const send = (text: string) => sender.do('turn/submit', { sessionId: this.sessionId, clientTurnId: newMessage(), text });
    await send('talk');
    await sender.until(({ turns }) => turns[0]?.state === 'completed');
    await send('act');
    await send('stop me');
    const { turn } = await send('talk agian');
    const { turn: unwanted } = await send('never mind');
    await sender.do('queue/edit', { commandId: newCommand(), turnId: turn.turnId, text: 'talk again', expectedRev: turn.rev });
    await sender.do('queue/remove', { commandId: newCommand(), turnId: unwanted.turnId });
    await sender.until(({ turns }) => turns[3]?.state === 'completed');
  }

  async #managing(): Promise<void> {
    const { second, sessionId, folder } = this;
    await second.do('session/rename', { commandId: newCommand(), sessionId, title: 'A story' });
    const asked = await second.until(({ approvals }) => approvals.find(({ status }) => status === 'pending'));
    await second.do('approval/decide', { commandId: newCommand(), approvalId: asked.approvalId, optionId: 'yes', actionDigest: asked.actionDigest });
    const running = await second.until(({ turns }) => turns.find(({ text, state }) => text === 'stop me' && state === 'running'));
    await second.until(({ turns }) => turns.at(-1)?.text === 'never mind' && turns.at(-1)?.state === 'cancelled' && turns[3]?.text === 'talk again');
    await second.do('turn/cancel', { commandId: newCommand(), turnId: running.turnId });
    await second.do('goal/update', { commandId: newCommand(), workspace: folder, goalId: goalKey('goal'), title: 'The goal, nearly done' });
    await second.until(({ turns }) => turns[2]?.state === 'cancelled');
    await second.do('queue/resume', { commandId: newCommand(), sessionId });
    await second.until(({ turns }) => turns[3]?.state === 'completed');
  }

  /** As an executor does: one claim after the other; a turn that is on record as its own is gone on with. */
  async #hosting(): Promise<void> {
    for (let turns = 0; turns < TURNS.filter(({ text }) => text !== 'never mind').length; turns++) {
      const claimed = await this.#executor.claim();
      if (claimed.turn.text === 'act') await this.#act(claimed);
      else if (claimed.turn.text === 'stop me') await this.#stopped(claimed);
      else await this.#talk(claimed);
    }
    await this.host.until(({ session }) => session.status === 'ready');
  }

  async #talk(claimed: Claimed): Promise<void> {
    await this.#executor.report(claimed, startMessage('m'));
    for (const text of PIECES) await this.#executor.report(claimed, delta('m', text));
    await this.#executor.complete(claimed, { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });
  }

  async #act(claimed: Claimed): Promise<void> {
    const approval = await this.#executor.ask(claimed, 'make');
    const decided = await this.host.until(({ approvals }) => approvals.find(({ approvalId, status }) => approvalId === approval.approvalId && status === 'approved'));
    this.intents.sent += 1;
    await this.#executor.begin(claimed, decided);
    this.intents.acknowledged += 1;
    this.effects.push('make');
    this.intents.endSent += 1;
    await this.#executor.report(claimed, { op: 'effect.end', itemKey: key('c') }, { op: 'item.end', itemKey: key('c'), state: 'completed' });
    await this.#executor.complete(claimed, { outcome: 'completed', stopReason: 'end_turn', message: { text: 'done' } });
  }

  async #stopped(claimed: Claimed): Promise<void> {
    await this.#executor.report(claimed, startMessage('m', 'I will '));
    await this.host.until(({ turns }) => turns.find(({ turnId, state }) => turnId === claimed.turn.turnId && state === 'cancelling'));
    await this.#executor.complete(claimed, { outcome: 'cancelled' });
  }
}

/** For a story that is broken off: that its clients left is what was wanted. */
export const unlessLeft = (error: unknown): void => {
  if (!(error instanceof Left)) throw error;
};
