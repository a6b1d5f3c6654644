import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { negotiate, PRODUCT_VERSION } from '../../../src/protocol/version.ts';

describe('versions', () => {
  it('of the build: the one in package.json', () => {
    const file = path.join(import.meta.dirname, '../../../package.json');
    assert.equal(PRODUCT_VERSION, (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version);
  });

  it('of the protocol: the newest that both sides speak, or none', () => {
    assert.equal(negotiate([1, 2, 3], [2, 3, 4]), 3);
    assert.equal(negotiate([1], [2]), null);
    assert.equal(negotiate([], [1]), null);
  });
});
