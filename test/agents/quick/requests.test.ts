import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionPlane } from '../../../src/execution/plane.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import { eventually } from '../../support/eventually.ts';
import { expectRefusal } from '../../support/expectRefusal.ts';
import { fakeAgent, type FakeAgent } from '../support/fakeAgent.ts';
import type { PermissionStep, Step } from '../support/fakeScript.ts';
import { HostStory, type StorySession } from '../support/hostStory.ts';

const touch = (name: string): PermissionStep => ({ id: name, toolCall: { toolCallId: name, kind: 'execute', title: `touch ${name}`, rawInput: { command: `touch ${name}` } } });

describe('requests of an agent', () => {
  let story: HostStory;
  let count = 0;

  before(async () => {
    story = await HostStory.start();
  });
  after(() => story.stop());

  async function play(steps: readonly Step[], options: { approvals?: 'allow' | 'deny'; plane?: (disk: ExecutionPlane) => ExecutionPlane } = {}): Promise<{ agent: FakeAgent; session: StorySession }> {
    const agent = fakeAgent({ prompts: [{ steps }] }, story.gateway.folder('scripts'), `fake${String((count += 1))}`);
    const approvals = options.approvals === undefined ? {} : { approvals: { edit: options.approvals, command: options.approvals, tool: options.approvals } };
    const session = await story.session({ agent, ...approvals, ...(options.plane === undefined ? {} : { plane: options.plane }) });
    return { agent, session };
  }

  const command = ({ subject }: Approval): string => (subject.kind === 'command' ? subject.command : subject.kind);

  for (const { name, order } of [{ name: 'second first', order: [1, 0] }, { name: 'first first', order: [0, 1] }, { name: 'ten at once, backwards', order: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] }]) {
    it(`C03 each answer goes to its own request: ${name}`, async () => {
      const requests = order.map((_, index) => touch(`${String.fromCharCode(97 + index)}.txt`));
      const { agent, session } = await play([{ permissions: { requests, gapMs: 5 } }, { text: 'done' }]);
      const asked = await session.submit('go');
      const open = (await session.pending(order.length)).sort((a, b) => command(a).localeCompare(command(b)));
      for (const index of order) await session.decide(open[index]!, index % 2 === 0 ? 'reject' : 'allow');
      const turn = await session.endOf(asked);
      assert.equal(turn.state, 'completed');
      assert.deepEqual(agent.permissions().sort(), requests.map(({ id }, index) => `${String(id)}=${index % 2 === 0 ? 'reject' : 'allow'}`));
      assert.equal((await session.view()).session.pendingApprovals, 0);
    });
  }

  it('C04 Stop withdraws what is asked, a late answer is refused, and the next prompt works', async () => {
    const { agent, session } = await play([{ permission: touch('sleep') }, { text: 'done' }]);
    const asked = await session.submit('go');
    const [approval] = await session.pending();
    await session.stopTurn(asked);
    assert.equal((await session.endOf(asked)).state, 'cancelled');
    assert.deepEqual(agent.permissions(), ['sleep=cancelled']);
    await expectRefusal('approval_closed', session.decide(approval!, 'allow'));
    agent.rewrite({});
    const next = await session.submit('again');
    await session.decide((await session.pending())[0]!, 'allow');
    assert.equal((await session.endOf(next)).state, 'completed');
  });

  it('C04 a request that the agent takes back is closed', async () => {
    const { agent, session } = await play([
      { request: { id: 'asked', method: 'session/request_permission', params: { toolCall: { toolCallId: 'x', title: 'x' }, options: [{ optionId: 'a', name: 'A', kind: 'allow_once' }] }, noWait: true } },
      { sleep: 300 }, { notify: { method: '$/cancel_request', params: { requestId: 1 } } }, { sleep: 100 }, { text: 'done' },
    ]);
    const turn = await session.endOf(await session.submit('go'));
    assert.equal(turn.state, 'completed');
    const { approvals } = await session.view();
    assert.deepEqual(approvals.map(({ status }) => status), ['cancelled']);
    await agent.waitFor('the answer', (log) => log.some(({ event, id }) => event === 'answer' && id === 'asked'));
  });

  it('what is too large to be shown whole is refused, also where a rule allows all: none of it runs unseen', async () => {
    const hidden = join(story.folder, 'hidden.txt');
    const long = `true ${'x'.repeat(100_000)}; touch ${hidden}`;
    const content = Array.from({ length: 60 }, (_, n) => ({ type: 'diff', path: join(story.folder, `many-${String(n)}.txt`), oldText: null, newText: 'x' }));
    const { agent, session } = await play([
      { terminal: { id: 'long', command: long } },
      { permission: { id: 'command', toolCall: { toolCallId: 'c', kind: 'execute', title: 'Run', rawInput: { command: long } } } },
      { permission: { id: 'files', toolCall: { toolCallId: 'f', kind: 'edit', title: 'Edit all', content } } },
      { text: 'done' },
    ], { approvals: 'allow' });
    const turn = await session.endOf(await session.submit('go'));
    assert.equal(turn.state, 'completed');
    assert.deepEqual(agent.permissions(), ['command=reject', 'files=reject']);
    const { approvals, items } = await session.view();
    assert.deepEqual([approvals, items.filter(({ data }) => data.kind === 'command')], [[], []]);
    assert.equal(items.filter(({ data }) => data.kind === 'notice').length, 2);
    await assert.rejects(readFile(hidden));
  });

  it('a write that equals what was allowed on the same tool call is not asked twice, and only once', async () => {
    const path = join(story.folder, 'once.txt');
    await writeFile(path, 'one\n');
    const { agent, session } = await play([
      { read: { path } },
      { toolCall: { toolCallId: 'e1', kind: 'edit', title: 'Edit once.txt', status: 'pending', content: [{ type: 'diff', path, oldText: 'one\n', newText: 'two\n' }] } },
      { permission: { id: 'e1', toolCall: { toolCallId: 'e1' } } },
      { write: { path, content: 'two\n' } },
      { write: { path, content: 'one\n' } },
      { write: { path, content: 'two\n' } },
      { toolUpdate: { toolCallId: 'e1', status: 'completed' } },
      { text: 'done' },
    ]);
    const asked = await session.submit('go');
    await session.decide((await session.pending())[0]!, 'allow');
    // The way back and the same change again were never allowed.
    for (const expected of ['two\n', 'one\n']) {
      const [again] = await session.pending();
      assert.equal(await readFile(path, 'utf8'), expected);
      await session.decide(again!, 'allow');
    }
    const turn = await session.endOf(asked);
    assert.equal(turn.state, 'completed');
    assert.equal(await readFile(path, 'utf8'), 'two\n');
    assert.equal((await session.view()).approvals.length, 3);
    assert.deepEqual((await session.items(turn)).filter(({ data }) => data.kind === 'edit').map(({ state, outcome }) => `${state} ${outcome}`), Array(3).fill('completed known'));
    assert.deepEqual(agent.events('answer').filter((entry) => 'error' in entry), []);
  });

  it('a write that differs from what was allowed is asked for', async () => {
    const path = join(story.folder, 'differs.txt');
    await writeFile(path, 'one\n');
    const { session } = await play([
      { permission: { id: 'e1', toolCall: { toolCallId: 'e1', kind: 'edit', title: 'Edit', content: [{ type: 'diff', path, oldText: 'one\n', newText: 'two\n' }] } } },
      { write: { path, content: 'three\n' } },
      { text: 'done' },
    ]);
    const asked = await session.submit('go');
    await session.decide((await session.pending())[0]!, 'allow');
    const [second] = await session.pending();
    assert.equal(second!.subject.kind === 'edit' && second!.subject.mode, 'hosted');
    await session.decide(second!, 'reject');
    await session.endOf(asked);
    assert.equal(await readFile(path, 'utf8'), 'one\n');
  });

  it('a command that equals what was allowed is not asked twice, one with variables is', async () => {
    const { agent, session } = await play([
      { toolCall: { toolCallId: 'c1', kind: 'execute', title: 'echo hi', status: 'pending', rawInput: { command: 'echo hi' } } },
      { permission: { id: 'c1', toolCall: { toolCallId: 'c1' } } },
      { terminal: { id: 't1', command: 'echo hi', toolCallId: 'c1' } },
      { terminal: { id: 't2', command: 'echo hi', env: [{ name: 'SECRET_TOKEN', value: 'demo-123' }] } },
      { text: 'done' },
    ]);
    const asked = await session.submit('go');
    await session.decide((await session.pending())[0]!, 'allow');
    const [second] = await session.pending();
    assert.deepEqual(second!.subject, { kind: 'command', command: 'echo hi', cwd: story.folder, envNames: ['SECRET_TOKEN'] });
    await session.decide(second!, 'allow');
    const turn = await session.endOf(asked);
    const outputs = agent.events('answer').filter(({ id }) => String(id).endsWith(':output')).map((entry) => (entry['result'] as { output: string }).output);
    assert.deepEqual(outputs, ['hi\n', 'hi\n']);
    assert.doesNotMatch(JSON.stringify(await session.items(turn)), /demo-123/);
  });

  it('nothing is written or run when it is rejected, and the agent is told', async () => {
    const path = join(story.folder, 'never.txt');
    const { agent, session } = await play([{ write: { path, content: 'x' } }, { terminal: { command: 'touch never-run.txt' } }, { text: 'done' }]);
    const turn = await session.through(await session.submit('go'), 'reject');
    assert.equal(turn.state, 'completed');
    assert.deepEqual(agent.events('answer').map((entry) => (entry['error'] as { data: { kind: string } }).data.kind), ['approval_rejected', 'approval_rejected']);
    await assert.rejects(readFile(path));
    await assert.rejects(readFile(join(story.folder, 'never-run.txt')));
    assert.deepEqual((await session.items(turn)).map(({ data, state }) => `${data.kind} ${state}`).slice(1, 3), ['edit declined', 'command declined']);
  });

  it('a setting answers by itself, and the record says which', async () => {
    const { session } = await play([{ write: { path: join(story.folder, 'rule.txt'), content: 'x' } }, { terminal: { command: 'true' } }, { permission: { id: 'p' } }, { text: 'done' }], { approvals: 'allow' });
    const turn = await session.endOf(await session.submit('go'));
    assert.equal(turn.state, 'completed');
    const { approvals } = await session.view();
    assert.deepEqual(approvals.map(({ status, decidedBy }) => `${status} ${String(decidedBy?.rule)}`), [
      'approved policy:attache.approvals.edit', 'approved policy:attache.approvals.command', 'approved policy:attache.approvals.tool',
    ]);
  });

  it('a setting that denies lets nothing through', async () => {
    const { agent, session } = await play([{ terminal: { command: 'touch denied.txt' } }, { permission: { id: 'p' } }, { text: 'done' }], { approvals: 'deny' });
    await session.endOf(await session.submit('go'));
    await assert.rejects(readFile(join(story.folder, 'denied.txt')));
    assert.deepEqual(agent.permissions(), ['p=reject']);
  });

  it('paths outside of the folder are neither read nor written, allowed or not', async () => {
    const outside = story.gateway.folder('elsewhere');
    await writeFile(join(outside, 'secret'), 'secret');
    const { agent, session } = await play([{ read: { path: join(outside, 'secret') } }, { write: { path: join(outside, 'new'), content: 'x' } }, { terminal: { command: 'touch new', cwd: outside } }, { text: 'done' }], { approvals: 'allow' });
    await session.endOf(await session.submit('go'));
    assert.deepEqual(agent.events('answer').map((entry) => (entry['error'] as { data: { kind: string } }).data.kind), ['path_refused', 'path_refused', 'path_refused']);
    await assert.rejects(readFile(join(outside, 'new')));
  });

  describe('of an agent that writes by itself', () => {
    const unsaved = (path: string) => (disk: ExecutionPlane): ExecutionPlane => ({
      read: async (asked) => ({ ...(await disk.read(asked)), dirty: asked === path }),
      preview: (...given) => disk.preview(...given),
      apply: (...given) => disk.apply(...given),
      readBytes: (asked) => disk.readBytes(asked),
      checkWrite: (asked) => disk.checkWrite(asked),
      restore: (...given) => disk.restore(...given),
      run: (spec) => disk.run(spec),
    });

    const steps = (path: string, written: string): Step[] => [
      { toolCall: { toolCallId: 'e', kind: 'edit', title: 'Edit', status: 'pending', content: [{ type: 'diff', path, oldText: 'one\n', newText: 'two\n' }] } },
      { permission: { id: 'e', toolCall: { toolCallId: 'e' }, then: { allow: [{ applyWrite: { path, content: written } }] } } },
      { toolUpdate: { toolCallId: 'e', status: 'completed' } },
      { text: 'done' },
    ];

    it('is marked so, and what it wrote is compared', async () => {
      const path = join(story.folder, 'itself.txt');
      await writeFile(path, 'one\n');
      const { session } = await play(steps(path, 'two\n'));
      const asked = await session.submit('go');
      const [approval] = await session.pending();
      assert.equal(approval!.subject.kind === 'edit' && approval!.subject.mode, 'agentApplied');
      await session.decide(approval!, 'allow');
      const turn = await session.endOf(asked);
      assert.deepEqual((await session.items(turn)).filter(({ data }) => data.kind === 'notice'), []);
    });

    it('C42 a file that differs from what was shown is flagged', async () => {
      const path = join(story.folder, 'other.txt');
      await writeFile(path, 'one\n');
      const { session } = await play(steps(path, 'something else\n'));
      const turn = await session.through(await session.submit('go'), 'allow');
      const [notice] = (await session.items(turn)).filter(({ data }) => data.kind === 'notice');
      assert.match(notice!.text, /other\.txt differs/);
    });

    it('C09 is not allowed to while the document has unsaved changes', async () => {
      const path = join(story.folder, 'dirty.txt');
      await writeFile(path, 'one\n');
      const { agent, session } = await play(steps(path, 'two\n'), { plane: unsaved(path) });
      const turn = await session.through(await session.submit('go'), 'allow');
      assert.deepEqual(agent.permissions(), ['e=reject']);
      assert.equal(await readFile(path, 'utf8'), 'one\n');
      const [notice] = (await session.items(turn)).filter(({ data }) => data.kind === 'notice');
      assert.match(notice!.text, /unsaved changes/);
    });

    it('is not allowed to when the file moved on since the diff was made', async () => {
      const path = join(story.folder, 'moved.txt');
      await writeFile(path, 'one\n');
      const { agent, session } = await play(steps(path, 'two\n'));
      const asked = await session.submit('go');
      const [approval] = await session.pending();
      await writeFile(path, 'person\n');
      await session.decide(approval!, 'allow');
      await session.endOf(asked);
      assert.deepEqual(agent.permissions(), ['e=reject']);
      assert.equal(await readFile(path, 'utf8'), 'person\n');
    });
  });

  it('C09 a change made on the same lines since the agent read the file is shown and always asked', async () => {
    const path = join(story.folder, 'conflict.txt');
    await writeFile(path, 'one\ntwo\n');
    const { session, agent } = await play([{ read: { path } }, { sleep: 500 }, { write: { path, content: 'agent\ntwo\n' } }, { text: 'done' }], { approvals: 'allow' });
    const asked = await session.submit('go');
    await agent.waitFor('the read', (log) => log.some(({ event }) => event === 'answer'));
    await writeFile(path, 'person\ntwo\n');
    const [approval] = await session.pending();
    assert.deepEqual(approval!.subject.kind === 'edit' && approval!.subject.changes[0]!.lines.map(({ t, text }) => t + text).slice(1), ['-person', '+agent', ' two']);
    await session.decide(approval!, 'allow');
    await session.endOf(asked);
    assert.equal(await readFile(path, 'utf8'), 'agent\ntwo\n');
  });

  it('C09 a person’s change that was carried over stays through every later write of an agent that does not know it', async () => {
    const path = join(story.folder, 'carried.txt');
    await writeFile(path, '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    const { session, agent } = await play([
      { read: { path } }, { permission: touch('pause') },
      { write: { path, content: '1\n2\n3\n4\n5\n6\n7\n8\nagent\n' } }, { write: { path, content: '1\n2\n3\n4\n5\nagent too\n7\n8\nagent\n' } }, { text: 'done' },
    ]);
    const asked = await session.submit('go');
    await agent.waitFor('the read', (log) => log.some(({ event }) => event === 'answer'));
    await session.pending();
    await writeFile(path, '1\nperson\n3\n4\n5\n6\n7\n8\n9\n');
    assert.equal((await session.through(asked, 'allow')).state, 'completed');
    assert.equal(await readFile(path, 'utf8'), '1\nperson\n3\n4\n5\nagent too\n7\n8\nagent\n');
  });

  it('requests outside of a turn are refused', async () => {
    const agent = fakeAgent({ prompts: [{ steps: [{ text: 'done' }], afterEnd: [{ permission: { id: 'late' } }, { write: { path: join(story.folder, 'late.txt'), content: 'x' } }] }] }, story.gateway.folder('scripts'), 'late');
    const session = await story.session({ agent, approvals: { edit: 'allow', tool: 'allow' } });
    await session.endOf(await session.submit('go'));
    await eventually('both answers', () => agent.permissions().length === 1 && agent.events('answer').length === 1);
    assert.deepEqual(agent.permissions(), ['late=cancelled']);
    assert.equal((agent.events('answer')[0]!['error'] as { data: { kind: string } }).data.kind, 'turn_not_active');
  });

  it('deep new folders are made for a new file', async () => {
    await mkdir(join(story.folder, 'a'), { recursive: true });
    const path = join(story.folder, 'a/b/c.txt');
    const { session } = await play([{ write: { path, content: 'x\n' } }, { text: 'done' }], { approvals: 'allow' });
    await session.endOf(await session.submit('go'));
    assert.equal(await readFile(path, 'utf8'), 'x\n');
  });
});
