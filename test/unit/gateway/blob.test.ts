import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { CoreHarness, refused, WORKSPACE, type TestClient } from './support/coreHarness.ts';

describe('blobs', () => {
  let gw: CoreHarness;
  let w1: TestClient;

  beforeEach(() => {
    gw = new CoreHarness();
    w1 = gw.client('w1');
  });
  afterEach(() => gw.close());

  const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const put = (bytes: Buffer, offset: number, end: number, digest = digestOf(bytes)) =>
    w1.call('blob/put', { workspace: WORKSPACE, digest, size: bytes.length, offset, base64: bytes.subarray(offset, end).toString('base64') });

  async function get(digest: string, from = 0): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let offset: number | null = from; offset !== null;) {
      const piece: { base64: string; nextOffset: number | null } = await w1.call('blob/get', { workspace: WORKSPACE, digest, offset });
      parts.push(Buffer.from(piece.base64, 'base64'));
      offset = piece.nextOffset;
    }
    return Buffer.concat(parts);
  }

  it('come in pieces and go out by range', async () => {
    const bytes = randomBytes(2_500_000);
    const digest = digestOf(bytes);
    assert.deepEqual(await put(bytes, 0, 1_000_000), { complete: false, nextOffset: 1_000_000 });
    await assert.rejects(w1.call('blob/get', { workspace: WORKSPACE, digest }), { kind: 'not_found' });
    assert.deepEqual(await put(bytes, 2_000_000, 2_500_000), { complete: false, nextOffset: 1_000_000 }, 'a piece that does not follow says where to go on');
    assert.deepEqual(await put(bytes, 0, 1_000_000), { complete: false, nextOffset: 1_000_000 });
    await put(bytes, 1_000_000, 2_000_000);
    assert.deepEqual(await put(bytes, 2_000_000, 2_500_000), { complete: true, nextOffset: 2_500_000 });
    assert.deepEqual(await put(bytes, 0, 1_000_000), { complete: true, nextOffset: 2_500_000 });
    assert.ok((await get(digest)).equals(bytes));
    assert.ok((await get(digest, 1_234_567)).equals(bytes.subarray(1_234_567)));
    assert.equal((await get(digest, 2_500_000)).length, 0);
  });

  it('an empty one is complete at once', async () => {
    const empty = Buffer.alloc(0);
    assert.deepEqual(await put(empty, 0, 0), { complete: true, nextOffset: 0 });
    assert.equal((await get(digestOf(empty))).length, 0);
  });

  it('what is not what its digest says is refused, and may be sent again', async () => {
    const right = Buffer.from('right');
    const digest = digestOf(right);
    await put(right, 0, 2);
    const wrong = w1.call('blob/put', { workspace: WORKSPACE, digest, size: 5, offset: 2, base64: Buffer.from('xxx').toString('base64') });
    await assert.rejects(wrong, { kind: 'digest_mismatch' });
    assert.deepEqual(await put(right, 0, 5), { complete: true, nextOffset: 5 });
    assert.equal((await get(digest)).toString(), 'right');
  });

  it('too much at once, or more than was said, is refused', async () => {
    const bytes = randomBytes(1024 * 1024 + 1);
    await refused(gw, 'too_large', () => put(bytes, 0, bytes.length));
    await refused(gw, 'digest_mismatch', () => w1.call('blob/put', { workspace: WORKSPACE, digest: digestOf(bytes), size: 1, offset: 0, base64: 'eHh4' }));
  });

  it('are not shared between folders', async () => {
    const bytes = Buffer.from('secret');
    await put(bytes, 0, 6);
    const other = gw.client('w2', 'editor', [{ path: '/w/other', trusted: true }]);
    await assert.rejects(other.call('blob/get', { workspace: '/w/other', digest: digestOf(bytes) }), { kind: 'not_found' });
  });
});
