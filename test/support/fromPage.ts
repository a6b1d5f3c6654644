import type { Plugin } from 'esbuild';
import path from 'node:path';

const SHARED = ['l10n.ts', 'markdown/renderMarkdown.ts', 'view/dom.ts'].map((file) => path.resolve(import.meta.dirname, '../../media/chat', file));

/** For a script that runs in the page beside the first one: what that one shares (media/chat/shared.ts) is taken from it, not bundled again. */
export const fromPage: Plugin = {
  name: 'fromPage',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path: specifier, resolveDir }) => {
      const file = path.resolve(resolveDir, specifier);
      return SHARED.includes(file) ? { path: path.basename(file, '.ts'), namespace: 'page' } : undefined;
    });
    build.onLoad({ filter: /./, namespace: 'page' }, ({ path: name }) => ({ contents: `module.exports = globalThis.attachePage.${name};`, loader: 'js' }));
    build.onResolve({ filter: /^(?:preact|marked)$/ }, ({ path: name, importer }) => ({ errors: [{ text: `${importer} would bring a second ${name} into the page: share what it needs of it` }] }));
  },
};
