import assert from 'node:assert/strict';
import { encodeFrame } from '../../src/connector/frames.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { greeted, helloMessage, RawClient, tokenOf } from '../support/rawClient.ts';

describe('a gateway among strangers', () => {
  let gateway: GatewayHarness;
  before(async () => {
    gateway = await GatewayHarness.start();
  });
  after(() => gateway.stop());

  const stranger = (): Promise<RawClient> => RawClient.connect(gateway.descriptor.endpoint);
  const stillServes = async (): Promise<void> => {
    const client = await gateway.client();
    assert.equal((await client.call('gateway/status', {})).pid, gateway.pid);
    client.close();
  };

  for (const [name, token] of [['wrong', '0'.repeat(64)], ['empty', ''], ['too short', 'ab'], ['no text', 7]] as const) {
    it(`B9 ${name} token: refused and closed before any method`, async () => {
      const client = await stranger();
      // In one piece: a write to a socket that is closed already would throw the answer away.
      client.sendBytes(Buffer.concat([helloMessage(gateway, { token }), { jsonrpc: '2.0', id: 1, method: 'gateway/status', params: {} }].map(encodeFrame)));
      await client.closed;
      assert.equal(client.received.length, 1);
      assert.equal(client.received[0]?.error?.data?.['kind'], 'unauthenticated');
      assert.equal(client.received[0]?.error?.code, 1004);
    });
  }

  it('B9 a wrong token is told nothing about what else is wrong', async () => {
    const client = await stranger();
    client.send(helloMessage(gateway, { token: 'x', protocolVersions: 'nonsense', extra: 1 }));
    await client.closed;
    assert.equal(client.received[0]?.error?.data?.['kind'], 'unauthenticated');
  });

  it('B9 no hello: not_initialized, closed', async () => {
    const client = await stranger();
    client.send({ jsonrpc: '2.0', id: 1, method: 'gateway/status', params: {} });
    await client.closed;
    assert.deepEqual(client.received.map((message) => message.error?.data?.['kind']), ['not_initialized']);
  });

  it('B9 oversized first frame: closed without reading it', async () => {
    const client = await stranger();
    client.sendBytes(`Content-Length: ${LIMITS.firstFrameBytes + 1}\r\n\r\n`);
    await client.closed;
    assert.deepEqual(client.received, []);
  });

  it('B9 the first frame may be as large as the limit says', async () => {
    const client = await stranger();
    const message = JSON.stringify(helloMessage(gateway));
    client.sendBytes(`Content-Length: ${LIMITS.firstFrameBytes}\r\n\r\n${message.padEnd(LIMITS.firstFrameBytes)}`);
    assert.equal((await client.answer('hello')).result?.['protocolVersion'], 1);
    client.socket.destroy();
  });

  for (const [name, bytes] of [
    ['garbage', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a header without end', 'x'.repeat(100_000)],
    ['a negative length', 'Content-Length: -1\r\n\r\n{}'],
    ['a huge length', `Content-Length: ${'9'.repeat(30)}\r\n\r\n`],
    ['no JSON', 'Content-Length: 5\r\n\r\n{"a":'],
    ['JSON null', 'Content-Length: 4\r\n\r\nnull'],
    ['a batch', 'Content-Length: 2\r\n\r\n[]'],
  ] as const) {
    it(`B9 ${name} as first frame: closed, the gateway goes on`, async () => {
      const client = await stranger();
      client.sendBytes(bytes);
      await client.closed;
      await stillServes();
    });

    it(`B9 ${name} after hello: that connection is closed, the gateway goes on`, async () => {
      const other = await gateway.client();
      const client = await greeted(gateway);
      client.sendBytes(bytes);
      await client.closed;
      assert.equal((await other.call('gateway/status', {})).pid, gateway.pid);
      other.close();
    });
  }

  it('B9 a cancel without params closes only its own connection', async () => {
    const client = await greeted(gateway);
    client.send({ jsonrpc: '2.0', method: '$/cancelRequest' });
    await client.closed;
    await stillServes();
  });

  it('B9 a frame above 8 MiB: too_large, closed', async () => {
    const client = await greeted(gateway);
    client.sendBytes(`Content-Length: ${LIMITS.frameBytes + 1}\r\n\r\n`);
    await client.closed;
    assert.equal(client.received.at(-1)?.error?.data?.['kind'], 'too_large');
  });

  it('B9 slow loris: a first frame that drips is cut off, however busy it looks', async () => {
    const client = await stranger();
    client.sendBytes('Content-Le');
    await gateway.advance(5000);
    client.sendBytes('ngth: 1');
    await gateway.advance(4999);
    client.sendBytes('0');
    assert.equal(client.isClosed, false);
    await gateway.advance(1);
    await client.closed;
  });

  it('B9 many silent strangers do not keep a client out', async () => {
    const strangers = await Promise.all(Array.from({ length: 40 }, stranger));
    await stillServes();
    await eventually('the surplus is cut off', () => strangers.filter(({ isClosed }) => isClosed).length >= 40 - LIMITS.connections);
    assert.equal(strangers[39]?.isClosed, false);
    for (const each of strangers) each.socket.destroy();
  });

  it('at most 32 clients: the 33rd is told so', async () => {
    const clients = await Promise.all(Array.from({ length: LIMITS.connections }, () => greeted(gateway)));
    const surplus = await stranger();
    surplus.send(helloMessage(gateway));
    assert.equal((await surplus.answer('hello')).error?.data?.['kind'], 'too_many_connections');
    await surplus.closed;
    for (const each of clients) each.socket.destroy();
    await eventually('there is room again', () => stillServes().then(() => true, () => false));
  });

  it('hello twice: already_initialized, and the connection goes on', async () => {
    const client = await greeted(gateway);
    const again = await client.request(1, 'attache/hello', {});
    assert.equal(again.error?.data?.['kind'], 'already_initialized');
    assert.equal((await client.request(2, 'gateway/status')).result?.['pid'], gateway.pid);
    client.socket.destroy();
  });

  it('a hello with unknown fields or a relative folder: invalid_params, closed', async () => {
    for (const change of [{ isAdmin: true }, { workspaces: [{ path: 'demo', trusted: true }] }]) {
      const client = await stranger();
      client.send(helloMessage(gateway, change));
      const { error } = await client.answer('hello');
      assert.equal(error?.code, -32602);
      assert.equal(error?.data?.['kind'], 'invalid_params');
      await client.closed;
    }
  });

  it('no common version: the range is told, only status and drain remain', async () => {
    const client = await stranger();
    client.send(helloMessage(gateway, { protocolVersions: [0] }));
    const { error } = await client.answer('hello');
    assert.equal(error?.data?.['kind'], 'unsupported_version');
    assert.deepEqual(error?.data?.['entity'], { protocolRange: [1, 1] });
    assert.equal((await client.request(1, 'gateway/status')).result?.['pid'], gateway.pid);
    assert.equal((await client.request(2, 'goal/list', { workspace: gateway.folder() })).error?.data?.['kind'], 'unsupported_version');
    assert.equal((await client.request(3, 'sub/subscribe', { scope: { workspace: gateway.folder() } })).error?.data?.['kind'], 'unsupported_version');
    assert.equal((await client.request(4, 'gateway/drain', { commandId: 'c' })).error?.data?.['kind'], 'drain_not_allowed', 'an older client may not drain');
    client.socket.destroy();
  });

  it('unknown methods, unknown fields and wrong types are refused with JSON-RPC’s own numbers', async () => {
    const client = await greeted(gateway);
    const unknown = await client.request(1, 'goal/explode');
    assert.equal(unknown.error?.code, -32601);
    const field = await client.request(2, 'gateway/status', { goalInstanceId: 'x' });
    assert.equal(field.error?.code, -32602);
    assert.equal(field.error?.data?.['kind'], 'invalid_params');
    assert.match(field.error?.message ?? '', /goalInstanceId/);
    const type = await client.request(3, 'goal/list', { workspace: 7 });
    assert.equal(type.error?.code, -32602);
    assert.match(type.error?.message ?? '', /workspace/);
    const inherited = await client.request(4, 'constructor');
    assert.equal(inherited.error?.code, -32601);
    client.socket.destroy();
  });

  it('B9 a hello that is broken inside its token: not a piece of it in the log', async () => {
    const client = await stranger();
    const body = `{"jsonrpc":"2.0","method":"attache/hello","params":{"token":"${tokenOf(gateway).slice(0, 32)}" ${tokenOf(gateway).slice(32)}`;
    client.sendBytes(`Content-Length: ${body.length}\r\n\r\n${body}`);
    await client.closed;
    await eventually('it is noted', () => gateway.log().includes('the hello holds no JSON'));
    const token = tokenOf(gateway);
    for (let at = 0; at + 6 <= token.length; at++) assert.ok(!gateway.log().includes(token.slice(at, at + 6)), 'a piece of the token');
  });

  it('the log holds neither token nor frames', () => {
    const log = gateway.log();
    assert.ok(!log.includes(tokenOf(gateway)));
    assert.ok(!log.includes('Host: localhost'));
  });
});
