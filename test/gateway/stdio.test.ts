import assert from 'node:assert/strict';
import { encodeFrame } from '../../src/connector/frames.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { ByteClient, LspClient, Pump } from '../support/lspClient.ts';

const INITIALIZE = { processId: null, rootUri: null, capabilities: {} };

describe('attache-gateway --stdio', () => {
  let gateway: GatewayHarness;
  const pumps: Pump[] = [];
  beforeEach(() => {
    gateway = new GatewayHarness();
  });
  afterEach(async () => {
    for (const pump of pumps.splice(0)) pump.kill();
    await gateway.stop();
  });

  function start(...args: string[]): Pump {
    const pump = new Pump(gateway.dataRoot, args);
    pumps.push(pump);
    return pump;
  }

  async function client(pump: Pump): Promise<LspClient> {
    const lsp = new LspClient(pump);
    await lsp.initialize();
    return lsp;
  }

  it('starts the gateway when none runs; two pumps and a direct client see the same one', async () => {
    const clients = await Promise.all([client(start()), client(start('--clientProcessId=1'))]);
    const status = await Promise.all(clients.map(({ rpc }) => rpc.sendRequest('gateway/status', {}) as Promise<{ gatewayId: string; pid: number }>));
    assert.equal(status[0]?.gatewayId, status[1]?.gatewayId);
    const direct = await gateway.client();
    assert.equal(direct.hello.gatewayId, status[0]?.gatewayId);
    assert.equal((await direct.call('gateway/status', {})).pid, status[0]?.pid);
  });

  it('a plain client of the language server protocol gets along: initialize, work, shutdown, exit', async () => {
    const pump = start('--workspace', gateway.folder(), '--trust');
    const lsp = new LspClient(pump);
    const { capabilities: { experimental, ...offered }, serverInfo } = await lsp.initialize();
    const { attache } = experimental as { attache: { protocolVersion: number; gatewayId: string; epoch: number; limits: { frameBytes: number } } };
    assert.equal(attache.protocolVersion, 1);
    assert.equal(attache.limits.frameBytes, 8 * 1024 * 1024);
    assert.equal(serverInfo.name, 'attache-gateway');
    assert.deepEqual(offered, {
      positionEncoding: 'utf-16',
      textDocumentSync: { openClose: false, change: 0 },
      codeLensProvider: { resolveProvider: false },
      codeActionProvider: true,
      executeCommandProvider: { commands: ['attache.approve', 'attache.reject', 'attache.show'] },
    });
    await lsp.rpc.sendNotification('$/setTrace', { value: 'off' });
    assert.deepEqual(await lsp.rpc.sendRequest('goal/list', { workspace: gateway.folder() }), { goals: [] });
    assert.equal(await lsp.rpc.sendRequest('shutdown'), null);
    await lsp.rpc.sendNotification('exit');
    assert.equal(await pump.ended, 0);
    const direct = await gateway.client();
    assert.equal(direct.hello.gatewayId, attache.gatewayId, 'the gateway lives on');
  });

  it('is strict about the order of requests, as LSP is', async () => {
    const pump = start();
    const bytes = new ByteClient(pump);
    const code = async (id: number, method: string, params?: unknown): Promise<number | undefined> => (await bytes.request(id, method, params)).error?.code;
    bytes.notify('textDocument/didOpen', { textDocument: {} });
    assert.equal(await code(1, 'textDocument/codeLens', { textDocument: { uri: 'file:///a' } }), -32002);
    assert.equal(await code(2, 'gateway/status', {}), -32002);
    assert.equal(await code(3, 'shutdown'), -32002);
    assert.ok((await bytes.request(4, 'initialize', INITIALIZE)).result);
    assert.equal(await code(5, 'initialize', INITIALIZE), -32600);
    assert.equal(await code(6, '$/unknown', {}), -32601);
    assert.equal(await code(7, 'textDocument/hover', {}), -32601);
    assert.equal(await code(8, 'textDocument/codeLens', { textDocument: {} }), -32602);
    for (const method of ['initialized', '$/unknown', 'workspace/didChangeConfiguration', 'nobody/knows', '$/cancelRequest']) bytes.notify(method, method === '$/cancelRequest' ? { id: 99 } : {});
    assert.equal((await bytes.request(9, 'shutdown')).result, null);
    assert.equal(await code(10, 'textDocument/codeLens', { textDocument: { uri: 'file:///a' } }), -32600);
    assert.deepEqual(bytes.received.filter(({ method }) => method !== undefined), [], 'it says nothing by itself');
    bytes.notify('exit');
    assert.equal(await pump.ended, 0);
  });

  it('takes the stream as it comes: cut anywhere, many at once, with other headers', async () => {
    const pump = start();
    const bytes = new ByteClient(pump);
    for (const byte of encodeFrame({ jsonrpc: '2.0', id: 'ü', method: 'initialize', params: INITIALIZE })) bytes.bytes(Buffer.from([byte]));
    assert.ok((await bytes.answer('ü')).result);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'gateway/status' });
    const typed = `content-length: ${Buffer.byteLength(body)}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n${body}`;
    bytes.bytes(Buffer.concat([Buffer.from(typed), encodeFrame({ jsonrpc: '2.0', method: 'nobody/knows' }), encodeFrame({ jsonrpc: '2.0', id: 3, method: 'gateway/status' })]));
    assert.ok((await bytes.answer(2)).result);
    assert.ok((await bytes.answer(3)).result);
    bytes.bytes('Content-Length: 5\r\n\r\nhello');
    await eventually('told why it ends', () => bytes.received.some(({ error }) => error?.code === -32700));
    assert.equal(await pump.ended, 1);
  });

  it('ends with 1 after an exit that no shutdown announced', async () => {
    const pump = start();
    const lsp = await client(pump);
    await lsp.rpc.sendNotification('exit');
    assert.equal(await pump.ended, 1);
  });

  it('folders come from --workspace alone, read-only unless --trust says otherwise', async () => {
    const { rpc } = await client(start('--workspace', gateway.folder()));
    await assert.rejects(Promise.resolve(rpc.sendRequest('goal/list', { workspace: gateway.folder('other') })), /not granted/);
    assert.deepEqual(await rpc.sendRequest('goal/list', { workspace: gateway.folder() }), { goals: [] });
    await assert.rejects(Promise.resolve(rpc.sendRequest('goal/create', { commandId: 'c', workspace: gateway.folder(), title: 't' })), /not trusted/);
  });

  it('ends when its client is gone', async () => {
    const pump = start();
    await client(pump);
    pump.process.stdin.end();
    assert.equal(await pump.ended, 0);
  });

  it('says so and ends with 1 when the gateway is gone', async () => {
    const pump = start();
    const { pid } = await (await client(pump)).rpc.sendRequest('gateway/status', {}) as { pid: number };
    gateway.adopt(pid);
    process.kill(pid, 'SIGKILL');
    assert.equal(await pump.ended, 1);
    assert.match(pump.stderr, /^The gateway has closed the link\. .*nothing is lost\.\n$/);
  });
});
