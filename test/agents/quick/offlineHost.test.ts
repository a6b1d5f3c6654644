import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HostStory, outline, type StorySession } from '../support/hostStory.ts';

const offline = { command: process.execPath, args: [resolve(import.meta.dirname, '../../../src/runtime/offline/main.ts')] };

describe('the offline agent behind the host', () => {
  let story: HostStory;
  let session: StorySession;

  before(async () => {
    story = await HostStory.start();
    session = await story.session({ agent: { ...offline, env: { ATTACHE_OFFLINE_DATA: join(story.gateway.folder('agentdata')) } } });
  });
  after(() => story.stop());

  it('streams an answer', async () => {
    const turn = await session.endOf(await session.submit('/slow 5'));
    assert.equal(turn.state, 'completed');
    assert.equal(turn.stopReason, 'end_turn');
    const items = await session.items(turn);
    assert.deepEqual(items.map(({ data }) => data.kind), ['user_message', 'agent_message']);
    assert.match(items[1]!.text, /5/);
  });

  it('edits a file after one consent, and the request is used up by the write', async () => {
    await writeFile(join(story.folder, 'cart.ts'), '\uFEFFprice = 10\r\nname = x\r\n');
    const asked = await session.submit('/edit cart.ts 10 => 12');
    const [approval, ...more] = await session.pending();
    assert.equal(more.length, 0);
    assert.equal(approval!.subject.kind, 'edit');
    assert.equal(approval!.subject.kind === 'edit' && approval!.subject.mode, 'hosted');
    await session.decide(approval!, 'allow');
    const turn = await session.endOf(asked);
    assert.equal(turn.state, 'completed');
    assert.equal(await readFile(join(story.folder, 'cart.ts'), 'utf8'), '\uFEFFprice = 12\r\nname = x\r\n');
    const items = await session.items(turn);
    assert.deepEqual(outline(items).map((line) => line.split(' ').slice(0, 2).join(' ')), ['user_message completed', 'tool_call completed', 'edit completed', 'agent_message completed']);
    const [, tool, edit] = items;
    assert.equal(edit!.parentId, tool!.itemId);
    assert.equal((await session.view()).approvals.length, 1);
  });

  it('leaves the file alone when it is rejected', async () => {
    const asked = await session.submit('/edit cart.ts 12 => 99');
    await session.decide((await session.pending())[0]!, 'reject');
    const turn = await session.endOf(asked);
    assert.equal(turn.state, 'completed');
    assert.match(await readFile(join(story.folder, 'cart.ts'), 'utf8'), /price = 12/);
    assert.deepEqual((await session.items(turn)).filter(({ data }) => data.kind === 'tool_call').map(({ state }) => state), ['declined']);
  });

  it('runs a command after one consent and shows its output', async () => {
    const asked = await session.submit('/run printf "one\\ntwo\\n" && echo done');
    await session.decide((await session.pending())[0]!, 'allow');
    const turn = await session.endOf(asked);
    assert.equal(turn.state, 'completed');
    const command = (await session.items(turn)).find(({ data }) => data.kind === 'command');
    assert.equal(command!.text, 'one\ntwo\ndone\n');
    assert.equal(command!.state, 'completed');
    assert.equal(command!.outcome, 'known');
    assert.equal(command!.data.kind === 'command' && command!.data.exitCode, 0);
  });

  it('C24 Stop ends a command at once and says so', async () => {
    const asked = await session.submit('/run trap "" INT; while true; do echo tick >> tick.log; sleep 0.2; done');
    await session.decide((await session.pending())[0]!, 'allow');
    await session.stopTurn(asked);
    const turn = await session.endOf(asked);
    assert.equal(turn.state, 'cancelled');
    assert.match(turn.detail ?? '', /stopped/i);
    assert.deepEqual((await session.items(turn)).filter(({ state }) => state === 'started'), []);
  });

  it('goes on in the same conversation after the host was restarted', async () => {
    await session.endHost();
    session.startHost();
    const turn = await session.endOf(await session.submit('/slow 2'));
    assert.equal(turn.state, 'completed');
    assert.deepEqual((await session.items(turn)).filter(({ data }) => data.kind === 'notice'), []);
  });

  it('shows what the agent says about itself', async () => {
    const { agent } = (await session.view()).session;
    assert.equal(agent.name, 'Offline Agent');
    assert.ok(agent.commands.some(({ name }) => name === 'edit'));
  });
});
