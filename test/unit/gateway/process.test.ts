import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chooseEndpoint } from '../../../src/gateway/process/endpoint.ts';
import { acquireInstanceLock } from '../../../src/gateway/process/instanceLock.ts';
import { logFile } from '../../../src/gateway/process/logFile.ts';
import { parseArguments } from '../../../src/gateway/process/arguments.ts';

describe('parts of the gateway process', () => {
  let home: string;
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'attproc-'));
  });
  afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

  it('the log keeps to its cap, its newest lines, and this user', () => {
    const file = path.join(home, 'gateway.log');
    const log = logFile(file);
    for (let n = 0; n < 1500; n++) log.info(`${n} ${'x'.repeat(2000)}`);
    const size = (name: string): number => fs.statSync(name).size;
    assert.ok(size(file) <= 1024 * 1024 && size(`${file}.1`) <= 1024 * 1024);
    assert.match(fs.readFileSync(file, 'utf8'), / info 1499 /);
    assert.equal((fs.statSync(file).mode & 0o777).toString(8), '600');
    logFile(file).error('y'.repeat(100_000));
    assert.ok((fs.readFileSync(file, 'utf8').trim().split('\n').at(-1)?.length ?? 0) < 5000);
  });

  it('the log is quiet by default and grows on over restarts', () => {
    const file = path.join(home, 'gateway.log');
    logFile(file).debug('unheard');
    assert.equal(fs.existsSync(file), false);
    logFile(file, 'debug').debug('one');
    logFile(file).warn('two');
    assert.equal(fs.readFileSync(file, 'utf8').trim().split('\n').length, 2);
  });

  it('a log that cannot be written stops nobody', () => {
    logFile(path.join(home, 'no', 'such', 'folder.log')).error('lost');
  });

  it('the instance lock is held by one at a time and means nothing on a file left behind', () => {
    const file = path.join(home, 'lock.db');
    const first = acquireInstanceLock(file);
    assert.ok(first !== null);
    assert.equal(acquireInstanceLock(file), null);
    first.dispose();
    const second = acquireInstanceLock(file);
    assert.ok(second !== null);
    second.dispose();
  });

  it('the endpoint of a long data root lies in a folder of ours, never behind a link that somebody may turn', () => {
    if (process.platform === 'win32') return;
    const before = process.env['XDG_RUNTIME_DIR'];
    process.env['XDG_RUNTIME_DIR'] = home;
    const shared = path.join(home, `attache-${String(process.getuid?.())}`);
    const root = path.join(home, 'd'.repeat(120));
    try {
      assert.equal(path.dirname(chooseEndpoint(root)), shared);
      fs.rmdirSync(shared);
      fs.mkdirSync(path.join(home, 'elsewhere'), { mode: 0o700 });
      fs.symlinkSync(path.join(home, 'elsewhere'), shared);
      const folder = path.dirname(chooseEndpoint(root));
      assert.deepEqual([fs.realpathSync(folder) === fs.realpathSync(shared), (fs.statSync(folder).mode & 0o777).toString(8)], [false, '700']);
      fs.rmdirSync(folder);
    } finally {
      if (before === undefined) delete process.env['XDG_RUNTIME_DIR'];
      else process.env['XDG_RUNTIME_DIR'] = before;
    }
  });

  it('arguments are understood or refused', () => {
    assert.deepEqual(parseArguments(['--data-root', home, '--stdio', '--workspace', '/a', '--workspace', '/b', '--trust', '--clientProcessId=7']), {
      dataRoot: home, stdio: true, workspaces: ['/a', '/b'], trusted: true,
    });
    assert.deepEqual({ ...parseArguments([]), dataRoot: '' }, { dataRoot: '', stdio: false, workspaces: [], trusted: false });
    assert.throws(() => parseArguments(['--trusted']), /trusted/);
    assert.throws(() => parseArguments(['stray']));
  });
});
