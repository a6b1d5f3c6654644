import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { connectOnly, connectOrStart, type GatewayConnection, type Identity } from '../../src/connector/connect.ts';
import { dataRootPaths, ensurePrivateFolder } from '../../src/connector/dataRoot.ts';
import { GATEWAY_EXIT } from '../../src/connector/exitCodes.ts';
import { AttacheError } from '../../src/protocol/errors.ts';
import { clientId } from '../../src/protocol/ids.ts';
import { TakeOverRounds } from '../soak/takeOver.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { isAlive } from '../support/processes.ts';

const hello: Identity = { clientId: clientId.parse('starter'), kind: 'editor', workspaces: [] };

describe('starting the one gateway', () => {
  let gateway: GatewayHarness;
  let main: string;
  const children: ChildProcess[] = [];
  before(async () => {
    main = await bundleGateway('test/support/gatewayMain.ts');
  });
  beforeEach(() => {
    gateway = new GatewayHarness({ main });
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await gateway.stop();
  });

  const connect = (): Promise<GatewayConnection> => connectOrStart({ dataRoot: gateway.dataRoot, hello, spawn: gateway.command });
  const adopt = (): void => gateway.adopt(gateway.pid);
  const launch = (...more: string[]): ChildProcess => {
    const child = spawn(gateway.command.command, [...gateway.command.args, '--data-root', gateway.dataRoot, ...more], { stdio: 'ignore' });
    children.push(child);
    return child;
  };

  it('B10 ten simultaneous spawners: one gateway, all connected to it', async () => {
    const connections = await Promise.all(Array.from({ length: 10 }, connect));
    adopt();
    assert.equal(new Set(connections.map((each) => `${each.hello.gatewayId} ${each.hello.epoch}`)).size, 1);
    for (const each of connections) each.dispose();
  });

  it('B10 ten gateway processes at once: one lives, nine leave quietly with their own code', async () => {
    ensurePrivateFolder(gateway.dataRoot);
    const processes = Array.from({ length: 10 }, () => launch());
    await eventually('nine have left', () => processes.filter(({ exitCode }) => exitCode !== null).length === 9);
    const alive = processes.filter(({ exitCode }) => exitCode === null);
    assert.equal(alive.length, 1);
    assert.deepEqual(new Set(processes.filter((each) => each !== alive[0]).map(({ exitCode }) => exitCode)), new Set([GATEWAY_EXIT.lostRace]));
    await eventually('the winner says where it listens', () => fs.existsSync(dataRootPaths(gateway.dataRoot).descriptor));
    assert.equal(gateway.pid, alive[0]?.pid);
    const connection = await connectOnly({ dataRoot: gateway.dataRoot, hello });
    connection.dispose();
  });

  it('B10 a stale descriptor with the pid of a live foreign process: the gateway starts, the process lives on', async () => {
    const foreign = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    children.push(foreign);
    ensurePrivateFolder(gateway.dataRoot);
    const paths = dataRootPaths(gateway.dataRoot);
    fs.writeFileSync(paths.token, 'f'.repeat(64));
    fs.writeFileSync(paths.descriptor, JSON.stringify({
      gatewayId: 'old', epoch: 7, pid: foreign.pid, processStart: Date.now(), endpoint: path.join(gateway.dataRoot, 'gateway.sock'), protocolRange: [1, 1], version: '0.0.1',
    }));
    const connection = await connect();
    adopt();
    assert.notEqual(gateway.pid, foreign.pid);
    assert.equal(isAlive(foreign.pid ?? 0), true);
    connection.dispose();
  });

  for (const [name, text] of [['torn', '{"gatewayId":"x","ep'], ['empty', ''], ['foreign', '[]']] as const) {
    it(`B10 a ${name} descriptor does not block a start`, async () => {
      ensurePrivateFolder(gateway.dataRoot);
      fs.writeFileSync(dataRootPaths(gateway.dataRoot).descriptor, text);
      const connection = await connect();
      adopt();
      connection.dispose();
    });
  }

  it('B10 after kill -9 a new gateway starts on the same data, with a higher epoch and a new token', async () => {
    const first = await connect();
    adopt();
    const token = fs.readFileSync(dataRootPaths(gateway.dataRoot).token, 'utf8');
    await gateway.kill9();
    const second = await connect();
    adopt();
    assert.equal(second.hello.gatewayId, first.hello.gatewayId);
    assert.ok(second.hello.epoch > first.hello.epoch);
    assert.notEqual(fs.readFileSync(dataRootPaths(gateway.dataRoot).token, 'utf8'), token);
    second.dispose();
  });

  it('R11 two gateways start at once on the socket, the lock and the descriptor of a killed one: one serves', async () => {
    (await connect()).dispose();
    adopt();
    const rounds = new TakeOverRounds(gateway, await bundleGateway('src/gateway/main.ts'));
    for (let round = 0; round < 3; round++) await rounds.play();
    assert.equal(rounds.milliseconds.length, 3);
  });

  it('B10 windows that race with the end of a gateway all reach the next one', async () => {
    (await connect()).dispose();
    adopt();
    const { pid } = gateway;
    process.kill(pid, 'SIGTERM');
    const connections = await Promise.all(Array.from({ length: 4 }, async () => {
      const connection = await connect();
      // Some may still have caught the gateway that is going.
      if (connection.hello.epoch > 1) return connection;
      connection.dispose();
      await eventually('the old gateway has ended', () => !isAlive(pid));
      return connect();
    }));
    adopt();
    assert.equal(new Set(connections.map((each) => each.hello.epoch)).size, 1);
    for (const each of connections) each.dispose();
  });

  it('lives in a session of its own, outside the process group that started it', async () => {
    (await connect()).dispose();
    adopt();
    if (process.platform !== 'linux') return;
    const [, , group, session] = fs.readFileSync(`/proc/${gateway.pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    assert.equal(Number(group), gateway.pid);
    assert.equal(Number(session), gateway.pid);
  });

  it('a start that fails says why, in the gateway’s own words', async () => {
    const failing = connectOrStart({ dataRoot: gateway.dataRoot, hello, spawn: { command: process.execPath, args: ['-e', 'process.stderr.write("no such luck"); process.exit(9)', '--'] } });
    await assert.rejects(failing, (error) => error instanceof AttacheError && error.kind === 'gateway_unavailable' && /code 9.*no such luck/.test(error.message));
    const missing = connectOrStart({ dataRoot: gateway.dataRoot, hello, spawn: { command: path.join(gateway.dataRoot, 'no-such-program'), args: [] } });
    await assert.rejects(missing, (error) => error instanceof AttacheError && error.kind === 'gateway_unavailable' && /ENOENT/.test(error.message));
  });

  it('a data root that cannot be made, and a lock that is none, are named', async () => {
    const file = path.join(gateway.folder(), 'file');
    fs.writeFileSync(file, '');
    for (const dataRoot of [file, path.join(file, 'below')]) {
      const failing = connectOrStart({ dataRoot, hello, spawn: gateway.command });
      await assert.rejects(failing, (error) => error instanceof AttacheError && error.kind === 'gateway_unavailable' && error.message.includes(file));
    }
    ensurePrivateFolder(gateway.dataRoot);
    fs.writeFileSync(dataRootPaths(gateway.dataRoot).lock, 'something else entirely '.repeat(200));
    await assert.rejects(connect(), (error) => error instanceof AttacheError && error.kind === 'gateway_unavailable' && /lock\.db cannot be used/.test(error.message));
  });

  it('a start that never gets ready ends with a typed failure', async () => {
    const options = { dataRoot: gateway.dataRoot, hello, startMs: 300, spawn: { command: process.execPath, args: ['-e', 'setTimeout(() => {}, 3000)', '--'] } };
    await assert.rejects(connectOrStart(options), (error) => error instanceof AttacheError && error.kind === 'gateway_unavailable');
  });

  it('connectOnly starts nothing', async () => {
    ensurePrivateFolder(gateway.dataRoot);
    await assert.rejects(connectOnly({ dataRoot: gateway.dataRoot, hello }), (error) => error instanceof AttacheError && error.kind === 'gateway_unavailable');
    assert.deepEqual(fs.readdirSync(gateway.dataRoot), []);
  });

  it('an attempt that is given up ends at once', async () => {
    const abort = new AbortController();
    const attempt = connectOrStart({ dataRoot: gateway.dataRoot, hello, signal: abort.signal, spawn: { command: process.execPath, args: ['-e', 'setTimeout(() => {}, 2000)', '--'] } });
    abort.abort();
    await assert.rejects(attempt, (error) => error instanceof AttacheError);
  });

  it('a data root that is a link to a folder of ours works; one of another user’s is refused', () => {
    const link = `${gateway.folder('real')}-link`;
    fs.symlinkSync(gateway.folder('real'), link);
    ensurePrivateFolder(link);
    assert.equal((fs.statSync(gateway.folder('real')).mode & 0o777).toString(8), '700');
    if (process.getuid?.() !== 0) assert.throws(() => ensurePrivateFolder('/'), AttacheError);
  });

  it('a data root with a long path gets a short endpoint in a private folder', async () => {
    const long = new GatewayHarness({ main, name: 'd'.repeat(120) });
    try {
      await long.restart();
      const { endpoint } = long.descriptor;
      assert.ok(Buffer.byteLength(endpoint) <= 100, endpoint);
      assert.equal((fs.statSync(path.dirname(endpoint)).mode & 0o777).toString(8), '700');
      const client = await long.client();
      assert.equal((await client.call('gateway/status', {})).pid, long.pid);
      client.close();
      await long.stop();
      assert.equal(fs.existsSync(endpoint), false);
    } finally {
      await long.stop();
    }
  });
});
