// Bundles everything that ships into dist/ and writes each bundle's metafile to dist-test/meta/ for the architecture test.
//   node scripts/build.ts [--production]
import type { Metafile } from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import { buildBundle } from '../test/support/buildBundle.ts';
import { type Bundle, bundles } from '../test/support/bundles.ts';
import { notices } from './notices.ts';

const root = path.resolve(import.meta.dirname, '..');
const production = process.argv.includes('--production');

const copied = ['dist/codicon.css', 'dist/codicon.ttf', 'dist/THIRD-PARTY-NOTICES.txt'];

async function bundle(bundle: Bundle): Promise<Metafile> {
  const metafile = await buildBundle(bundle, { outdir: 'dist', production });
  write(`dist-test/meta/${bundle.name}.json`, JSON.stringify(metafile));
  return metafile;
}

function write(file: string, text: string | Buffer): void {
  const target = path.join(root, file);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, text);
}

function copyIconFont(): void {
  const from = path.join(root, 'node_modules/@vscode/codicons/dist');
  for (const file of ['codicon.css', 'codicon.ttf']) {
    write(`dist/${file}`, fs.readFileSync(path.join(from, file)));
  }
}

function makeExecutable(file: string): void {
  const target = path.join(root, file);
  if (fs.existsSync(target)) { fs.chmodSync(target, 0o755); }
}

/** After building, not before: a test host may be using the folder. */
function removeLeftovers(metafiles: readonly Metafile[]): void {
  const written = new Set([...metafiles.flatMap(({ outputs }) => Object.keys(outputs)), ...copied]);
  for (const file of fs.globSync('dist/**/*', { cwd: root })) {
    const target = path.join(root, file);
    if (!written.has(file.replaceAll('\\', '/')) && fs.statSync(target).isFile()) { fs.rmSync(target); }
  }
}

function report(): void {
  for (const file of fs.readdirSync(path.join(root, 'dist')).sort()) {
    if (file.endsWith('.map')) { continue; }
    const { size } = fs.statSync(path.join(root, 'dist', file));
    console.log(`  dist/${file.padEnd(28)} ${(size / 1024).toFixed(0).padStart(6)} KiB`);
  }
}

const ready = bundles.filter(({ entry }) => {
  const exists = fs.existsSync(path.join(root, entry));
  if (!exists) { console.warn(`warning: no ${entry} yet, its bundle is left out`); }
  return exists;
});
const built = await Promise.allSettled(ready.map(bundle));
const metafiles = built.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
copyIconFont();
makeExecutable('dist/cli.cjs');
write('dist/THIRD-PARTY-NOTICES.txt', notices(root, metafiles));
removeLeftovers(metafiles);
report();
const failed = ready.filter((_, index) => built[index]?.status === 'rejected');
for (const { entry } of failed) { console.error(`error: ${entry} could not be bundled`); }
process.exitCode = failed.length === 0 ? 0 : 1;
