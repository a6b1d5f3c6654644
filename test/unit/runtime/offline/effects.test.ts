import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { choose } from '../../../agents/support/acpClient.ts';
import { startOffline, stopAll, type Offline } from './startOffline.ts';

const reject = (request: RequestPermissionRequest): RequestPermissionResponse => choose(request, 'reject_once');

async function withFile(text: string, options: Parameters<typeof startOffline>[0] = {}): Promise<Offline & { file: string }> {
  const offline = await startOffline(options);
  const file = join(offline.folder, 'cart.ts');
  await writeFile(file, text);
  return { ...offline, file };
}

function statuses({ client }: Offline): (string | null | undefined)[] {
  return [...client.updatesOf('tool_call'), ...client.updatesOf('tool_call_update')].map(({ status }) => status);
}

describe('offline agent: changes', () => {
  afterEach(stopAll);

  it('shows the diff, asks, then writes exactly what it showed', async () => {
    const offline = await withFile('const a = 1;\nconst price = 10;\n');
    const { client, file, sessionId } = offline;
    await client.prompt(sessionId, '/edit cart.ts price = 10 => price = 12');
    const newText = 'const a = 1;\nconst price = 12;\n';
    const diff = { type: 'diff', path: file, oldText: 'const a = 1;\nconst price = 10;\n', newText };
    const [call] = client.updatesOf('tool_call');
    assert.deepEqual([call?.kind, call?.title, call?.content], ['edit', 'Edit cart.ts', [diff]]);
    assert.deepEqual(call?.locations, [{ path: file, line: 2 }]);
    assert.deepEqual(client.permissions[0]?.toolCall.content, [diff]);
    assert.equal(client.permissions[0]?.toolCall.toolCallId, call?.toolCallId);
    assert.deepEqual(client.permissions[0]?.options.map(({ kind }) => kind), ['allow_once', 'reject_once']);
    assert.deepEqual(client.requests.map(({ method }) => method), ['fs/read_text_file', 'session/request_permission', 'fs/write_text_file']);
    assert.deepEqual(client.requests[2]?.params, { sessionId, path: file, content: newText });
    assert.deepEqual(statuses(offline), ['pending', 'in_progress', 'completed']);
    assert.equal(await readFile(file, 'utf8'), newText);
    assert.equal(client.text(), 'Changed `cart.ts`.');
  });

  it('changes nothing when rejected, and says what to do next', async () => {
    const offline = await withFile('a', { onPermission: reject });
    const { client, file, sessionId } = offline;
    assert.deepEqual(await client.prompt(sessionId, '/edit cart.ts a => b'), { stopReason: 'end_turn' });
    assert.equal(await readFile(file, 'utf8'), 'a');
    assert.deepEqual(statuses(offline), ['pending', 'failed']);
    const last = client.updatesOf('tool_call_update').at(-1);
    assert.deepEqual(last?.content?.map(({ type }) => type), ['diff', 'content']);
    assert.match(client.text(), /You rejected it\. The file was not changed\./);
  });

  it('takes an unknown option for a no', async () => {
    const { client, file, sessionId } = await withFile('a', {
      onPermission: () => ({ outcome: { outcome: 'selected', optionId: 'nonsense' } }),
    });
    await client.prompt(sessionId, '/edit cart.ts a => b');
    assert.equal(await readFile(file, 'utf8'), 'a');
  });

  const refusals: [string, string, RegExp][] = [
    ['a a', '/edit cart.ts a => b', /2 times/],
    ['a', '/edit cart.ts z => b', /not in the file/],
    ['a', '/edit cart.ts a => a', /the same text/],
    ['a', '/edit other.ts a => b', /no file `other\.ts`/],
  ];
  for (const [text, command, expected] of refusals) {
    it(`explains why not: ${command} in ${JSON.stringify(text)}`, async () => {
      const offline = await withFile(text);
      await offline.client.prompt(offline.sessionId, command);
      assert.match(offline.client.text(), expected);
      assert.deepEqual(offline.client.permissions, []);
      assert.deepEqual(statuses(offline), ['in_progress', 'failed']);
    });
  }

  it('cuts an edit whose code contains => at the longest text that is there', async () => {
    const { client, file, sessionId } = await withFile('const f = (x) => x + 1;\n');
    await client.prompt(sessionId, '/edit cart.ts (x) => x + 1 => (y) => y + 2');
    assert.equal(await readFile(file, 'utf8'), 'const f = (y) => y + 2;\n');
    await client.prompt(sessionId, '/edit cart.ts const => export const');
    assert.equal(await readFile(file, 'utf8'), 'export const f = (y) => y + 2;\n');
  });

  it('keeps CRLF line ends and adds no others', async () => {
    const { client, file, sessionId } = await withFile('a\r\nb\r\nc\r\n');
    await client.prompt(sessionId, '/edit cart.ts b => B\\nb2');
    assert.equal(await readFile(file, 'utf8'), 'a\r\nB\r\nb2\r\nc\r\n');
    await client.prompt(sessionId, '/edit cart.ts b2\\nc => C');
    assert.equal(await readFile(file, 'utf8'), 'a\r\nB\r\nC\r\n');
  });

  it('writes a new file, with line breaks', async () => {
    const { client, folder, sessionId } = await startOffline();
    await client.prompt(sessionId, '/write new.txt one\\ntwo\\n');
    assert.equal(await readFile(join(folder, 'new.txt'), 'utf8'), 'one\ntwo\n');
    const [call] = client.updatesOf('tool_call');
    assert.deepEqual(call?.content, [{ type: 'diff', path: join(folder, 'new.txt'), oldText: null, newText: 'one\ntwo\n' }]);
    assert.equal(client.text(), 'Created `new.txt`.');
  });

  it('does nothing when the file already has the text', async () => {
    const { client, sessionId } = await withFile('same');
    await client.prompt(sessionId, '/write cart.ts same');
    assert.match(client.text(), /nothing to do/);
    assert.deepEqual(client.permissions, []);
  });

  it('never writes or runs by itself', async () => {
    const { client, folder, sessionId } = await startOffline({ capabilities: {} });
    for (const command of ['/write new.txt x', '/edit new.txt a => b', '/run touch new.txt']) {
      client.updates.length = 0;
      await client.prompt(sessionId, command);
      assert.match(client.text(), /does not offer .* I never .* by myself/, command);
      assert.deepEqual(client.updatesOf('tool_call'), []);
    }
    assert.equal(existsSync(join(folder, 'new.txt')), false);
  });
});

describe('offline agent: commands it runs', () => {
  afterEach(stopAll);

  it('asks with the exact command and runs exactly that one', async () => {
    const offline = await startOffline();
    const { client, folder, sessionId } = offline;
    const command = 'cd . && printf \'✅ %s\' "done"';
    await client.prompt(sessionId, `/run ${command}`);
    const asked = client.permissions[0]?.toolCall;
    assert.deepEqual([asked?.title, asked?.kind, asked?.rawInput], [command, 'execute', { command, cwd: folder }]);
    await client.waitFor('the release', () => client.requests.length === 3);
    assert.deepEqual(client.requests.map(({ method }) => method), ['session/request_permission', 'terminal/create', 'terminal/release']);
    assert.deepEqual(client.requests[1]?.params, { sessionId, command, cwd: folder, outputByteLimit: 1024 * 1024 });
    const updates = client.updatesOf('tool_call_update');
    assert.deepEqual(updates[0]?.content, [{ type: 'terminal', terminalId: 'terminal-1' }]);
    assert.deepEqual(updates[1]?.rawOutput, { exitCode: 0, signal: null, output: '✅ done', truncated: false });
    assert.deepEqual(statuses(offline), ['pending', 'in_progress', 'completed']);
    assert.match(client.text(), /ended with code 0\.\n\n```\n✅ done\n```/);
  });

  it('reports a failing command, and one without output', async () => {
    const offline = await startOffline();
    const { client, sessionId } = offline;
    await client.prompt(sessionId, '/run exit 7');
    assert.match(client.text(), /`exit 7` ended with code 7\. It printed no output\./);
    assert.deepEqual(statuses(offline), ['pending', 'in_progress', 'failed']);
  });

  it('runs nothing when rejected', async () => {
    const { client, folder, sessionId } = await startOffline({ onPermission: reject });
    await client.prompt(sessionId, '/run touch new.txt');
    assert.match(client.text(), /Nothing was run/);
    assert.equal(existsSync(join(folder, 'new.txt')), false);
    assert.equal(client.updatesOf('tool_call_update').at(-1)?.status, 'failed');
  });
});
