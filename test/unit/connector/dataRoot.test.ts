import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { dataRootPaths, defaultDataRoot, ensurePrivateFolder } from '../../../src/connector/dataRoot.ts';
import { readDescriptor, readToken } from '../../../src/connector/descriptor.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';

describe('the data root', () => {
  let home: string;
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'attroot-'));
  });
  afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

  const mode = (file: string): string => (fs.statSync(file).mode & 0o777).toString(8);

  it('is named by the environment, else lies in the home folder', () => {
    assert.equal(defaultDataRoot({ ATTACHE_DATA_ROOT: home }), home);
    assert.equal(defaultDataRoot({}), path.join(os.homedir(), '.attache'));
    assert.equal(defaultDataRoot({ ATTACHE_DATA_ROOT: '' }), path.join(os.homedir(), '.attache'));
  });

  it('is made for this user alone, and closed when it was open', () => {
    const made = path.join(home, 'a', 'b');
    ensurePrivateFolder(made);
    assert.equal(mode(made), '700');
    fs.chmodSync(made, 0o755);
    ensurePrivateFolder(made);
    assert.equal(mode(made), '700');
  });

  it('is refused when it is a file', () => {
    const file = path.join(home, 'file');
    fs.writeFileSync(file, '');
    assert.throws(() => ensurePrivateFolder(file), (error: unknown) => error instanceof AttacheError || (error as NodeJS.ErrnoException).code === 'EEXIST');
  });

  it('holds a descriptor and a token, or neither, and never more than was understood', () => {
    const paths = dataRootPaths(home);
    assert.equal(readDescriptor(paths), null);
    assert.equal(readToken(paths), null);
    for (const text of ['', '{', '[]', 'null', '{"gatewayId":1}']) {
      fs.writeFileSync(paths.descriptor, text);
      assert.equal(readDescriptor(paths), null);
    }
    const descriptor = { gatewayId: 'g', epoch: 1, pid: 2, processStart: 3, endpoint: '/e', protocolRange: [1, 1], version: '1' };
    fs.writeFileSync(paths.descriptor, JSON.stringify({ ...descriptor, laterField: true }));
    assert.deepEqual(readDescriptor(paths), descriptor, 'a field of a later version does no harm');
    fs.writeFileSync(paths.token, 'secret\n');
    assert.equal(readToken(paths), 'secret');
  });
});
