import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allow } from '../../../agents/support/acpClient.ts';
import { startOffline, stopAll, type Offline } from './startOffline.ts';

async function cancelDuring({ client, sessionId }: Offline, prompt: string, when: () => boolean): Promise<number> {
  const answer = client.prompt(sessionId, prompt);
  await client.waitFor(`the moment to cancel ${prompt}`, when);
  const cancelledAt = Date.now();
  await client.cancel(sessionId);
  assert.deepEqual(await answer, { stopReason: 'cancelled' });
  return Date.now() - cancelledAt;
}

function assertNothingOpen({ client }: Offline): void {
  for (const { toolCallId } of client.updatesOf('tool_call')) {
    const last = client.updatesOf('tool_call_update').findLast((update) => update.toolCallId === toolCallId);
    assert.equal(last?.status, 'failed');
  }
}

describe('offline agent: cancel', () => {
  afterEach(stopAll);

  it('stops a stream at once and takes the next prompt', async () => {
    const offline = await startOffline();
    const { client, sessionId } = offline;
    const took = await cancelDuring(offline, '/slow 2000', () => client.updatesOf('agent_message_chunk').length >= 2);
    assert.ok(took < 3_000, `${String(took)} ms`);
    const chunks = client.updatesOf('agent_message_chunk').length;
    await delay(250);
    assert.equal(client.updatesOf('agent_message_chunk').length, chunks);
    assert.deepEqual(await client.prompt(sessionId, '/slow 1'), { stopReason: 'end_turn' });
  });

  it('stops while it asks, and a late yes changes nothing', async () => {
    const offline = await startOffline({ onPermission: (request) => delay(300).then(() => allow(request)) });
    const { client, folder } = offline;
    await writeFile(join(folder, 'a.txt'), 'a');
    await cancelDuring(offline, '/edit a.txt a => b', () => client.permissions.length === 1);
    assertNothingOpen(offline);
    await delay(400);
    assert.equal(client.requests.some(({ method }) => method === 'fs/write_text_file'), false);
  });

  it('treats a request the client cancelled as a cancelled turn', async () => {
    const { client, sessionId } = await startOffline({ onPermission: () => ({ outcome: { outcome: 'cancelled' } }) });
    assert.deepEqual(await client.prompt(sessionId, '/run true'), { stopReason: 'cancelled' });
  });

  it('kills and releases the terminal', async () => {
    const offline = await startOffline();
    const { client } = offline;
    await cancelDuring(offline, '/run sleep 60', () => client.updatesOf('tool_call_update').length === 1);
    assertNothingOpen(offline);
    await client.waitFor('kill and release', () => client.requests.length === 4);
    assert.deepEqual(client.requests.slice(2).map(({ method }) => method), ['terminal/kill', 'terminal/release']);
  });

  it('stops plan and thought', async () => {
    for (const [command, kind] of [['/plan', 'plan'], ['/think', 'agent_thought_chunk']] as const) {
      const offline = await startOffline();
      await cancelDuring(offline, command, () => offline.client.updatesOf(kind).length === 1);
      assert.equal(offline.client.text(), '');
    }
  });

  it('does nothing without a running turn', async () => {
    const { client, sessionId } = await startOffline();
    await client.cancel(sessionId);
    await client.cancel('unknown');
    assert.deepEqual(await client.prompt(sessionId, '/slow 1'), { stopReason: 'end_turn' });
  });

  it('refuses a second turn beside a running one', async () => {
    const offline = await startOffline();
    const { client, sessionId } = offline;
    const first = client.prompt(sessionId, '/slow 50');
    await assert.rejects(client.prompt(sessionId, '/help'), /already running/);
    await client.cancel(sessionId);
    assert.deepEqual(await first, { stopReason: 'cancelled' });
  });
});
