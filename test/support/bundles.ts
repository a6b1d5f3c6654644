// What ships, and how it is bundled: read by build.ts and by the bench.
import type { BuildOptions } from 'esbuild';
import { fromPage } from './fromPage.ts';
import { markedLexer } from './markedLexer.ts';
import { zodParser } from './zodParser.ts';

const node: BuildOptions = {
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  outExtension: { '.js': '.cjs' },
  plugins: [zodParser],
  // zod only asks whether there is one; VS Code warns about each look at it.
  define: { navigator: 'undefined', 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
};
const browser: BuildOptions = {
  platform: 'browser',
  format: 'iife',
  target: 'chrome130',
  loader: { '.ttf': 'copy', '.svg': 'dataurl' },
  assetNames: '[name]',
};

export interface Bundle {
  readonly name: string;
  readonly entry: string;
  /** Scripts beside it, by their names, that it loads when it needs them. A module is in one of all these files; what several need is in files of its own. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly options: BuildOptions;
}

export const bundles: readonly Bundle[] = [
  {
    name: 'extension',
    entry: 'src/extension/main.ts',
    // Loaded by src/extension/parts/load.ts.
    parts: { inUse: 'src/extension/parts/inUse.ts', agents: 'src/extension/parts/agents.ts' },
    options: { ...node, external: ['vscode'] },
  },
  { name: 'gateway', entry: 'src/gateway/main.ts', options: { ...node, external: ['node:sqlite'] } },
  { name: 'offlineAgent', entry: 'src/runtime/offline/main.ts', options: node },
  // People run it with whatever Node they have; it says itself when that cannot start a gateway.
  { name: 'cli', entry: 'src/cli/main.ts', options: { ...node, target: 'node20', banner: { js: '#!/usr/bin/env node' } } },
  { name: 'chat', entry: 'media/chat/main.ts', options: { ...browser, plugins: [markedLexer] } },
  // Loaded by the page when it has been painted.
  { name: 'later', entry: 'media/chat/laterMain.ts', options: { ...browser, plugins: [fromPage] } },
  // Loaded by the page with the first block of code.
  { name: 'highlight', entry: 'media/chat/markdown/highlightMain.ts', options: browser },
  { name: 'chatStyle', entry: 'media/chat/main.css', options: { ...browser, entryNames: 'chat', external: ['*.ttf'] } },
];
