import { type Metafile } from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';

/** The licences of every npm package that ended up in a bundle, and of the icon font, which is copied. */
export function notices(root: string, metafiles: readonly Metafile[]): string {
  const folders = new Set(['node_modules/@vscode/codicons']);
  for (const { inputs } of metafiles) {
    for (const file of Object.keys(inputs)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
      if (folder !== undefined) { folders.add(folder); }
    }
  }
  const parts = [...folders].sort().map((folder) => notice(path.join(root, folder)));
  return `Attaché contains the following third-party software.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function notice(folder: string): string {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as { name: string; version: string; license?: string };
  const texts = fs.readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const body = texts.map((file) => fs.readFileSync(path.join(folder, file), 'utf8').trim()).join('\n\n');
  return `${manifest.name} ${manifest.version} (${manifest.license ?? 'see text'})\n\n${body}\n`;
}
