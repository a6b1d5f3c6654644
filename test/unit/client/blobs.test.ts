import assert from 'node:assert/strict';
import { putBlob } from '../../../src/client/blobs.ts';
import type { GatewayCalls } from '../../../src/client/gatewayClient.ts';
import { digestOf } from '../../../src/execution/digest.ts';
import { blobBytes, bytePieces } from '../../../src/host/blobBytes.ts';
import type { Digest } from '../../../src/protocol/ids.ts';
import { expectRefusal } from '../../support/expectRefusal.ts';
import { CoreHarness, WORKSPACE } from '../gateway/support/coreHarness.ts';

type Calls = Pick<GatewayCalls, 'call'>;

describe('a blob', () => {
  const bytes = Buffer.from('what a file was\n'.repeat(60_000));
  const blob = { workspace: WORKSPACE, digest: digestOf(bytes), size: bytes.length, piece: bytePieces(bytes), isKnown: false };

  it('comes back byte for byte as it was put', async () => {
    const gw = new CoreHarness();
    try {
      const calls = gw.client('window') as unknown as Calls;
      await putBlob(calls, blob);
      assert.ok(bytes.equals(await blobBytes(calls, blob)));
    } finally {
      gw.close();
    }
  });

  it('that never becomes whole is refused, not sent for ever', async () => {
    let sent = 0;
    const call = (): Promise<unknown> => {
      sent += 1;
      return Promise.resolve({ complete: false, nextOffset: 0 });
    };
    await expectRefusal('digest_mismatch', putBlob({ call } as unknown as Calls, { ...blob, digest: 'f'.repeat(64) as Digest }));
    assert.equal(sent, 5);
  });
});
