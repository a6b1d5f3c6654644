import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeAgent, type FakeAgent } from '../support/fakeAgent.ts';
import type { PermissionStep, Step, Verbatim } from '../support/fakeScript.ts';
import { HostStory, type StorySession } from '../support/hostStory.ts';

/** As adapters say that a tool call is a sub-agent's. */
const inside = (parent: string): Verbatim => ({ _meta: { someAdapter: { parentToolUseId: parent } } });

const task = (id: string, title: string): Step => ({ toolCall: { toolCallId: id, kind: 'think', title, status: 'in_progress' } });
const asks = (id: string, parent: string): PermissionStep => ({ id, toolCall: { toolCallId: id, kind: 'execute', title: `touch ${id}`, rawInput: { command: `touch ${id}` }, ...inside(parent) } });

describe('requests of sub-agents', () => {
  let story: HostStory;
  let count = 0;

  before(async () => {
    story = await HostStory.start();
  });
  after(() => story.stop());

  async function play(steps: readonly Step[]): Promise<{ agent: FakeAgent; session: StorySession }> {
    const agent = fakeAgent({ prompts: [{ steps }] }, story.gateway.folder('scripts'), `nested${String((count += 1))}`);
    return { agent, session: await story.session({ agent }) };
  }

  const byCommand = (open: readonly Approval[]): Map<string, Approval> => new Map(open.map((approval) => [approval.subject.kind === 'command' ? approval.subject.command : approval.title, approval]));

  it('C03 are named, stand below the call that runs them, and are answered each by itself, in any order', async () => {
    const { agent, session } = await play([
      task('one', 'Look into the tests'), task('two', 'Write the docs'),
      { parallel: [[{ permission: asks('a', 'one') }], [{ permission: asks('b', 'two') }], [{ permission: asks('c', 'one') }], [{ permission: { id: 'd', toolCall: { toolCallId: 'd', kind: 'execute', title: 'touch d', rawInput: { command: 'touch d' } } } }]] },
      { toolUpdate: { toolCallId: 'one', status: 'completed' } }, { toolUpdate: { toolCallId: 'two', status: 'completed' } }, { text: 'done' },
    ]);
    const asked = await session.submit('go');
    const open = byCommand(await session.pending(4));
    assert.deepEqual(['a', 'b', 'c', 'd'].map((id) => open.get(`touch ${id}`)!.subject.from), ['Look into the tests', 'Write the docs', 'Look into the tests', undefined]);
    const items = await session.items(asked);
    const place = (id: string): string | undefined => {
      const item = items.find(({ itemId }) => itemId === open.get(`touch ${id}`)!.itemId);
      return items.find(({ itemId }) => itemId === item?.parentId)?.data.kind === 'tool_call' ? items.find(({ itemId }) => itemId === item?.parentId)!.itemId : undefined;
    };
    const [one, two] = items.filter(({ data }) => data.kind === 'tool_call' && data.toolKind === 'think').map(({ itemId }) => itemId);
    assert.deepEqual(['a', 'b', 'c', 'd'].map(place), [one, two, one, undefined]);
    for (const [id, answer] of [['c', 'reject'], ['b', 'allow'], ['d', 'reject'], ['a', 'allow']] as const) await session.decide(open.get(`touch ${id}`)!, answer);
    assert.equal((await session.endOf(asked)).state, 'completed');
    assert.deepEqual(agent.permissions().sort(), ['a=allow', 'b=allow', 'c=reject', 'd=reject']);
  });

  it('C04 go with their sub-agent when it fails, also from two levels down; what the agent itself asks stays', async () => {
    const { agent, session } = await play([
      task('outer', 'Outer'), { toolCall: { toolCallId: 'inner', kind: 'think', title: 'Inner', status: 'in_progress', ...inside('outer') } },
      { parallel: [
        [{ permission: asks('low', 'inner') }], [{ permission: asks('high', 'outer') }], [{ permission: { id: 'own', toolCall: { toolCallId: 'own', title: 'own', kind: 'execute' } } }],
        [{ sleep: 400 }, { toolUpdate: { toolCallId: 'outer', status: 'failed' } }],
      ] },
      { text: 'done' },
    ]);
    const asked = await session.submit('go');
    await session.pending(3);
    await agent.waitFor('both to be answered', (log) => log.filter(({ event }) => event === 'permission').length === 2);
    assert.deepEqual(agent.permissions().sort(), ['high=cancelled', 'low=cancelled']);
    const [own, ...more] = await eventually('one open request', async () => {
      const open = (await session.view()).approvals.filter(({ status }) => status === 'pending');
      return open.length === 1 ? open : undefined;
    });
    assert.deepEqual([own!.title, more.length], ['own', 0]);
    await session.decide(own!, 'allow');
    assert.equal((await session.endOf(asked)).state, 'completed');
    const ends = (await session.items(asked)).flatMap(({ data, state }) => (data.kind === 'tool_call' ? [`${data.title} ${state}`] : []));
    assert.deepEqual(ends.sort(), ['Inner cancelled', 'Outer failed', 'own completed', 'touch high cancelled', 'touch low cancelled']);
  });

  it('stay when a sub-agent goes on in the background, and go with the turn', async () => {
    const { agent, session } = await play([
      task('back', 'In the background'), { toolUpdate: { toolCallId: 'back', status: 'completed' } }, { permission: asks('late', 'back') }, { permission: asks('never', 'back') }, { text: 'done' },
    ]);
    const asked = await session.submit('go');
    const [late] = await session.pending();
    assert.equal(late!.subject.from, 'In the background');
    await session.decide(late!, 'allow');
    await eventually('the second request', async () => (await session.view()).approvals.length === 2);
    await session.stopTurn(asked);
    assert.equal((await session.endOf(asked)).state, 'cancelled');
    assert.deepEqual(agent.permissions(), ['late=allow', 'never=cancelled']);
  });

  it('for files and commands through us are named, too', async () => {
    const path = join(story.folder, 'nested.txt');
    await writeFile(path, 'one\n');
    const { session } = await play([
      task('t', 'Tidy up'),
      { toolCall: { toolCallId: 'w', kind: 'edit', title: 'nested.txt', status: 'in_progress', locations: [{ path }], ...inside('t') } }, { write: { path, content: 'two\n' } }, { toolUpdate: { toolCallId: 'w', status: 'completed' } },
      { toolCall: { toolCallId: 'x', kind: 'execute', title: 'touch through', status: 'in_progress', rawInput: { command: 'touch through' }, ...inside('t') } }, { terminal: { command: 'touch through' } }, { toolUpdate: { toolCallId: 'x', status: 'completed' } },
      { text: 'done' },
    ]);
    const turn = await session.through(await session.submit('go'), 'allow');
    assert.deepEqual((await session.view()).approvals.map(({ subject }) => `${subject.kind} ${String(subject.from)}`), ['edit Tidy up', 'command Tidy up']);
    assert.deepEqual([await readFile(path, 'utf8'), existsSync(join(story.folder, 'through'))], ['two\n', true]);
    assert.deepEqual((await session.items(turn)).filter(({ data }) => data.kind === 'notice'), []);
  });

  it('what a sub-agent says stands below its call and is not the answer', async () => {
    const said = (text: string, parent?: string): Step => ({ update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...(parent === undefined ? {} : inside(parent)) } });
    const { session } = await play([task('t', 'Task'), said('sub one, '), said('answer '), said('sub two', 't'), said('goes on'), said(', still', 't'), { toolUpdate: { toolCallId: 't', status: 'completed' } }]);
    const turn = await session.endOf(await session.submit('go'));
    const items = await session.items(turn);
    const call = items.find(({ data }) => data.kind === 'tool_call')!;
    assert.deepEqual(items.flatMap(({ data, text, parentId }) => (data.kind === 'agent_message' ? [[text, parentId]] : [])), [['sub one, answer goes on', null], ['sub two, still', call.itemId]]);
  });

  it('C42 what was done without asking is flagged, for an agent and its sub-agent, and nothing that was asked about', async () => {
    const run = (id: string, more: Verbatim = {}): Step[] => [{ toolCall: { toolCallId: id, kind: 'execute', title: `echo ${id}`, status: 'in_progress', rawInput: { command: `echo ${id}` }, ...more } }, { toolUpdate: { toolCallId: id, status: 'completed' } }];
    const { session } = await play([
      task('t', 'Task'), ...run('alone'), ...run('below', inside('t')), { permission: asks('asked', 't') }, { toolUpdate: { toolCallId: 'asked', status: 'completed' } },
      { toolCall: { toolCallId: 'hosted', kind: 'execute', title: 'Shell', status: 'in_progress' } }, { terminal: { command: 'true' } }, { toolUpdate: { toolCallId: 'hosted', status: 'completed' } },
      { toolUpdate: { toolCallId: 't', status: 'completed' } }, { text: 'done' },
    ]);
    const turn = await session.through(await session.submit('go'), 'allow');
    const items = await session.items(turn);
    assert.deepEqual(items.flatMap(({ data }) => (data.kind === 'tool_call' && data.unasked === true ? [data.title] : [])), ['echo alone', 'echo below']);
    const notices = items.filter(({ data }) => data.kind === 'notice');
    assert.deepEqual(notices.map(({ data, parentId }) => [data.kind === 'notice' && data.code, items.find(({ itemId }) => itemId === parentId)?.data.kind]), [['not_asked', 'tool_call']]);
    assert.match(notices[0]!.text, /without asking: echo alone/);
  });
});
