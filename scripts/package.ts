// Builds for release and packs what .vscodeignore allows.
//   node scripts/package.ts [file.vsix]
import { createVSIX } from '@vscode/vsce';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { zipEntries } from '../test/support/zip.ts';

const root = path.resolve(import.meta.dirname, '..');
const packagePath = path.resolve(process.argv[2] ?? path.join(root, 'attache.vsix'));

execFileSync(process.execPath, [path.join(root, 'scripts/build.ts'), '--production'], { stdio: 'inherit' });
await createVSIX({
  cwd: root,
  packagePath,
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
console.log(`${packagePath}: ${zipEntries(packagePath).length} files, ${(fs.statSync(packagePath).size / 1024).toFixed(0)} KiB`);
