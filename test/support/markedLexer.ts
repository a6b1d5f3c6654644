import type { Plugin } from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../../node_modules/marked');
const SOURCES = path.join(FOLDER, 'src');
const ENTRY = path.join(SOURCES, 'lexerOnly.ts');
/** What of the package is taken; whoever imports more of it fails to build. */
const TAKEN = "export { _Lexer as Lexer } from './Lexer.ts';\nexport { _getDefaults as getDefaults } from './defaults.ts';\n";

/** The grammar of Markdown as it was in 2004, an option that nobody here sets; each piece as [file, what it begins with, what it ends with]. */
const PEDANTIC: readonly (readonly [string, string, string])[] = [
  ['rules.ts', 'const blockPedantic', '\n};\n'],
  ['rules.ts', 'const inlinePedantic', '\n};\n'],
  ['rules.ts', 'const emStrongLDelimPedantic =', '.getRegex();\n'],
  ['rules.ts', 'const emStrongRDelimAstPedantic =', '.getRegex();\n'],
  ['rules.ts', 'const emStrongRDelimUndPedantic =', '.getRegex();\n'],
  ['rules.ts', '  pedantic: blockPedantic,', '\n'],
  ['rules.ts', '  pedantic: inlinePedantic,', '\n'],
];

/**
 * `marked` as its lexer alone. The package is one file that makes an instance of everything as it loads, so that a bundler has to
 * keep the parser, the renderers and the hooks, a quarter of it. Its sources, which it publishes within the map of that file, are
 * modules, and those that nobody asks for are left out.
 */
export const markedLexer: Plugin = {
  name: 'markedLexer',
  setup(build) {
    const published = readPublished();
    build.onResolve({ filter: /^marked$/ }, () => ({ path: ENTRY }));
    build.onResolve({ filter: /^\.\// }, ({ path: name, importer }) => (path.dirname(importer) === SOURCES ? { path: path.join(SOURCES, name) } : undefined));
    build.onLoad({ filter: /[\\/]marked[\\/]src[\\/]/ }, ({ path: file }) => {
      const contents = file === ENTRY ? TAKEN : published.get(file);
      return contents === undefined ? { errors: [{ text: `marked publishes no ${file}` }] } : { contents: withoutPedantic(path.basename(file), contents), loader: 'ts' };
    });
  },
};

function withoutPedantic(file: string, source: string): string {
  let rest = source.replaceAll('this.options.pedantic', 'false');
  for (const [, from, to] of PEDANTIC.filter(([name]) => name === file)) {
    const at = rest.indexOf(from);
    const end = rest.indexOf(to, at);
    if (at < 0 || end < 0) throw new Error(`marked has no “${from}” any more`);
    rest = rest.slice(0, at) + rest.slice(end + to.length);
  }
  return rest;
}

/** The package's sources by their paths. Only a build needs them: who merely imports the list of bundles may have no such package. */
function readPublished(): ReadonlyMap<string, string | undefined> {
  const { sources, sourcesContent } = JSON.parse(fs.readFileSync(path.join(FOLDER, 'lib/marked.esm.js.map'), 'utf8')) as { readonly sources: readonly string[]; readonly sourcesContent: readonly string[] };
  return new Map(sources.map((name, index) => [path.resolve(FOLDER, 'lib', name), sourcesContent[index]]));
}
