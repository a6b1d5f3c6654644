import assert from 'node:assert/strict';
import { digestOf } from '../../../src/execution/digest.ts';
import type { ExecutionPlane } from '../../../src/execution/plane.ts';
import type { Blobs } from '../../../src/host/blobs.ts';
import { Checkpoints } from '../../../src/host/checkpoints.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';

describe('Checkpoints', () => {
  const files = new Map<string, Buffer>();
  const stored = new Map<string, number>();
  let checkpoints: Checkpoints;

  beforeEach(() => {
    files.clear();
    stored.clear();
    const plane = {
      readBytes: async (path: string) => {
        if (path === '/huge') throw new AttacheError('too_large');
        return files.get(path) ?? null;
      },
    } as unknown as ExecutionPlane;
    const blobs = { put: (bytes: Uint8Array) => (stored.set(digestOf(bytes), bytes.length), digestOf(bytes)) } as unknown as Blobs;
    checkpoints = new Checkpoints(plane, blobs, 64);
  });

  const write = (path: string, content: string | Buffer): void => void files.set(path, Buffer.from(content));

  it('keeps what a file is until the turn changes it, and from then on what it was', async () => {
    write('/a', '1');
    assert.deepEqual(await checkpoints.keep('/a'), { kept: digestOf('1') });
    write('/a', 'person');
    const kept = await checkpoints.keep('/a');
    assert.deepEqual(kept, { kept: digestOf('person') });
    checkpoints.begun('/a', kept);
    write('/a', 'agent');
    assert.deepEqual(await checkpoints.keep('/a'), { kept: digestOf('person') });
    checkpoints.begun('/a', { kept: digestOf('agent') });
    assert.deepEqual(await checkpoints.keep('/a'), { kept: digestOf('person') });
  });

  it('tells a file that was not there from one that is not kept', async () => {
    assert.deepEqual(await checkpoints.keep('/new'), { kept: null });
    assert.deepEqual(await checkpoints.keep('/huge'), {});
    checkpoints.begun('/huge', {});
    assert.deepEqual(await checkpoints.keep('/huge'), {});
  });

  it('keeps no more of one turn than its limit; the same content costs nothing', async () => {
    for (const name of ['a', 'b', 'c', 'd']) write(`/${name}`, name.repeat(16));
    write('/e', 'one more');
    write('/f', files.get('/a')!);
    for (const name of ['a', 'b', 'c', 'd']) assert.ok((await checkpoints.keep(`/${name}`)).kept);
    assert.deepEqual(await checkpoints.keep('/e'), {});
    assert.equal((await checkpoints.keep('/f')).kept, digestOf(files.get('/a')!));
    assert.equal(stored.size, 4);
  });
});
