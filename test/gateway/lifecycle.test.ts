import assert from 'node:assert/strict';
import fs from 'node:fs';
import { connectOrStart } from '../../src/connector/connect.ts';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { AttacheError } from '../../src/protocol/errors.ts';
import { clientId, commandId } from '../../src/protocol/ids.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { eventually } from '../support/eventually.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { isAlive } from '../support/processes.ts';
import { greeted } from '../support/rawClient.ts';
import { decide, key, startCommand, submit, TestHost } from '../support/testHost.ts';

const shutdown = { commandId: commandId.parse('end'), ifIdle: true };

describe('the life of a gateway process', () => {
  let gateway: GatewayHarness;
  let main: string;
  before(async () => {
    main = await bundleGateway('test/support/gatewayMain.ts');
  });
  beforeEach(async () => {
    gateway = await GatewayHarness.start({ main });
  });
  afterEach(() => gateway.stop());

  const ended = (pid: number): Promise<boolean> => eventually('the gateway has ended', () => !isAlive(pid));

  it('ends by itself after ten minutes without a client, and not a moment before', async () => {
    const { pid } = gateway;
    await gateway.advanceAlone(LIMITS.idleExitMs - 1);
    assert.equal((await (await gateway.client()).call('gateway/status', {})).pid, pid);
    await gateway.advanceAlone(LIMITS.idleExitMs);
    await ended(pid);
  });

  it('stays while a client is there, however quiet it is', async () => {
    const client = await gateway.client();
    await gateway.advance(3 * LIMITS.idleExitMs);
    assert.equal((await client.call('gateway/status', {})).pid, gateway.pid);
  });

  it('shutdown answers first, then ends and takes descriptor and socket along', async () => {
    const { pid, descriptor } = gateway;
    const client = await gateway.client();
    assert.deepEqual(await client.call('gateway/shutdown', shutdown), {});
    await client.peer.closed;
    await ended(pid);
    assert.equal(fs.existsSync(dataRootPaths(gateway.dataRoot).descriptor), false);
    assert.equal(fs.existsSync(descriptor.endpoint), false);
  });

  it('SIGTERM: ends politely, pending requests settle as connection_closed', async () => {
    const { pid } = gateway;
    const client = await gateway.client();
    process.kill(pid, 'SIGTERM');
    await client.peer.closed;
    await assert.rejects(client.call('gateway/status', {}), (error) => error instanceof AttacheError && error.kind === 'connection_closed');
    await ended(pid);
  });

  it('SIGHUP means nothing to it', async () => {
    process.kill(gateway.pid, 'SIGHUP');
    assert.equal((await (await gateway.client()).call('gateway/status', {})).pid, gateway.pid);
  });

  it('B16 a newer client drains it: clients are told, the data says what it now needs, and an older build refuses to start', async () => {
    const { pid } = gateway;
    const witness = await gateway.client();
    const told = new Promise((resolve) => witness.on('gateway/draining', resolve));
    const newer = await greeted(gateway, { protocolVersions: [1, 2] });
    assert.deepEqual((await newer.request(1, 'gateway/drain', { commandId: 'drain' })).result, { liveTurns: 0 });
    assert.deepEqual(await told, { minGatewayVersion: 2 });
    await gateway.advance(0).catch(() => undefined);
    await ended(pid);
    await assert.rejects(gateway.restart(), (error) => error instanceof AttacheError && error.kind === 'gateway_outdated');
    fs.rmSync(dataRootPaths(gateway.dataRoot).floor);
    await gateway.restart();
  });

  it('B16 a client that speaks only newer versions replaces an old gateway by itself', async () => {
    const { pid } = gateway;
    const start = connectOrStart({ dataRoot: gateway.dataRoot, spawn: gateway.command, hello: { clientId: clientId.parse('newer'), kind: 'editor', workspaces: [], protocolVersions: [2] } });
    const outcome = start.catch((error: AttacheError) => error.kind);
    await eventually('the old one ends', async () => {
      await gateway.advance(0).catch(() => undefined);
      return !isAlive(pid);
    });
    // What it then starts here is the same old build, which now must not touch the data.
    assert.equal(await outcome, 'gateway_outdated');
  });

  it('shutdown if idle is refused while a turn is live; without that condition the host goes on with the next gateway', async () => {
    const client = await gateway.client();
    const host = await TestHost.start(client, { workspace: gateway.folder() });
    await submit(client, host.sessionId, 'work');
    await host.claim();
    await expectRefusal('gateway_busy', client.call('gateway/shutdown', shutdown));
    await client.call('gateway/shutdown', { ...shutdown, ifIdle: false });
    await client.peer.closed;
    await gateway.restart();
    assert.equal((await host.register(await gateway.client())).active?.claimId, host.claimId);
    assert.equal((await host.complete('done')).turn.state, 'completed');
  });

  it('B16 a drain takes no new turns, waits for the running one, and ends when it has ended', async () => {
    const { pid } = gateway;
    const client = await gateway.client();
    const host = await TestHost.start(client, { workspace: gateway.folder() });
    await submit(client, host.sessionId, 'work');
    await host.claim();
    const newer = await greeted(gateway, { protocolVersions: [1, 2] });
    assert.deepEqual((await newer.request(1, 'gateway/drain', { commandId: 'drain' })).result, { liveTurns: 1 });
    await gateway.advance(5000);
    await expectRefusal('draining', submit(client, host.sessionId, 'more'));
    await host.renew();
    assert.equal(isAlive(pid), true);
    assert.equal((await host.complete('done')).turn.state, 'completed');
    await ended(pid);
  });

  it('B16 a drain waits a minute for a running turn, and no longer', async () => {
    const { pid } = gateway;
    const client = await gateway.client();
    const host = await TestHost.start(client, { workspace: gateway.folder() });
    await submit(client, host.sessionId, 'work');
    await host.claim();
    const newer = await greeted(gateway, { protocolVersions: [1, 2] });
    await newer.request(1, 'gateway/drain', { commandId: 'drain' });
    for (let n = 0; n < 5; n++) {
      await gateway.advance(LIMITS.renewMs);
      await host.renew();
    }
    await gateway.advance(LIMITS.renewMs - 1);
    assert.equal((await host.renew()).turnState, 'running');
    await gateway.advance(1).catch(() => undefined);
    await ended(pid);
  });

  it('B16 a drain does not wait for a turn that waits for consent: the next gateway takes it over', async () => {
    const { pid } = gateway;
    const client = await gateway.client();
    const host = await TestHost.start(client, { workspace: gateway.folder() });
    await submit(client, host.sessionId, 'work');
    await host.claim();
    await host.report(startCommand('c', 'make', gateway.folder()));
    const asked = await host.ask('make', key('c'));
    const newer = await greeted(gateway, { protocolVersions: [1, 2] });
    await newer.request(1, 'gateway/drain', { commandId: 'drain' });
    await gateway.advance(0).catch(() => undefined);
    await ended(pid);
    fs.rmSync(dataRootPaths(gateway.dataRoot).floor);
    await gateway.restart();
    const back = await gateway.client();
    assert.equal((await host.register(back)).active?.turn.state, 'waiting');
    assert.equal((await decide(back, asked, 'yes')).outcome, 'decided');
  });

  it('a client of the same version may not drain it', async () => {
    const client = await gateway.client();
    await assert.rejects(client.call('gateway/drain', { commandId: commandId.parse('drain') }), (error) => error instanceof AttacheError && error.kind === 'drain_not_allowed');
  });

  it('diagnostics hold no path, no folder, no secret', async () => {
    const client = await gateway.client();
    const text = JSON.stringify(await client.call('gateway/diagnostics', {}));
    assert.ok(!text.includes(gateway.dataRoot) && !text.includes(gateway.folder()));
    assert.ok(!text.includes(fs.readFileSync(dataRootPaths(gateway.dataRoot).token, 'utf8')));
  });

  it('writes a log of a few lines, for this user only', async () => {
    const file = dataRootPaths(gateway.dataRoot).log;
    assert.match(gateway.log(), /listens: pid/);
    assert.ok(gateway.log().split('\n').length < 10);
    assert.equal((fs.statSync(file).mode & 0o777).toString(8), '600');
  });

  it('a heartbeat comes every 15 s with the epoch and the heads', async () => {
    const client = await gateway.client();
    const beats: unknown[] = [];
    client.on('gateway/heartbeat', (beat) => beats.push(beat));
    const { subscriptionId } = await client.call('sub/subscribe', { scope: { workspace: gateway.folder() } });
    await gateway.advance(3 * LIMITS.heartbeatMs);
    await eventually('three heartbeats', () => beats.length === 3);
    assert.deepEqual(beats[0], { epoch: client.hello.epoch, heads: { [subscriptionId]: 0 } });
  });
});
