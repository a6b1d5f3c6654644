import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { type Metafile } from 'esbuild';
import { fileImportProblem, layerFolder, layerNames, layerOf, packageImportProblem, restrictedImports } from './layers.ts';
import { repository } from './support/repository.ts';
import { findCycle, isRelative, p90, resolveImport, scan } from './support/sourceScan.ts';

const product = scan(['src', 'media']);
const everything = [...product, ...scan(['test', 'scripts'])];

function folders(parent: string): string[] {
  return fs.globSync(`${parent}/**/*`, { cwd: repository, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.relative(repository, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

describe('the layers', () => {
  it('are all there are', () => {
    const known = layerNames.map(layerFolder);
    const found = fs.readdirSync(path.join(repository, 'src')).map((name) => `src/${name}`);
    assert.deepEqual(found.filter((folder) => !known.includes(folder)), []);
  });

  it('import only what the table allows', () => {
    const problems = product.flatMap(({ file, imports }) => imports.map((specifier) => (isRelative(specifier)
      ? fileImportProblem(file, resolveImport(file, specifier))
      : packageImportProblem(file, specifier))));
    assert.deepEqual(problems.filter((problem) => problem !== undefined), []);
  });

  it('are guarded by ESLint with the same table', () => {
    const refused = (file: string, specifier: string): boolean => restrictedImports().some(({ files, ignores, regex }) =>
      path.matchesGlob(file, files) && !ignores.some((glob) => path.matchesGlob(file, glob)) && new RegExp(regex).test(specifier));
    const wrong = product.flatMap(({ file, imports }) => imports.filter((specifier) => {
      const problem = isRelative(specifier) ? fileImportProblem(file, resolveImport(file, specifier)) : packageImportProblem(file, specifier);
      return refused(file, specifier) !== (problem !== undefined);
    }).map((specifier) => `${file}: ${specifier}`));
    assert.deepEqual(wrong, []);
    assert.equal(refused('src/client/mirror.ts', '../gateway/server.ts'), true);
    assert.equal(refused('src/gateway/store/database.ts', '../../client/mirror.ts'), true);
    assert.equal(refused('src/gateway/store/database.ts', '../clients/registry.ts'), false);
    assert.equal(refused('src/runtime/turnRun.ts', '@agentclientprotocol/sdk'), true);
    assert.equal(refused('src/runtime/acp/connection.ts', '@agentclientprotocol/sdk'), false);
    assert.equal(refused('src/runtime/acp/connection.ts', '../../execution/diskPlane.ts'), true);
    assert.equal(refused('src/protocol/ids.ts', 'node:fs'), true);
    assert.equal(refused('src/execution/diskPlane.ts', 'node:sqlite'), true);
    assert.equal(refused('media/chat/view/item.ts', '../../../src/protocol/item/state.ts'), false);
    assert.equal(refused('media/chat/view/item.ts', 'zod'), true);
  });

  it('use no dynamic import', () => {
    assert.deepEqual(product.filter(({ dynamicImports }) => dynamicImports > 0).map(({ file }) => file), []);
  });

  it('have no import cycle', () => {
    assert.equal(findCycle(everything)?.join(' -> '), undefined);
  });

  it('leave vscode to the extension', () => {
    const users = product.filter(({ imports }) => imports.includes('vscode')).map(({ file }) => layerOf(file));
    assert.deepEqual(users.filter((layer) => layer !== 'extension'), []);
  });
});

describe('the budgets', () => {
  it('hold for files: nine in ten up to 300 lines, none over 500', () => {
    assert.deepEqual(everything.filter(({ lines }) => lines > 500).map(({ file, lines }) => `${file}: ${lines}`), []);
    const ninth = p90(everything.map(({ lines }) => lines));
    assert.ok(ninth <= 300, `p90 is ${ninth} lines`);
  });

  it('hold for functions: nine in ten up to 35 lines, none over 80', () => {
    const all = [...product, ...scan(['scripts'])].flatMap(({ file, functions }) => functions.map(({ name, lines }) => ({ name, lines, file })));
    assert.deepEqual(all.filter(({ lines }) => lines > 80).map(({ file, name, lines }) => `${file} ${name}: ${lines}`), []);
    const ninth = p90(all.map(({ lines }) => lines));
    assert.ok(ninth <= 35, `p90 is ${ninth} lines`);
  });

  it('allow no explicit any', () => {
    assert.deepEqual(product.filter(({ anyCount }) => anyCount > 0).map(({ file, anyCount }) => `${file}: ${anyCount}`), []);
  });
});

describe('the README', () => {
  // Each layer has a line with its path in backticks; the folders below it are named on that line.
  it('names every folder under src and media in its code map', () => {
    const lines = fs.readFileSync(path.join(repository, 'README.md'), 'utf8').split('\n');
    const missing = [...folders('src'), ...folders('media')].filter((folder) => {
      const [parent = '', layer = '', ...below] = folder.split('/');
      const row = lines.filter((line) => line.includes(`\`${parent}/${layer}\``)).join(' ');
      return row === '' || below.some((name) => !new RegExp(`\\b${name}\\b`).test(row));
    });
    assert.deepEqual(missing, []);
  });
});

describe('the page about the architecture', () => {
  it('names with each invariant a test that exists', () => {
    const lines = fs.readFileSync(path.join(repository, 'docs/architecture.md'), 'utf8').split('\n');
    const invariants = lines.slice(lines.indexOf('## Invariants'), lines.indexOf('## Decisions worth knowing')).filter((line) => line.startsWith('|')).slice(2);
    assert.ok(invariants.length > 5);
    for (const line of invariants) {
      const tests = line.split('|').at(-2)?.match(/test\/[\w./]+\.test\.ts/g) ?? [];
      assert.ok(tests.length > 0 && tests.every((file) => fs.existsSync(path.join(repository, file))), line);
    }
  });
});

describe('the chat bundle', () => {
  const allowed = /^(media\/|src\/(protocol|base)\/|node_modules\/(preact|marked|highlight\.js|@vscode\/codicons)\/)/;

  it('holds only the view, what it renders with, and the protocol without its parser', () => {
    const file = path.join(repository, 'dist-test/meta/chat.json');
    const { outputs } = JSON.parse(fs.readFileSync(file, 'utf8')) as Metafile;
    const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
    assert.ok(inputs.length > 0, 'the bundle is empty');
    assert.deepEqual(inputs.filter(([input, { bytesInOutput }]) => bytesInOutput > 0 && !allowed.test(input)).map(([input]) => input), []);
  });
});

describe('the extension bundle', () => {
  const { outputs } = JSON.parse(fs.readFileSync(path.join(repository, 'dist-test/meta/extension.json'), 'utf8')) as Metafile;
  const packagesOf = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) { return new Set(); }
    seen.add(file);
    const { inputs = {}, imports = [] } = outputs[file] ?? {};
    const own = Object.keys(inputs).flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []);
    return new Set([...own, ...imports.filter(({ external }) => external !== true).flatMap(({ path: other }) => [...packagesOf(other, seen)])]);
  };

  it('P12 loads no parser, no agent protocol and no client library before somebody does something', () => {
    const heavy = ['zod', '@agentclientprotocol/sdk', 'vscode-languageclient', 'vscode-jsonrpc'];
    assert.deepEqual(heavy.filter((name) => packagesOf('dist/extension.cjs').has(name)), []);
    // Each is found where it belongs.
    assert.deepEqual(heavy.filter((name) => !packagesOf('dist/inUse.cjs').has(name)), ['@agentclientprotocol/sdk']);
    assert.deepEqual(['zod', '@agentclientprotocol/sdk'].filter((name) => !packagesOf('dist/agents.cjs').has(name)), []);
  });

  it('holds each module once, whichever of its scripts needs it', () => {
    const all = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([input]) => input));
    assert.deepEqual(all.filter((input, index) => all.indexOf(input) !== index), []);
  });
});
