import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startOffline, stopAll } from './startOffline.ts';

describe('offline agent: commands that only look', () => {
  afterEach(stopAll);

  it('introduces itself, offers its commands and opens sessions', async () => {
    const { client } = await startOffline();
    await client.waitFor('the commands', () => client.updatesOf('available_commands_update').length === 1);
    const names = client.updatesOf('available_commands_update')[0]?.availableCommands.map(({ name }) => name);
    assert.deepEqual(names, ['help', 'ls', 'read', 'search', 'edit', 'write', 'run', 'plan', 'think', 'slow', 'picture']);
  });

  it('offers no loading without a folder to keep conversations in', async () => {
    const { client } = await startOffline();
    const { agentCapabilities } = await client.initialize();
    assert.equal(agentCapabilities?.loadSession, false);
  });

  it('answers /help with every command', async () => {
    const { client, sessionId } = await startOffline();
    assert.deepEqual(await client.prompt(sessionId, '/help'), { stopReason: 'end_turn' });
    for (const usage of ['/ls [folder]', '/edit <file> <find> => <replace>', '/run <command>']) {
      assert.ok(client.text().includes(usage), usage);
    }
  });

  it('answers plain text honestly and points at a file it names', async () => {
    const { client, folder, sessionId } = await startOffline();
    await writeFile(join(folder, 'cart.ts'), 'x');
    await client.prompt(sessionId, 'please explain `cart.ts` to me');
    assert.match(client.text(), /5 words/);
    assert.match(client.text(), /no model/);
    assert.match(client.text(), /`\/read cart\.ts`/);
  });

  it('names the nearest command for an unknown one', async () => {
    const { client, sessionId } = await startOffline();
    await client.prompt(sessionId, '/searc x');
    assert.match(client.text(), /do not know `\/searc`. Did you mean `\/search <text>`/);
  });

  it('finds the command behind context that the client puts in front', async () => {
    const { client, sessionId } = await startOffline();
    await client.prompt(sessionId, [
      { type: 'text', text: 'Goal: ship it' },
      { type: 'text', text: '/slow 1' },
    ]);
    assert.equal(client.text(), 'line 1 of 1\n');
  });

  it('lists a folder, folders first', async () => {
    const { client, folder, sessionId } = await startOffline();
    await mkdir(join(folder, 'zeta'));
    await writeFile(join(folder, 'alpha.txt'), '');
    await client.prompt(sessionId, '/ls');
    assert.match(client.text(), /zeta\/\nalpha\.txt/);
    const [call] = client.updatesOf('tool_call');
    assert.deepEqual([call?.kind, call?.title, call?.locations], ['read', 'List .', [{ path: folder }]]);
    assert.equal(client.updatesOf('tool_call_update').at(-1)?.status, 'completed');
  });

  it('reads through the client, so that unsaved text counts', async () => {
    const { client, folder, sessionId } = await startOffline();
    await writeFile(join(folder, 'a b.txt'), 'one\ntwo ``` three\n');
    await client.prompt(sessionId, '/read a b.txt');
    assert.deepEqual(client.requests.map(({ method }) => method), ['fs/read_text_file']);
    assert.match(client.text(), /`a b\.txt`, 2 lines\.\n\n````\none\ntwo ``` three\n````/);
  });

  it('reads from the disk and says so when the client offers no reading', async () => {
    const { client, folder, sessionId } = await startOffline({ capabilities: {} });
    await writeFile(join(folder, 'a.txt'), 'one');
    await writeFile(join(folder, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    await client.prompt(sessionId, '/read a.txt');
    assert.match(client.text(), /does not show me unsaved edits/);
    await client.prompt(sessionId, '/read binary');
    assert.match(client.text(), /not UTF-8/);
    assert.deepEqual(client.requests, []);
  });

  it('says that a file is missing and what to do', async () => {
    for (const capabilities of [{}, { fs: { readTextFile: true } }]) {
      const { client, sessionId } = await startOffline({ capabilities });
      assert.deepEqual(await client.prompt(sessionId, '/read nowhere.ts'), { stopReason: 'end_turn' });
      assert.equal(client.text(), 'There is no file `nowhere.ts`. Look for it with `/ls` or `/search`.');
      assert.equal(client.updatesOf('tool_call_update').at(-1)?.status, 'failed');
    }
  });

  it('refuses every way out of the folder', async () => {
    const { client, folder, sessionId } = await startOffline();
    await symlink('/etc', join(folder, 'link'));
    for (const command of ['/read ../x', '/read /etc/passwd', '/read link/passwd', '/ls ..', '/write link/x y', '/write ../x y', '/edit ../x a => b']) {
      client.updates.length = 0;
      await client.prompt(sessionId, command);
      assert.match(client.text(), /is outside of this session's folder/, command);
    }
    assert.deepEqual(client.requests, []);
  });

  it('searches saved files and leaves .git and node_modules out', async () => {
    const { client, folder, sessionId } = await startOffline();
    for (const name of ['src', '.git', 'node_modules']) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'a.ts'), 'first\nconst Price = 10;\n');
    }
    await client.prompt(sessionId, '/search price');
    assert.match(client.text(), /1 match in 1 file for `price`:\n\n```\nsrc\/a\.ts:2: const Price = 10;\n```/);
    assert.deepEqual(client.updatesOf('tool_call_update').at(-1)?.locations, [{ path: join(folder, 'src/a.ts'), line: 2 }]);
    await client.prompt(sessionId, '/search nothing like this');
    assert.match(client.text(), /was not found/);
  });

  it('caps a search and says so', async () => {
    const { client, folder, sessionId } = await startOffline();
    await writeFile(join(folder, 'many.txt'), 'hit\n'.repeat(1_000));
    await writeFile(join(folder, 'big.txt'), 'hit'.padEnd(1024 * 1024 + 1));
    await client.prompt(sessionId, '/search hit');
    assert.match(client.text(), /200 matches in 1 file/);
    assert.match(client.text(), /stopped early/);
  });

  it('works a plan through to its end', async () => {
    const { client, sessionId } = await startOffline();
    await client.prompt(sessionId, '/plan');
    const plans = client.updatesOf('plan').map(({ entries }) => entries.map(({ status }) => status));
    assert.deepEqual(plans[0], ['in_progress', 'pending', 'pending', 'pending']);
    assert.deepEqual(plans.at(-1), ['completed', 'completed', 'completed', 'completed']);
    assert.equal(plans.length, 5);
  });

  it('streams a thought before the reply', async () => {
    const { client, sessionId } = await startOffline();
    await client.prompt(sessionId, '/think tea');
    assert.match(client.text('agent_thought_chunk'), /about tea/);
    const kinds = client.updates.map(({ sessionUpdate }) => sessionUpdate);
    assert.ok(kinds.indexOf('agent_thought_chunk') < kinds.indexOf('agent_message_chunk'));
  });

  it('/picture draws one, or shows one of the folder in a tool call', async () => {
    const { client, sessionId, folder } = await startOffline();
    await client.prompt(sessionId, '/picture');
    const shown = client.updatesOf('agent_message_chunk').flatMap(({ content }) => (content.type === 'image' ? [content] : []));
    assert.deepEqual(shown.map(({ mimeType, data }) => [mimeType, Buffer.from(data, 'base64').subarray(1, 4).toString()]), [['image/png', 'PNG']]);
    await writeFile(join(folder, 'a b.gif'), 'GIF89a');
    await client.prompt(sessionId, '/picture a b.gif');
    const blocks = client.updatesOf('tool_call_update').at(-1)?.content?.flatMap((entry) => (entry.type === 'content' ? [entry.content] : []));
    assert.deepEqual(blocks, [{ type: 'text', text: '6 bytes' }, { type: 'image', mimeType: 'image/gif', data: Buffer.from('GIF89a').toString('base64'), uri: 'file:///a%20b.gif' }]);
    for (const [command, word] of [['/picture no.png', 'There is no file'], ['/picture notes.txt', 'no ending of a picture'], ['/picture ../x.png', 'outside of this session']] as const) {
      await client.prompt(sessionId, command);
      assert.ok(client.text().includes(word), word);
    }
  });

  it('streams lines one by one in one message', async () => {
    const { client, sessionId } = await startOffline();
    await client.prompt(sessionId, '/slow 3');
    const chunks = client.updatesOf('agent_message_chunk');
    assert.equal(client.text(), 'line 1 of 3\nline 2 of 3\nline 3 of 3\n');
    assert.equal(new Set(chunks.map(({ messageId }) => messageId)).size, 1);
  });
});
