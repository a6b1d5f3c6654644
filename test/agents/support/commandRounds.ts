import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { wholeItem } from '../../../src/client/wholeItem.ts';
import type { Item, ItemDataOf } from '../../../src/protocol/item/state.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { eventually } from '../../support/eventually.ts';
import { JumpClock } from '../../support/jumpClock.ts';
import { allProcesses } from '../../support/processes.ts';
import { assertShown, commandCases } from './commandCases.ts';
import { fakeAgent, type FakeAgent } from './fakeAgent.ts';
import type { FakeScript, Step } from './fakeScript.ts';
import type { HostStory, StorySession } from './hostStory.ts';

interface Answer {
  readonly output?: string;
  readonly truncated?: boolean;
  readonly exitCode?: number | null;
}

/** Rounds of commands and of stops, all through the agent's own calls. */
export class CommandRounds {
  readonly #story: HostStory;
  #count = 0;
  readonly tally = { commands: 0, stops: 0 };

  constructor(story: HostStory) {
    this.#story = story;
  }

  /** C25, `times` after each other in one turn. */
  async run(times: number): Promise<void> {
    const commands = commandCases();
    const steps = commands.map(({ step }, index): Step => ({ terminal: { ...step, id: `c${String(index)}` } }));
    const { agent, session } = await this.#play({ prompts: [{ steps: [{ repeat: { times, steps } }, { text: 'done' }] }] });
    const turn = await session.endOf(await session.submit('go'));
    assert.equal(turn.state, 'completed');
    const answers = (id: string): Answer[] => agent.events('answer').filter((entry) => entry['id'] === id).map((entry) => entry['result'] as Answer);
    for (const [index, { output, exitCode: code, step: { outputByteLimit } }] of commands.entries()) {
      const outputs = answers(`c${String(index)}:output`);
      assert.equal(outputs.length, times);
      for (const answer of outputs) assert.deepEqual([answer.output === output, answer.truncated], [true, outputByteLimit !== undefined], `command ${String(index)}: ${String(answer.output?.slice(0, 200))}`);
      assert.deepEqual(answers(`c${String(index)}:exit`).map(({ exitCode }) => exitCode), Array(times).fill(code));
    }
    const calls = await this.#story.viewer();
    const shown = (await session.items(turn)).filter((item): item is Item & { data: ItemDataOf<'command'> } => item.data.kind === 'command');
    assert.equal(shown.length, times * commands.length);
    for (const [at, { itemId, data }] of shown.entries()) {
      const { output, exitCode, shown: all = output } = commands[at % commands.length]!;
      assert.deepEqual([data.exitCode, data.signal], [exitCode, null], data.command);
      assertShown((await wholeItem(calls, itemId)).text, all, data.cut);
    }
    this.tally.commands += times * commands.length;
    await session.end();
  }

  /** C24: what runs is a loop that ignores SIGINT and SIGTERM, with a child that left its group and ignores them, too. */
  async stopLoop(): Promise<void> {
    const name = `tick-${String(this.#count)}`;
    const loop = `trap "" INT TERM; setsid sh -c 'trap "" INT TERM; echo $$ > ${name}.pid; while :; do sleep 1; done' & while true; do echo tick >> ${name}.log; sleep 0.05; done`;
    const { session } = await this.#play({ prompts: [{ steps: [{ terminal: { command: loop } }, { text: 'never' }] }, { steps: [{ text: 'back' }] }] });
    const size = async (): Promise<number> => (await stat(join(this.#story.folder, `${name}.log`)).catch(() => null))?.size ?? 0;
    const turn = await session.submit('go');
    const pid = await eventually('the loop and its child', async () => ((await size()) > 0 ? Number(await readFile(join(this.#story.folder, `${name}.pid`), 'utf8').catch(() => '0')) : 0) || undefined);
    const ended = await this.#stop(session, turn, 2);
    assert.match(ended.detail ?? '', /Stopped as well: “trap/);
    const last = await size();
    await delay(150);
    assert.equal(await size(), last);
    assert.ok(!allProcesses().some((info) => info.pid === pid), 'the child that left its group is gone');
    await this.#next(session);
  }

  /** C24: a card waits for its answer. */
  async stopAtCard(): Promise<void> {
    const { agent, session } = await this.#play({ prompts: [{ steps: [{ permission: { id: 'p', toolCall: { toolCallId: 'p', title: 'May I?', kind: 'fetch' } } }, { text: 'never' }] }, { steps: [{ text: 'back' }] }] });
    const turn = await session.submit('go');
    await session.pending();
    await this.#stop(session, turn, 1);
    assert.deepEqual(agent.permissions(), ['p=cancelled']);
    await this.#next(session);
  }

  /** C24: a finished command has left a job in the background. */
  async stopWithJob(): Promise<void> {
    const { session } = await this.#play({ prompts: [{ steps: [{ terminal: { command: 'sleep 600 & echo begun' } }, { hang: true }] }, { steps: [{ text: 'back' }] }] });
    const turn = await session.submit('go');
    await eventually('the command to end', async () => (await session.items(turn)).some(({ data, state }) => data.kind === 'command' && state === 'completed'));
    assert.match((await this.#stop(session, turn, 1)).detail ?? '', /Not stopped: what “sleep 600 & echo begun” left running/);
    await this.#next(session);
  }

  /** C24: an agent that listens to nothing is ended with its tree, nine seconds later on its clock. */
  async stopDeaf(): Promise<void> {
    const clock = new JumpClock();
    const { agent, session } = await this.#play({ onCancel: 'ignore', ignoreSigterm: true, prompts: [{ steps: [{ spawnChild: { ignoreSigterm: true } }, { hang: true }] }] }, clock);
    const turn = await session.submit('go');
    await agent.waitFor('its children', (log) => log.some(({ event }) => event === 'child'));
    const tree = [...agent.events('prompt').map(({ pid }) => pid), ...agent.events('child').flatMap((entry) => [Number(entry['child']), Number(entry['grandchild'])])];
    await session.stopTurn(turn);
    await agent.waitFor('the cancel', (log) => log.some(({ method }) => method === 'session/cancel'));
    clock.jump(8_000);
    assert.match((await session.endOf(turn)).detail ?? '', /did not stop by itself/);
    await eventually('the tree to be gone', () => !allProcesses().some(({ pid }) => tree.includes(pid)));
    agent.rewrite({ prompts: [{ steps: [{ text: 'back' }] }] });
    await this.#next(session);
  }

  async #stop(session: StorySession, turn: Turn, presses: number): Promise<Turn> {
    await Promise.all(Array.from({ length: presses }, () => session.stopTurn(turn)));
    const ended = await session.endOf(turn);
    assert.equal(ended.state, 'cancelled');
    assert.ok((await session.items(turn)).every(({ state }) => state !== 'started'), 'no card is left half open');
    return ended;
  }

  async #next(session: StorySession): Promise<void> {
    const next = await session.endOf(await session.submit('next'));
    assert.equal(next.state, 'completed');
    // With nothing running it does nothing.
    await session.stopTurn(next);
    await session.end();
    this.tally.stops += 1;
  }

  async #play(script: FakeScript, clock?: JumpClock): Promise<{ agent: FakeAgent; session: StorySession }> {
    const agent = fakeAgent(script, this.#story.gateway.folder('scripts'), `commands${String((this.#count += 1))}`);
    return { agent, session: await this.#story.session({ agent, approvals: { command: 'allow' }, ...(clock === undefined ? {} : { clock }) }) };
  }
}
