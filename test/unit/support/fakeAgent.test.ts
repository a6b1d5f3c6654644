import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcpClient, choose, type AcpClientOptions } from '../../agents/support/acpClient.ts';
import { fakeAgent, type FakeAgent } from '../../agents/support/fakeAgent.ts';
import type { FakeScript, Step } from '../../agents/support/fakeScript.ts';

describe('the fake agent', () => {
  let folder: string;
  const clients: AcpClient[] = [];

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'attache-fake-')));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close(500)));
    await rm(folder, { recursive: true, force: true });
  });

  async function start(script: FakeScript, options: Partial<AcpClientOptions> = {}): Promise<{ agent: FakeAgent; client: AcpClient; sessionId: string }> {
    const agent = fakeAgent(script, folder);
    const client = new AcpClient({ command: agent.command, args: agent.args, cwd: folder, ...options });
    clients.push(client);
    await client.initialize();
    return { agent, client, sessionId: await client.newSession() };
  }

  const play = (...steps: Step[]): FakeScript => ({ prompts: [{ steps }] });

  it('echoes without a script and logs what it was sent', async () => {
    const { agent, client, sessionId } = await start({});
    assert.deepEqual(await client.prompt(sessionId, 'hello'), { stopReason: 'end_turn' });
    assert.equal(client.text(), 'You said: hello');
    assert.deepEqual(agent.prompts(), ['hello']);
    assert.deepEqual(agent.log().map(({ event }) => event), ['start', 'request', 'request', 'session', 'request', 'prompt', 'end']);
  });

  it('plays prompts in turn, and by match', async () => {
    const { client, sessionId } = await start({
      prompts: [
        { steps: [{ text: '1' }] },
        { match: '^ping', steps: [{ text: 'pong' }], stopReason: 'max_tokens' },
        { steps: [{ repeat: { times: 2, steps: [{ text: '{{n}}.{{i}} ' }] } }] },
      ],
    });
    assert.deepEqual(await client.prompt(sessionId, 'ping!'), { stopReason: 'max_tokens' });
    for (const text of ['a', 'b', 'c']) await client.prompt(sessionId, text);
    assert.equal(client.text(), 'pong13.1 3.2 4.1 4.2 ');
  });

  it('asks several permissions at once and goes on by the choice', async () => {
    const ask = (id: string) => ({ id, then: { allow: [{ text: `${id} ran. ` }], reject: [{ text: `${id} not. ` }] } });
    const { agent, client, sessionId } = await start(play({ permissions: { requests: [ask('a'), ask('b')], gapMs: 5 } }), {
      onPermission: (request) => choose(request, request.toolCall.toolCallId === 'a' ? 'reject_once' : 'allow_once'),
    });
    await client.prompt(sessionId, 'go');
    assert.deepEqual(agent.permissions(), ['a=reject', 'b=allow']);
    assert.equal(client.text(), 'a not. b ran. ');
  });

  it('uses files and terminals of the client, and writes by itself', async () => {
    const { agent, client, sessionId } = await start(
      play(
        { write: { path: '{{cwd}}/a.txt', content: 'a' } },
        { read: { path: '{{cwd}}/a.txt' } },
        { applyWrite: { path: '{{cwd}}/b.txt', content: 'b' } },
        { terminal: { command: 'printf ok', toolCallId: 't' } },
        { terminal: { id: 'long', command: 'sleep 60', killAfterMs: 10 } },
      ),
    );
    await client.prompt(sessionId, 'go');
    assert.equal(await readFile(join(folder, 'b.txt'), 'utf8'), 'b');
    const answers = new Map(agent.events('answer').map((entry) => [entry['id'], entry['result']]));
    assert.deepEqual(answers.get('read'), { content: 'a' });
    assert.deepEqual(answers.get('terminal:output'), { output: 'ok', truncated: false, exitStatus: { exitCode: 0, signal: null } });
    assert.deepEqual(answers.get('long:exit'), { exitCode: null, signal: 'SIGKILL' });
  });

  it('obeys, delays or ignores a cancel', async () => {
    const { client, sessionId } = await start({ ...play({ hang: true }), onCancel: { ignoreForMs: 200 } });
    const began = Date.now();
    const answer = client.prompt(sessionId, 'go');
    await client.cancel(sessionId);
    assert.deepEqual(await answer, { stopReason: 'cancelled' });
    assert.ok(Date.now() - began >= 195);
  });

  it('crashes with a code or by a signal', async () => {
    const { client, sessionId } = await start(play({ crash: { code: 3 } }));
    await assert.rejects(client.prompt(sessionId, 'go'));
    await client.waitFor('the end', () => client.process.exitCode === 3);
    const second = await start(play({ crash: { signal: 'SIGKILL' } }));
    await assert.rejects(second.client.prompt(second.sessionId, 'go'));
    await second.client.waitFor('the end', () => second.client.process.signalCode === 'SIGKILL');
  });

  it('leaves children behind for a client to end', async () => {
    const { agent, client, sessionId } = await start(play({ spawnChild: {} }));
    await client.prompt(sessionId, 'go');
    await agent.waitFor('the child', (log) => log.some(({ event }) => event === 'child'));
    const [entry] = agent.events('child');
    for (const pid of [Number(entry?.['child']), Number(entry?.['grandchild'])]) {
      process.kill(pid, 0);
      process.kill(pid, 'SIGKILL');
    }
  });

  it('sends noise, unknown updates, late updates and errors', async () => {
    const { client, sessionId } = await start({
      prompts: [
        {
          steps: [{ raw: 'not json' }, { hugeText: 300_000 }, { update: { sessionUpdate: 'new_thing', x: 1 } }],
          afterEnd: [{ text: 'late' }],
        },
        { match: 'fail', steps: [], error: { code: -32000, message: 'Authentication required' } },
      ],
    });
    await client.prompt(sessionId, 'go');
    await client.waitFor('the late text', () => client.text().endsWith('late'));
    assert.equal(client.text().length, 300_004);
    await assert.rejects(client.prompt(sessionId, 'fail'), { code: -32000 });
  });

  it('remembers sessions over a restart, or fails to load as the script says', async () => {
    const { client, sessionId } = await start({ loadOnly: 'known', replay: [{ text: 'before' }] });
    await client.close();
    const next = await start({ loadOnly: 'known', replay: [{ text: 'before' }], errors: { 'session/resume': { code: -32601, message: 'no' } } });
    await next.client.load(sessionId);
    assert.equal(next.client.text(), 'before');
    await assert.rejects(next.client.load('other'), { code: -32002 });
  });
});
