import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Item } from '../../../src/protocol/item/state.ts';
import { eventually } from '../../support/eventually.ts';
import { allProcesses, isAlive, processesWith } from '../../support/processes.ts';
import type { HostStory, StorySession } from './hostStory.ts';
import type { RealAgentName } from './realAgents.ts';
import { RealRig } from './realRig.ts';

const texts = (items: readonly Item[], kind = 'agent_message'): string => items.filter(({ data }) => data.kind === kind).map(({ text }) => text).join('\n');

/** One whole story of a person with a real agent, through the host and a real gateway, without a network. */
export function realStory(name: RealAgentName): void {
  describe(`${name} behind the host, offline`, () => {
    let rig: RealRig;
    let story: HostStory;
    let session: StorySession;

    before(async () => {
      rig = await RealRig.start(name);
      ({ story, session } = rig);
    });
    after(() => rig.end());

    const agentProcesses = (): number[] => processesWith(rig.home).map(({ pid }) => pid);

    it('streams an answer', async () => {
      const turn = await session.endOf(await session.submit('FAKE:stream 40 20'));
      assert.equal(turn.state, 'completed');
      assert.equal(turn.stopReason, 'end_turn');
      assert.match(texts(await session.items(turn)), /0 lorem ipsum dolor .*39 lorem/s);
    });

    it('edits a file once it was allowed, and not before', async () => {
      const file = join(story.folder, 'cart.txt');
      await writeFile(file, 'a\nprice 10\nc\n');
      const asked = await session.submit(`FAKE:edit ${file} price 10 => price 12`);
      const [approval] = await session.pending();
      assert.ok(approval!.subject.kind === 'edit');
      const [change] = approval!.subject.changes;
      assert.equal(change!.label, 'cart.txt');
      assert.deepEqual(change!.lines.map(({ t, text }) => t + text).slice(1), [' a', '-price 10', '+price 12', ' c']);
      assert.equal(await readFile(file, 'utf8'), 'a\nprice 10\nc\n');
      await session.decide(approval!, 'allow');
      const turn = await session.endOf(asked);
      assert.equal(turn.state, 'completed');
      assert.equal(await readFile(file, 'utf8'), 'a\nprice 12\nc\n');
      assert.equal(texts(await session.items(turn), 'notice'), '');
    });

    it('leaves a file alone when that is rejected', async () => {
      const file = join(story.folder, 'cart.txt');
      const turn = await session.through(await session.submit(`FAKE:edit ${file} price 12 => price 99`), 'reject');
      assert.equal(turn.state, 'completed');
      assert.equal(await readFile(file, 'utf8'), 'a\nprice 12\nc\n');
    });

    it('runs a command once it was allowed', async () => {
      const asked = await session.submit('FAKE:shell touch asked.txt && echo "it ran"');
      const [approval] = await session.pending();
      assert.ok(approval!.subject.kind === 'command');
      assert.match(approval!.subject.command, /touch asked\.txt && echo "it ran"/);
      assert.equal(existsSync(join(story.folder, 'asked.txt')), false);
      await session.decide(approval!, 'allow');
      const turn = await session.endOf(asked);
      assert.equal(turn.state, 'completed');
      assert.equal(existsSync(join(story.folder, 'asked.txt')), true);
      const items = await session.items(turn);
      assert.ok(items.every(({ state }) => state === 'completed'), JSON.stringify(items));
      assert.match(texts(items, 'tool_call'), /it ran/);
    });

    it('C24 is stopped in the middle of a stream', async () => {
      const asked = await session.submit('FAKE:stream 2000 20 20');
      await eventually('some text', async () => texts(await session.items(asked)) !== '');
      await session.stopTurn(asked);
      const turn = await session.endOf(asked);
      assert.equal(turn.state, 'cancelled');
      assert.notEqual(texts(await session.items(turn)), '');
    });

    it('C24 is stopped with the command that it runs itself', async () => {
      const asked = await session.submit('FAKE:shell touch started && tail -f /dev/null');
      await session.decide((await session.pending())[0]!, 'allow');
      await eventually('the command', () => existsSync(join(story.folder, 'started')));
      const tail = (): number => allProcesses().filter(({ command }) => command === 'tail -f /dev/null').length;
      // One of them tells of a command only some time after its start.
      await eventually('its card', async () => (await session.items(asked)).some(({ data, state }) => data.kind === 'tool_call' && state === 'started'));
      const before = tail();
      assert.ok(before > 0);
      await session.stopTurn(asked);
      assert.equal((await session.endOf(asked)).state, 'cancelled');
      await eventually('the command to be gone', () => tail() < before);
      assert.ok((await session.items(asked)).every(({ state }) => state !== 'started'));
    });

    it('C37 goes on with the same conversation after a stop in the middle of a tool call and a restart of the window', async () => {
      const { agent: before } = (await session.view()).session;
      await session.endHost();
      assert.deepEqual(agentProcesses(), []);
      session.startHost();
      const turn = await session.endOf(await session.submit('FAKE:stream 3 20'));
      assert.equal(turn.state, 'completed');
      const items = await session.items(turn);
      assert.match(texts(items), /^0 lorem.*2 lorem/s);
      assert.equal(texts(items, 'notice'), '');
      assert.equal((await session.view()).session.agent.name, before.name);
    });

    it('R2 is killed in mid-turn: what was shown stays, the next prompt goes on in the same conversation', async () => {
      const asked = await session.submit('FAKE:stream 2000 20 20');
      const shown = await eventually('some text', async () => texts(await session.items(asked)) || undefined);
      const pids = agentProcesses();
      assert.ok(pids.length > 0);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      const turn = await session.endOf(asked);
      assert.equal(turn.state, 'failed');
      assert.equal(turn.cause, 'execution_unavailable');
      assert.ok(texts(await session.items(turn)).startsWith(shown));
      assert.equal(session.agentStates.at(-1)?.state, 'dead');
      const next = await session.endOf(await session.submit('FAKE:stream 2 20'));
      assert.equal(next.state, 'completed');
      assert.equal(texts(await session.items(next), 'notice'), '');
    });

    it('C23 leaves no process behind', async () => {
      const pids = agentProcesses();
      assert.ok(pids.length > 0);
      await session.end();
      assert.deepEqual(pids.filter(isAlive), []);
      assert.deepEqual(agentProcesses(), []);
    });
  });
}
