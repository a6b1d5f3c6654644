import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import { build } from 'esbuild';
import { bundles } from '../../support/bundles.ts';
import { repository } from '../../support/repository.ts';

const limitBytes = 60_000;

describe('the chat bundle', () => {
  it('P12 is at most 60 KB when it is compressed', async () => {
    const chat = bundles.find(({ name }) => name === 'chat');
    const { outputFiles } = await build({ ...chat?.options, absWorkingDir: repository, entryPoints: [chat?.entry ?? ''], bundle: true, minify: true, write: false, legalComments: 'none', outdir: 'dist' });
    const size = zlib.gzipSync(outputFiles?.[0]?.contents ?? '', { level: 9 }).length;
    assert.ok(size > 10_000 && size <= limitBytes, `${size} bytes`);
  });
});
