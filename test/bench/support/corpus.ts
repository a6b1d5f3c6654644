import fs from 'node:fs';
import path from 'node:path';
import { repository } from '../../support/repository.ts';

/** Prose and code as agents write it: this repository's own, without what a test's client takes for a secret. Never ends. */
export function textSource(): (length: number) => string {
  const files = [...fs.globSync(['README.md', 'docs/*.md', 'src/**/*.ts'], { cwd: repository })].sort();
  const text = files.map((file) => fs.readFileSync(path.join(repository, file), 'utf8')).join('\n').replaceAll(/[^\x20-\x7e\n]/g, ' ').replaceAll('ginst_', 'goal_');
  let at = 0;
  return (length) => {
    let piece = '';
    while (piece.length < length) {
      if (at >= text.length) at = 0;
      const next = text.slice(at, at + length - piece.length);
      at += next.length;
      piece += next;
    }
    return piece;
  };
}
