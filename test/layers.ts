import { escapeRegExp } from '../src/base/escapeRegExp.ts';

// The one table of who may import what. ESLint and test/architecture.test.ts both read it.

/** What one layer may import besides itself. */
export interface LayerRule {
  /** Other layers, whole. */
  readonly layers: readonly LayerName[];
  /** Single files of other layers, as `layer/file.ts`. */
  readonly files?: readonly string[];
  /** Bare packages; a subpath of a package is allowed with it. */
  readonly packages: readonly string[];
  /** Packages allowed only below the named subfolders of the layer. */
  readonly packagesIn?: Readonly<Record<string, readonly string[]>>;
  /** Node's own modules, except `node:sqlite`, which must be listed in `packages`. */
  readonly node: boolean;
}

export type LayerName =
  | 'base' | 'protocol' | 'client' | 'connector' | 'execution' | 'runtime' | 'host' | 'gateway' | 'extension' | 'cli' | 'media';

export const layers: Readonly<Record<LayerName, LayerRule>> = {
  base: { layers: [], packages: [], node: false },
  protocol: { layers: ['base'], packages: ['zod'], node: false },
  client: { layers: ['base', 'protocol'], packages: [], node: false },
  connector: { layers: ['base', 'protocol'], packages: ['vscode-jsonrpc'], node: true },
  execution: { layers: ['base', 'protocol'], packages: ['diff'], node: true },
  runtime: {
    layers: ['base', 'protocol'],
    files: ['execution/plane.ts'],
    packages: [],
    packagesIn: { acp: ['@agentclientprotocol/sdk'], offline: ['@agentclientprotocol/sdk'] },
    node: true,
  },
  host: { layers: ['base', 'protocol', 'client', 'runtime'], files: ['execution/plane.ts', 'execution/editPart.ts', 'execution/digest.ts', 'execution/lineDiff.ts', 'execution/movedOn.ts'], packages: [], node: true },
  gateway: {
    layers: ['base', 'protocol', 'execution', 'runtime', 'connector'],
    packages: ['node:sqlite', 'vscode-jsonrpc'],
    node: true,
  },
  extension: {
    layers: ['base', 'protocol', 'client', 'connector', 'execution', 'runtime', 'host'],
    packages: ['vscode', 'vscode-languageclient', 'vscode-jsonrpc'],
    node: true,
  },
  cli: { layers: ['base', 'protocol', 'client', 'connector'], packages: ['vscode-jsonrpc'], node: true },
  media: { layers: ['base', 'protocol'], packages: ['preact', 'marked', 'highlight.js'], node: false },
};

export const layerNames = Object.keys(layers) as readonly LayerName[];

/** The folder of a layer, relative to the repository. */
export function layerFolder(layer: LayerName): string {
  return layer === 'media' ? 'media' : `src/${layer}`;
}

/** The layer a repository-relative file belongs to. */
export function layerOf(file: string): LayerName | undefined {
  return layerNames.find((layer) => file.startsWith(`${layerFolder(layer)}/`));
}

/** Why `from` must not import the repository file `target`; undefined when it may. */
export function fileImportProblem(from: string, target: string): string | undefined {
  const layer = layerOf(from);
  if (layer === undefined) { return undefined; }
  const other = layerOf(target);
  if (other === undefined) { return `${from} imports ${target}, which is in no layer`; }
  const rule = layers[layer];
  if (other === layer || rule.layers.includes(other)) { return undefined; }
  if (rule.files?.some((file) => target === `src/${file}`)) { return undefined; }
  return `${from} imports ${target}: ${layer} must not import ${other}`;
}

/** Why `from` must not import the bare specifier; undefined when it may. */
export function packageImportProblem(from: string, specifier: string): string | undefined {
  const layer = layerOf(from);
  if (layer === undefined) { return undefined; }
  const rule = layers[layer];
  if (specifier.startsWith('node:') && specifier !== 'node:sqlite' && rule.node) { return undefined; }
  if (allowedPackages(from, layer).some((name) => specifier === name || specifier.startsWith(`${name}/`))) { return undefined; }
  return `${from} imports ${specifier}: ${layer} must not use it`;
}

function allowedPackages(from: string, layer: LayerName): readonly string[] {
  const rule = layers[layer];
  const folder = from.slice(layerFolder(layer).length + 1).split('/')[0] ?? '';
  return [...rule.packages, ...(rule.packagesIn?.[folder] ?? [])];
}

/** One block of ESLint's core `no-restricted-imports`: the files it is for and the specifiers it refuses. */
export interface RestrictedImports {
  readonly files: string;
  readonly ignores: readonly string[];
  readonly regex: string;
  readonly message: string;
}

const maxDepth = 4;
const message = 'Not allowed by the import table in test/layers.ts.';

/** The table as restrictions for ESLint, one block for each depth below a layer's folder: a relative specifier means something else at each. */
export function restrictedImports(): RestrictedImports[] {
  return layerNames.flatMap((layer) => {
    const folders = Object.entries(layers[layer].packagesIn ?? {});
    const special = folders.map(([folder]) => `${layerFolder(layer)}/${folder}/**`);
    return depths().flatMap((depth) => [
      block(layer, depth, layerFolder(layer), [], special),
      ...folders.map(([folder, packages]) => block(layer, depth - 1, `${layerFolder(layer)}/${folder}`, packages, [])),
    ]).filter((entry) => entry !== undefined);
  });
}

function depths(): number[] {
  return Array.from({ length: maxDepth + 1 }, (_, depth) => depth);
}

function block(layer: LayerName, depth: number, folder: string, extra: readonly string[], ignores: readonly string[]): RestrictedImports | undefined {
  if (depth < 0) { return undefined; }
  const below = folder.split('/').length - layerFolder(layer).split('/').length + depth;
  return {
    files: `${folder}/${'*/'.repeat(depth)}*.{ts,tsx}`,
    ignores,
    regex: refusedSpecifiers(layer, below, extra),
    message,
  };
}

/** A regular expression for every specifier that a file `depth` folders below the layer's own must not use. */
function refusedSpecifiers(layer: LayerName, depth: number, extra: readonly string[]): string {
  const rule = layers[layer];
  const toLayers = layer === 'media' ? `(?:\\.\\./){${depth + 1}}src/` : `(?:\\.\\./){${depth + 1}}`;
  const inside = depth === 0 ? '\\./' : `(?:\\./|(?:\\.\\./){1,${depth}}(?!\\.\\.))`;
  const files = (rule.files ?? []).map((file) => `${toLayers}${escapeRegExp(file)}$`);
  const whole = rule.layers.map((name) => `${toLayers}${name}/`);
  const packages = [...rule.packages, ...extra].map((name) => `${escapeRegExp(name)}(?:/|$)`);
  const node = rule.node ? ['node:(?!sqlite)'] : [];
  return `^(?!${[inside, ...whole, ...files, ...packages, ...node].join('|')})`;
}
