import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { newCommand } from '../../support/testHost.ts';
import { RealRig } from '../support/realRig.ts';
import { notices, unaskedCalls, unaskedStory } from '../support/unaskedStory.ts';

unaskedStory('opencode');
unaskedStory('claude');

describe('C03 C42 claude, its sub-agents and its own rules', () => {
  let rig: RealRig;
  before(async () => {
    rig = await RealRig.start('claude', { asks: true });
  });
  after(() => rig.end());

  it('what its sub-agent asks carries the sub-agent’s name, stands below its call and is answered by itself', async () => {
    const { session, story } = rig;
    const asked = await session.submit('FAKE:task FAKE:shell touch below.txt');
    const [approval] = await session.pending();
    assert.deepEqual([approval!.subject.kind, approval!.subject.from], ['command', 'Look into it']);
    const items = await session.items(asked);
    const call = items.find(({ itemId }) => itemId === approval!.itemId);
    assert.equal(items.find(({ itemId }) => itemId === call?.parentId)?.data.kind, 'tool_call');
    assert.equal(existsSync(join(story.folder, 'below.txt')), false);
    await session.decide(approval!, 'allow');
    const turn = await session.through(asked, 'allow');
    assert.equal(turn.state, 'completed');
    assert.equal(existsSync(join(story.folder, 'below.txt')), true);
    assert.deepEqual(unaskedCalls(await session.items(turn)), []);
  });

  it('Stop withdraws what its sub-agent asks, and nothing is run', async () => {
    const { session, story } = rig;
    const asked = await session.submit('FAKE:task FAKE:shell touch stopped.txt');
    await session.pending();
    await session.stopTurn(asked);
    assert.equal((await session.endOf(asked)).state, 'cancelled');
    assert.equal((await session.view()).session.pendingApprovals, 0);
    assert.equal(existsSync(join(story.folder, 'stopped.txt')), false);
  });

  it('after an answer for good, which it keeps itself, what it does is told with the words of that answer', async () => {
    const { session, story } = rig;
    const file = join(story.folder, 'cart.txt');
    await writeFile(file, 'a\nprice 10\nc\n');
    const first = await session.submit(`FAKE:edit ${file} price 10 => price 12`);
    const [approval] = await session.pending();
    const always = approval!.options.find(({ kind }) => kind === 'allow_always')!;
    await (await story.viewer()).call('approval/decide', { commandId: newCommand(), approvalId: approval!.approvalId, optionId: always.optionId, actionDigest: approval!.actionDigest });
    assert.deepEqual(unaskedCalls(await session.items(await session.endOf(first))), []);
    const second = await session.endOf(await session.submit(`FAKE:edit ${file} price 12 => price 14`));
    assert.equal(await readFile(file, 'utf8'), 'a\nprice 14\nc\n');
    const items = await session.items(second);
    assert.deepEqual(unaskedCalls(items), ['edit']);
    assert.ok(notices(items).some((notice) => notice.startsWith('info not_asked:') && notice.includes(`“${always.name}”`)), notices(items).join('\n'));
  });
});

describe('opencode and a sub-agent that has to ask', () => {
  it('it asks nobody and stands still; the turn says that it works, and Stop ends it', async () => {
    const rig = await RealRig.start('opencode', { asks: true });
    try {
      const { session, story } = rig;
      const asked = await session.submit('FAKE:task FAKE:shell touch never.txt');
      await eventually('the call of the sub-agent', async () => (await session.items(asked)).some(({ data }) => data.kind === 'tool_call' && data.toolKind === 'think'), 60_000);
      await session.stopTurn(asked);
      assert.equal((await session.endOf(asked)).state, 'cancelled');
      assert.deepEqual((await session.view()).approvals, []);
      assert.equal(existsSync(join(story.folder, 'never.txt')), false);
    } finally {
      await rig.end();
    }
  });
});
