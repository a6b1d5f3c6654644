import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AcpClient } from '../../../agents/support/acpClient.ts';
import { startClient, startOffline, stopAll, temporaryFolder, type Offline } from './startOffline.ts';

const main = resolve(import.meta.dirname, '../../../../src/runtime/offline/main.ts');

async function stored(): Promise<Offline & { data: string }> {
  const data = join(await temporaryFolder(), 'sessions');
  return { ...(await startOffline({ data })), data };
}

async function restarted({ client, folder, data }: Offline & { data: string }): Promise<AcpClient> {
  assert.equal(await client.close(), 0);
  const next = startClient(folder, { data });
  const { agentCapabilities } = await next.initialize();
  assert.equal(agentCapabilities?.loadSession, true);
  return next;
}

describe('offline agent: conversations', () => {
  afterEach(stopAll);

  it('replays a conversation in a new process and goes on with it', async () => {
    const before = await stored();
    await writeFile(join(before.folder, 'a.txt'), 'a');
    await before.client.prompt(before.sessionId, '/edit a.txt a => b');
    await before.client.prompt(before.sessionId, '/think tea');
    const client = await restarted(before);
    await client.load(before.sessionId);
    assert.deepEqual(client.updates.map(({ sessionUpdate }) => sessionUpdate).slice(0, 6), [
      'user_message_chunk',
      'tool_call',
      'agent_message_chunk',
      'user_message_chunk',
      'agent_thought_chunk',
      'agent_message_chunk',
    ]);
    assert.equal(client.text('user_message_chunk'), '/edit a.txt a => b/think tea');
    const [call] = client.updatesOf('tool_call');
    assert.deepEqual([call?.title, call?.status, call?.content], ['Edit a.txt', 'completed', undefined]);
    assert.deepEqual(await client.prompt(before.sessionId, '/slow 1'), { stopReason: 'end_turn' });
    const again = await restarted({ ...before, client });
    await again.load(before.sessionId);
    assert.match(again.text(), /line 1 of 1/);
  });

  it('keeps the conversation of a process that was killed in a turn', async () => {
    const before = await stored();
    const answer = before.client.prompt(before.sessionId, '/slow 100').catch(() => 'lost');
    await before.client.waitFor('a line', () => before.client.text() !== '');
    before.client.process.kill('SIGKILL');
    assert.equal(await answer, 'lost');
    const client = startClient(before.folder, { data: before.data });
    await client.initialize();
    await client.load(before.sessionId);
    assert.equal(client.text('user_message_chunk'), '/slow 100');
  });

  it('stores only what was shown, for its owner alone', async () => {
    const { client, folder, sessionId, data } = await stored();
    await writeFile(join(folder, 'a.txt'), 'secret-before');
    await client.prompt(sessionId, '/write a.txt after');
    assert.deepEqual(await readdir(data), [`${sessionId}.json`]);
    const text = await readFile(join(data, `${sessionId}.json`), 'utf8');
    assert.equal(text.includes('secret-before'), false);
    if (process.platform === 'win32') return;
    assert.equal((await stat(data)).mode & 0o777, 0o700);
    assert.equal((await stat(join(data, `${sessionId}.json`))).mode & 0o777, 0o600);
  });

  it('answers an unknown session with -32002 and a damaged one with an error', async () => {
    const { client, sessionId, data } = await stored();
    for (const id of ['00000000-0000-4000-8000-000000000000', '../../etc/passwd', sessionId]) {
      await assert.rejects(client.load(id), { code: -32002 });
      await assert.rejects(client.prompt(id === sessionId ? 'gone' : id, '/help'), { code: -32002 });
    }
    await client.prompt(sessionId, '/help');
    for (const damage of ['{', '{"version":2}', '{"version":1,"cwd":"/","entries":[{"role":"agent"}]}']) {
      await writeFile(join(data, `${sessionId}.json`), damage);
      await assert.rejects(client.load(sessionId), { code: -32603 });
    }
  });

  it('works on when the folder cannot be written', async () => {
    const blocked = join(await temporaryFolder(), 'file');
    await writeFile(blocked, '');
    const { client, sessionId } = await startOffline({ data: blocked });
    assert.deepEqual(await client.prompt(sessionId, '/slow 1'), { stopReason: 'end_turn' });
    assert.match(client.stderr, /conversation not stored/);
  });
});

describe('offline agent: process', () => {
  afterEach(stopAll);

  it('ends by itself when its client goes, also in the middle of a turn', async () => {
    const { client, sessionId } = await startOffline();
    void client.prompt(sessionId, '/slow 2000').catch(() => undefined);
    await client.waitFor('a line', () => client.text() !== '');
    assert.equal(await client.close(), 0);
  });

  it('survives a malformed line and answers an unknown method with an error', async () => {
    const folder = await temporaryFolder();
    const child = spawn(process.execPath, [main], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text));
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } };
    const unknown = { jsonrpc: '2.0', id: 2, method: 'session/dance', params: {} };
    for (const [index, line] of ['this is not json', JSON.stringify(initialize), JSON.stringify(unknown)].entries()) {
      child.stdin.write(`${line}\n`);
      while (out.split('\n').length < index + 2) await once(child.stdout, 'data');
    }
    child.stdin.end();
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0);
    const messages = out.trim().split('\n').map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
    assert.deepEqual(messages.map(({ error }) => error?.code), [-32700, undefined, -32601]);
  });
});
