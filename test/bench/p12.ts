import { createVSIX } from '@vscode/vsce';
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { buildBundle } from '../support/buildBundle.ts';
import { bundles } from '../support/bundles.ts';
import { repository } from '../support/repository.ts';
import { type BenchRow, type Figure, atMost, atMostTimes, percentile } from './support/benchRow.ts';
import { PageBench, smallState } from './support/pageBench.ts';

const KIB = 1024;
const RUNS = 7;
const FOLDER = path.join(repository, 'dist-test/bench/size');
/** What speaks LSP for every extension that does; loaded by itself it is the baseline of activation. */
const LIBRARY = ['vscode-languageclient', 'vscode-languageserver-protocol', 'vscode-languageserver-types', 'vscode-jsonrpc'];
/** The smallest extension of the kind that is published, in KiB. */
const OTHER_VSIX_KIB = 787;

/** The extension as it ships, but for the client library: its first script, and all of them. */
async function buildOwn(): Promise<{ readonly first: string; readonly whole: readonly string[]; readonly atFirst: readonly string[] }> {
  const extension = bundles.find(({ name }) => name === 'extension');
  if (extension === undefined) throw new Error('no extension is bundled');
  const { outputs } = await buildBundle(extension, { outdir: path.relative(repository, FOLDER), production: true, external: LIBRARY.flatMap((name) => [name, `${name}/*`]) });
  const whole = Object.keys(outputs).map((file) => path.join(repository, file));
  const first = path.join(FOLDER, 'extension.cjs');
  const requiredBy = (file: string): string[] => [file, ...(outputs[path.relative(repository, file)]?.imports ?? []).filter(({ external }) => external !== true).flatMap(({ path: other }) => requiredBy(path.join(repository, other)))];
  return { first, whole, atFirst: [...new Set(requiredBy(first))] };
}

const cpuOf = (script: string, what: 'load' | 'activate', ...others: readonly string[]): number =>
  Number(execFileSync(process.execPath, [path.join(import.meta.dirname, 'support/loadTime.cjs'), script, what, ...others], { cwd: repository, encoding: 'utf8' }));

async function activation(own: string): Promise<Figure> {
  const library = path.join(FOLDER, 'library.cjs');
  await build({ absWorkingDir: repository, stdin: { contents: "module.exports = require('vscode-languageclient/node');", resolveDir: repository }, bundle: true, minify: true, platform: 'node', format: 'cjs', external: ['vscode'], outfile: library });
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run += 1) {
    ours.push(cpuOf(own, 'activate', ...LIBRARY));
    theirs.push(cpuOf(library, 'load'));
  }
  return atMostTimes(0.5, { name: 'own time to load and activate (CPU, median)', ours: percentile(ours, 0.5), baseline: percentile(theirs, 0.5), unit: 'ms', against: 'loading vscode-languageclient' });
}

/** The package as it is published, from what is in dist/ now. */
async function vsixKib(): Promise<number> {
  const packagePath = path.join(FOLDER, 'attache.vsix');
  execFileSync(process.execPath, [path.join(repository, 'scripts/build.ts'), '--production'], { stdio: 'ignore' });
  await createVSIX({ cwd: repository, packagePath, dependencies: false, allowMissingRepository: true, rewriteRelativeLinks: false });
  return fs.statSync(packagePath).size / KIB;
}

const gzipped = (...files: readonly string[]): number => files.reduce((sum, file) => sum + zlib.gzipSync(fs.readFileSync(file), { level: 9 }).length, 0);

/** A session as long as a day's work: 100 MB of messages, as a client gets them that follows it from the beginning. */
async function heapAfter(bench: PageBench): Promise<number> {
  const ours = await bench.ours(smallState());
  await ours.page.evaluate((state) => globalThis.drive.longSession(state, 100_000_000), smallState(true));
  return await ours.heap() / KIB / KIB;
}

export const row: BenchRow = {
  id: 'P12',
  about: 'sizes, activation, and what a long session leaves in memory',
  run: async () => {
    fs.mkdirSync(FOLDER, { recursive: true });
    const bench = await PageBench.start();
    try {
      const own = await buildOwn();
      return [
        atMost(150, { name: 'extension besides the client library, with what it loads later (gzip)', ours: gzipped(...own.whole) / KIB, unit: 'KiB' }),
        atMost(150, { name: 'extension when it is activated (gzip)', ours: gzipped(...own.atFirst) / KIB, unit: 'KiB' }),
        await activation(own.first),
        { ...atMost(800, { name: 'VSIX', ours: await vsixKib(), unit: 'KiB' }), baseline: OTHER_VSIX_KIB, against: 'vscode-acp' },
        atMost(60, { name: 'script of the chat page at first paint (gzip)', ours: gzipped(path.join(repository, 'dist-test/bench/page/chat.js')) / 1000, unit: 'kB' }),
        atMost(50, { name: 'heap of the chat page after a session of 100 MB', ours: await heapAfter(bench), unit: 'MiB' }),
      ];
    } finally {
      await bench.stop();
      fs.rmSync(FOLDER, { recursive: true, force: true });
    }
  },
};
