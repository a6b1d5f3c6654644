import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { clientTurnId, digest } from '../../src/protocol/ids.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { current, follow } from '../support/follow.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import type { TestClient } from '../support/testClient.ts';
import { delta, newCommand, startMessage, submit, TestHost } from '../support/testHost.ts';

describe('sessions as people keep and choose them', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  let cli: TestClient;
  let host: TestHost;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    editor = await gateway.client();
    cli = await gateway.client({ kind: 'cli' });
    host = await TestHost.start(editor, { workspace: gateway.folder() });
  });
  afterEach(() => gateway.stop());

  it('one window pins and archives, another one sees it; the next message brings the session back', async () => {
    const { subscriptionId } = await editor.call('sub/subscribe', { scope: { workspace: gateway.folder() } });
    await cli.call('session/pin', { commandId: newCommand(), sessionId: host.sessionId, pinned: true });
    await cli.call('session/archive', { commandId: newCommand(), sessionId: host.sessionId, archived: true });
    await editor.event(subscriptionId, 'session.updated', ({ session }) => session.pinned && session.archivedAt !== null);
    assert.deepEqual((await cli.call('session/list', { workspace: gateway.folder() })).sessions, []);
    assert.deepEqual((await cli.call('workspace/list', {})).workspaces.map(({ path, sessions }) => [path, sessions]), [[gateway.folder(), { open: 0, archived: 1, closed: 0 }]]);
    await submit(cli, host.sessionId, 'again');
    await editor.event(subscriptionId, 'session.updated', ({ session }) => session.archivedAt === null && session.queue.pending === 1);
    const before = gateway.dump();
    await expectRefusal('attached_session_queue_pending', cli.call('session/archive', { commandId: newCommand(), sessionId: host.sessionId, archived: true }));
    assert.deepEqual(gateway.dump(), before);
  });

  it('a CLI chooses among what the agent offers: the host hears it, and its report settles it', async () => {
    const mine = await follow(editor, host.sessionId);
    const choices = ['ask', 'plan'].map((value) => ({ value, name: value }));
    const report = (value: string) => editor.call('host/agent', { ...host.target, agent: { options: [{ id: 'mode', name: 'Mode', category: 'mode', value, choices }] } });
    await report('ask');
    await expectRefusal('agent_option_value_unknown', cli.call('session/configure', { commandId: newCommand(), sessionId: host.sessionId, changes: { options: [{ id: 'mode', value: 'yolo' }] } }));
    await cli.call('session/configure', { commandId: newCommand(), sessionId: host.sessionId, changes: { options: [{ id: 'mode', value: 'plan' }] } });
    await editor.event(mine.id, 'session.updated', ({ session }) => session.wanted.some(({ id, value }) => id === 'mode' && value === 'plan'));
    await report('plan');
    assert.deepEqual((await cli.call('session/get', { sessionId: host.sessionId })).snapshot.session.wanted, []);
    await editor.event(mine.id, 'session.updated', ({ session }) => session.wanted.length === 0 && session.agent.options[0]?.value === 'plan');
    assert.deepEqual(current(mine), (await editor.call('session/get', { sessionId: host.sessionId })).snapshot);
  });

  it('a file goes with a message: uploaded in pieces, refused before, claimed by the host, read by another client', async () => {
    const bytes = Buffer.from('\u0089PNG\0 not really');
    const named = { name: 'shot.png', mimeType: 'image/png', digest: digest.parse(createHash('sha256').update(bytes).digest('hex')), size: bytes.length };
    const message = { sessionId: host.sessionId, clientTurnId: clientTurnId.parse('m'), text: 'look', attachments: [named] };
    const before = gateway.dump();
    await expectRefusal('attachment_missing', editor.call('turn/submit', message));
    assert.deepEqual(gateway.dump(), before);
    const put = (offset: number, piece: Buffer) => editor.call('blob/put', { workspace: gateway.folder(), digest: named.digest, size: named.size, offset, base64: piece.toString('base64') });
    await put(0, bytes.subarray(0, 5));
    await expectRefusal('attachment_missing', editor.call('turn/submit', message));
    await put(5, bytes.subarray(5));
    await editor.call('turn/submit', message);
    assert.equal((await editor.call('turn/submit', message)).created, false);
    assert.deepEqual((await host.claim())?.attachments, [named]);
    const { items } = (await cli.call('session/get', { sessionId: host.sessionId })).snapshot;
    assert.deepEqual(items[0]?.data, { kind: 'user_message', attachments: [named] });
    const read = (offset: number) => cli.call('blob/get', { workspace: gateway.folder(), digest: named.digest, offset });
    assert.deepEqual(Buffer.concat([await read(0), await read(5)].map(({ base64 }) => Buffer.from(base64, 'base64'))), bytes);
  });

  it('a search finds what streams while it goes on, and no turn waits for it', async () => {
    for (let n = 0; n < 20; n++) await submit(editor, host.sessionId, `${'lorem ipsum '.repeat(2000)}needle ${n}`);
    await host.claim();
    await host.report(startMessage('m'));
    const order: string[] = [];
    const searches = Promise.all(Array.from({ length: 10 }, async () => {
      const { hits } = await cli.call('session/search', { workspace: gateway.folder(), text: 'NEEDLE' });
      order.push('search');
      return hits.length;
    }));
    await host.report(delta('m', 'hay needle '));
    order.push('turn');
    for (let n = 0; n < 5; n++) await host.report(delta('m', 'more '));
    assert.ok((await searches).every((hits) => hits >= 20));
    // It was sent after ten searches and came back before the last of them.
    assert.ok(order.indexOf('turn') < order.lastIndexOf('search'), order.join(' '));
    const { hits } = await cli.call('session/search', { workspace: gateway.folder(), text: 'hay needle' });
    assert.deepEqual(hits.map(({ kind }) => kind), ['agent_message']);
  });
});
