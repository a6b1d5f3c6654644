import assert from 'node:assert/strict';
import fs from 'node:fs';
import { connectOrStart, type GatewayConnection } from '../../src/connector/connect.ts';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import type { GatewayCommand } from '../../src/connector/spawnGateway.ts';
import { AttacheError } from '../../src/protocol/errors.ts';
import { clientId } from '../../src/protocol/ids.ts';
import { eventually } from '../support/eventually.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { lastText } from '../support/follow.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { isAlive } from '../support/processes.ts';
import { ScriptedHost, type Claimed } from '../support/story/scriptedHost.ts';
import { StoryClient } from '../support/story/storyClient.ts';
import { TestClient } from '../support/testClient.ts';
import { delta, key, newCommand, newMessage, startMessage, submit, TestHost } from '../support/testHost.ts';

/** A window that hosts a session with one turn in it. */
interface Window {
  readonly host: ScriptedHost;
  readonly claimed: Claimed;
}

describe('a gateway that meets another build', () => {
  let gateway: GatewayHarness;
  let current: string;
  let both: string;
  let newest: string;
  let newerBuild: string;
  const windows: StoryClient[] = [];

  before(async () => {
    current = await bundleGateway('test/support/gatewayMain.ts');
    both = await bundleGateway('test/support/gatewayMain.ts', { protocolVersions: [1, 2], productVersion: '0.2.0' });
    newest = await bundleGateway('test/support/gatewayMain.ts', { protocolVersions: [2], productVersion: '0.3.0' });
    newerBuild = await bundleGateway('test/support/gatewayMain.ts', { protocolVersions: [1], productVersion: '0.10.0' });
  });
  beforeEach(async () => {
    gateway = await GatewayHarness.start({ main: current });
  });
  afterEach(async () => {
    for (const window of windows.splice(0)) window.end();
    fs.rmSync(dataRootPaths(gateway.dataRoot).floor, { force: true });
    await gateway.stop();
  });

  const starts = (main: string): GatewayCommand => ({ ...gateway.command, args: [main, ...gateway.command.args.slice(1)] });
  const hello = (name: string, protocolVersions: readonly number[]) => ({ clientId: clientId.parse(name), kind: 'editor' as const, workspaces: [{ path: gateway.folder(), trusted: true }], protocolVersions });
  const connect = async (name: string, main: string, protocolVersions: readonly number[], version: string): Promise<GatewayConnection> => {
    const connection = await connectOrStart({ dataRoot: gateway.dataRoot, spawn: starts(main), version, hello: hello(name, protocolVersions) });
    gateway.adopt(gateway.pid);
    return connection;
  };
  const ended = (pid: number): Promise<boolean> => eventually('the gateway has ended', () => !isAlive(pid));

  async function openWindow(name: string): Promise<Window> {
    const client = new StoryClient(gateway.dataRoot, gateway.folder(), name, 'editor');
    windows.push(client);
    // As the window of the old build that it is.
    client.starts(gateway.command);
    await client.open();
    const host = new ScriptedHost(client, gateway.folder());
    await host.attach(`goal of ${name}`.replaceAll(' ', '-'));
    await client.follow(host.sessionId);
    await client.do('turn/submit', { sessionId: host.sessionId, clientTurnId: newMessage(), text: 'work' });
    return { host, claimed: await host.claim() };
  }

  it('B16 a client of a newer protocol replaces it: what runs ends first, what waits is taken over, both old windows go on, nothing is lost', async () => {
    const old = gateway.descriptor;
    const running = await openWindow('running');
    const waiting = await openWindow('waiting');
    await running.host.report(running.claimed, startMessage('m', 'before '));
    const asked = await waiting.host.ask(waiting.claimed, 'make');
    const { turn: queued } = await running.host.client.do('turn/submit', { sessionId: running.host.sessionId, clientTurnId: newMessage(), text: 'next' });
    const told: number[] = [];
    for (const { client } of [running.host, waiting.host]) client.calls.on('gateway/draining', ({ minGatewayVersion }) => told.push(minGatewayVersion));

    const replacing = connect('newer', both, [2], '0.2.0');
    await eventually('both windows are told', () => told.length === 2);
    assert.deepEqual(told, [2, 2]);
    await expectRefusal('draining', running.host.client.calls.call('turn/submit', { sessionId: running.host.sessionId, clientTurnId: newMessage(), text: 'too late' }));
    assert.ok(isAlive(old.pid), 'a running turn has a minute');
    await running.host.report(running.claimed, delta('m', 'and after'));
    await running.host.complete(running.claimed, { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });

    const newer = await replacing;
    assert.equal(isAlive(old.pid), false);
    assert.deepEqual([newer.hello.protocolVersion, newer.hello.gatewayId], [2, old.gatewayId]);
    assert.ok(newer.hello.epoch > old.epoch);
    assert.deepEqual([gateway.descriptor.version, gateway.descriptor.protocolRange], ['0.2.0', [1, 2]]);
    newer.dispose();

    for (const { client } of [running.host, waiting.host]) await eventually(`${client.name} is back`, () => client.epochs.at(-1) === newer.hello.epoch);
    // The one that waited holds its claim and its question still.
    await running.host.client.do('approval/decide', { commandId: newCommand(), approvalId: asked.approvalId, optionId: 'yes', actionDigest: asked.actionDigest });
    const decided = await waiting.host.client.until(({ approvals }) => approvals.find(({ status }) => status === 'approved'));
    await waiting.host.begin(waiting.claimed, decided);
    await waiting.host.report(waiting.claimed, { op: 'effect.end', itemKey: key('c') }, { op: 'item.end', itemKey: key('c'), state: 'completed' });
    await waiting.host.complete(waiting.claimed, { outcome: 'completed', stopReason: 'end_turn', message: { text: 'made' } });
    // And what was queued runs there.
    const next = await running.host.claim();
    assert.equal(next.turn.turnId, queued.turnId);
    await running.host.complete(next, { outcome: 'completed', stopReason: 'end_turn', message: { text: 'next' } });

    const view = await running.host.client.until((each) => each.turns.length === 2 && each.turns.every(({ state }) => state === 'completed') && each);
    assert.equal(view.items.find(({ data }) => data.kind === 'agent_message')?.text, 'before and after');
    const other = await waiting.host.client.until((each) => each.turns.every(({ state }) => state === 'completed') && each);
    assert.deepEqual([lastText(other, 'agent_message'), other.items.find(({ data }) => data.kind === 'command')?.outcome], ['made', 'known']);
    for (const { violations } of windows) assert.deepEqual(violations, []);
  });

  it('B16 after that an older build refuses to start, and a client that is older is told to reload', async () => {
    const { pid } = gateway;
    const replacing = connect('newer', newest, [2], '0.3.0');
    await eventually('the old one ends', async () => {
      await gateway.advance(0).catch(() => undefined);
      return !isAlive(pid);
    });
    (await replacing).dispose();
    const error = await connectOrStart({ dataRoot: gateway.dataRoot, spawn: gateway.command, hello: hello('older', [1]) }).catch((reason: unknown) => reason);
    assert.ok(error instanceof AttacheError && error.kind === 'unsupported_version');
    assert.match(error.data.next, /reload the window/);
    process.kill(gateway.pid, 'SIGTERM');
    await ended(gateway.pid);
    await expectRefusal('gateway_outdated', connectOrStart({ dataRoot: gateway.dataRoot, spawn: gateway.command, hello: hello('older', [1]) }));
  });

  it('B16 a window of an old build whose own gateway may not start any more waits for the newer one, and uses it', async () => {
    fs.writeFileSync(dataRootPaths(gateway.dataRoot).floor, JSON.stringify({ minGatewayVersion: 2 }));
    const { pid } = gateway;
    process.kill(pid, 'SIGTERM');
    await ended(pid);
    const older = connectOrStart({ dataRoot: gateway.dataRoot, spawn: gateway.command, hello: hello('older', [1]) });
    await eventually('its own has refused', () => /newer version/.test(gateway.log()));
    (await connect('newer', both, [2], '0.2.0')).dispose();
    const connection = await older;
    assert.equal(connection.hello.protocolVersion, 1);
    connection.dispose();
  });

  it('a newer build of the same protocol takes the place of an idle gateway; its clients come back to their sessions', async () => {
    const { pid } = gateway;
    const client = await gateway.client();
    const host = await TestHost.start(client, { workspace: gateway.folder() });
    await submit(client, host.sessionId, 'later');
    (await connect('newer', newerBuild, [1], '0.10.0')).dispose();
    assert.equal(isAlive(pid), false);
    assert.equal(gateway.descriptor.version, '0.10.0');
    const back = await gateway.client();
    assert.equal((await back.call('gateway/status', {})).version, '0.10.0');
    await host.register(back);
    assert.equal((await host.claim())?.text, 'later');
  });

  it('a newer build of the same protocol uses an older gateway as long as something runs in it, and replaces it afterwards', async () => {
    const { pid } = gateway;
    const client = await gateway.client();
    const host = await TestHost.start(client, { workspace: gateway.folder() });
    await submit(client, host.sessionId, 'work');
    await host.claim();
    const kept = await connect('newer', newerBuild, [1], '0.10.0');
    assert.equal(gateway.pid, pid);
    assert.equal((await client.call('gateway/status', {})).version, '0.1.0', 'which diagnostics say');
    kept.dispose();
    assert.equal((await host.complete('done')).turn.state, 'completed');
    (await connect('newer', newerBuild, [1], '0.10.0')).dispose();
    assert.notEqual(gateway.pid, pid);
  });

  it('an older build of the same protocol uses a newer gateway as it is', async () => {
    (await connect('newer', newerBuild, [1], '0.10.0')).dispose();
    const { pid } = gateway;
    (await connect('older', current, [1], '0.1.0')).dispose();
    assert.equal(gateway.pid, pid);
    (await TestClient.connect(gateway.dataRoot)).close();
  });
});
