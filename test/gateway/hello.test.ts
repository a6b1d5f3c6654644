import assert from 'node:assert/strict';
import fs from 'node:fs';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';

describe('saying hello to the gateway', () => {
  let gateway: GatewayHarness;
  before(async () => {
    gateway = await GatewayHarness.start();
  });
  after(() => gateway.stop());

  it('answers with version, identity, epoch, limits and the canonical folders', async () => {
    const link = `${gateway.folder()}-link`;
    fs.symlinkSync(gateway.folder(), link);
    const client = await gateway.client({ folders: [link] });
    const { protocolVersion, gatewayId, epoch, limits, workspaces } = client.hello;
    assert.equal(protocolVersion, 1);
    assert.equal(gatewayId, gateway.descriptor.gatewayId);
    assert.equal(epoch, gateway.descriptor.epoch);
    assert.deepEqual(limits, LIMITS);
    assert.deepEqual(workspaces, [{ path: gateway.folder(), trusted: true }]);
    const status = await client.call('gateway/status', {});
    assert.equal(status.pid, gateway.pid);
  });

  it('keeps descriptor, token and socket to this user', () => {
    const paths = dataRootPaths(gateway.dataRoot);
    const mode = (file: string): string => (fs.statSync(file).mode & 0o777).toString(8);
    assert.equal(mode(paths.root), '700');
    assert.equal(mode(paths.descriptor), '600');
    assert.equal(mode(paths.token), '600');
    assert.equal(mode(gateway.descriptor.endpoint), '600');
    assert.doesNotMatch(fs.readFileSync(paths.descriptor, 'utf8'), new RegExp(fs.readFileSync(paths.token, 'utf8')));
  });
});
