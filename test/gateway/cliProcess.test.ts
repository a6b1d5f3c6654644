import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { readDescriptor } from '../../src/connector/descriptor.ts';
import { writeLauncher } from '../../src/connector/launcher.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { repository } from '../support/repository.ts';
import { TestHost } from '../support/testHost.ts';

const CLI = path.join(repository, 'dist/cli.cjs');
const GATEWAY = path.join(repository, 'dist/gateway.cjs');

/** The Node that people have on their PATH, besides the one of this project; else this one. */
function systemNode(): string {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => path.join(folder, 'node')).find((file) => fs.existsSync(file)) ?? process.execPath;
}

const hasSqlite = (node: string): boolean => (node === process.execPath ? isBuiltin('node:sqlite') : execFileSync(node, ['-p', "require('node:module').isBuiltin('node:sqlite')"], { encoding: 'utf8' }).trim() === 'true');

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the bundled command line, under the system’s own Node', () => {
  let gateway: GatewayHarness;
  const node = systemNode();
  beforeEach(() => {
    gateway = new GatewayHarness();
  });
  afterEach(() => gateway.stop());

  function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
    const child = spawn(node, [CLI, ...args], { cwd: gateway.folder(), env: { PATH: process.env['PATH'], HOME: gateway.folder('home'), ATTACHE_DATA_ROOT: gateway.dataRoot, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (piece: Buffer) => void (texts.stdout += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => void (texts.stderr += piece.toString()));
    return new Promise((resolve) => void child.once('close', (code) => resolve({ code, ...texts })));
  }
  const kindOf = ({ stderr }: Ran): string => (JSON.parse(stderr) as { error: { kind: string } }).error.kind;

  it('is a program with its version, whose bundle never asks for SQLite', async () => {
    const text = fs.readFileSync(CLI, 'utf8');
    assert.ok(text.startsWith('#!/usr/bin/env node\n'));
    assert.doesNotMatch(text, /require\("node:sqlite"\)/);
    if (process.platform !== 'win32') assert.equal(fs.statSync(CLI).mode & 0o111, 0o111);
    const { version } = JSON.parse(fs.readFileSync(path.join(repository, 'package.json'), 'utf8')) as { version: string };
    assert.deepEqual(await run(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
    assert.equal((await run([])).code, 2);
  });

  it('starts a gateway only with a Node that has SQLite: its own, the named one, or the editor’s', async () => {
    assert.equal((await run(['goals', '--no-start'])).code, 4);
    assert.equal((await run(['status'])).code, 4);
    const named = await run(['goals'], { ATTACHE_NODE: path.join(gateway.folder(), 'no-such-node') });
    assert.deepEqual([named.code, kindOf(named)], [4, 'node_unsuitable']);
    assert.equal(fs.existsSync(dataRootPaths(gateway.dataRoot).descriptor), false);
    if (!hasSqlite(node)) {
      const refused = await run(['goals']);
      assert.deepEqual([refused.code, kindOf(refused)], [4, 'node_unsuitable']);
      assert.match(refused.stderr, /22\.13/);
    }
    fs.mkdirSync(gateway.dataRoot, { recursive: true, mode: 0o700 });
    writeLauncher(gateway.dataRoot, { node: process.execPath, script: GATEWAY });
    const started = await run(['goal', 'new', 'A goal']);
    assert.equal(started.code, 0, started.stderr);
    gateway.adopt(readDescriptor(dataRootPaths(gateway.dataRoot))?.pid ?? 0);
    const status = await run(['status']);
    assert.equal(status.code, 0, status.stderr);
  });

  it('ends quietly when its reader has seen enough, and leaves nothing running', async () => {
    await gateway.restart();
    const client = await gateway.client();
    const host = await TestHost.start(client, { workspace: gateway.folder() });
    const child = spawn(node, [CLI, 'watch', host.sessionId], { cwd: gateway.folder(), env: { ATTACHE_DATA_ROOT: gateway.dataRoot }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (piece: Buffer) => void (stderr += piece.toString()));
    child.stdout.once('data', () => child.stdout.destroy());
    const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
    await new Promise<void>((resolve) => void child.stdout.once('close', resolve));
    await client.call('turn/submit', { sessionId: host.sessionId, clientTurnId: 'message' as never, text: 'something to show' });
    assert.deepEqual([await ended, stderr], [0, '']);
  });

  it('doctor looks at everything, with a gateway and without, and says what is wrong', async () => {
    interface Report { readonly ok: boolean; readonly findings: readonly { readonly name: string; readonly ok: boolean; readonly detail: string; readonly next?: string }[] }
    const examine = async (code: number): Promise<Report> => {
      const ran = await run(['doctor']);
      assert.equal(ran.code, code, ran.stdout + ran.stderr);
      const report = JSON.parse(ran.stdout) as Report;
      assert.equal(report.ok, code === 0);
      for (const { ok, next } of report.findings) assert.equal(ok, next === undefined);
      return report;
    };
    const wrong = ({ findings }: Report): string[] => findings.filter(({ ok }) => !ok).map(({ name }) => name);
    await examine(0);
    assert.equal(fs.existsSync(gateway.dataRoot), false);
    await gateway.restart();
    const whole = await examine(0);
    assert.ok(['Descriptor', 'Token', 'Lock', 'Store file', 'Disk', 'Gateway', 'Versions', 'Gateway store'].every((name) => whole.findings.some((finding) => finding.name === name)));
    await gateway.kill9();
    assert.match((await examine(0)).findings.find(({ name }) => name === 'Gateway')?.detail ?? '', /ended without a word/);
    const paths = dataRootPaths(gateway.dataRoot);
    const store = path.join(gateway.dataRoot, 'store.db');
    const kept = fs.readFileSync(store);
    fs.chmodSync(paths.root, 0o755);
    fs.chmodSync(paths.token, 0o644);
    fs.writeFileSync(paths.floor, JSON.stringify({ minGatewayVersion: 99 }));
    fs.writeFileSync(paths.descriptor, '{"gatewayId":');
    fs.writeFileSync(paths.lock, 'something else');
    fs.writeFileSync(store, '');
    fs.writeFileSync(paths.startLog, 'no such luck\n');
    assert.deepEqual(wrong(await examine(1)).sort(), ['Data folder', 'Descriptor', 'Last start', 'Lock', 'Store file', 'Token', 'Version floor']);
    // It only looked.
    assert.equal(fs.statSync(store).size, 0);
    fs.rmSync(paths.floor);
    fs.rmSync(paths.lock);
    fs.rmSync(store);
    assert.ok(wrong(await examine(1)).includes('Store file'), 'a store that has vanished is told from one that never was');
    fs.writeFileSync(store, kept);
  });
});
