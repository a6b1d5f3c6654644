import { type BuildOptions, type Metafile, type OutputFile, build, transform } from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import type { Bundle } from './bundles.ts';
import { repository } from './repository.ts';

export interface BuildGoal {
  /** Relative to the repository. */
  readonly outdir: string;
  readonly production: boolean;
  /** Besides those of the bundle: left out of it. */
  readonly external?: readonly string[];
}

/** Writes a bundle, with its parts, and says what went into which file. */
export async function buildBundle({ name, entry, parts, options }: Bundle, { outdir, production, external = [] }: BuildGoal): Promise<Metafile> {
  const all: BuildOptions = {
    absWorkingDir: repository,
    entryPoints: { [name]: entry, ...parts },
    outdir,
    bundle: true,
    minify: production,
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
    external: [...(options.external ?? []), ...external],
  };
  if (parts !== undefined) return await buildParts(all, production);
  const { metafile } = await build({ ...all, sourcemap: production ? false : 'linked', metafile: true });
  return metafile;
}

/** esbuild divides only modules of the newer form among files: they are made first, and each is turned into the form that `require` loads. */
async function buildParts(all: BuildOptions, production: boolean): Promise<Metafile> {
  const { outputFiles, metafile } = await build({ ...all, format: 'esm', splitting: true, chunkNames: 'chunk-[hash]', sourcemap: production ? false : 'inline', write: false, metafile: true });
  const names = chunkNames(metafile);
  const renamed = (text: string): string => text.replace(/chunk-[A-Z0-9]{8}/g, (chunk) => names.get(chunk) ?? chunk);
  await Promise.all(outputFiles.map((file) => writePart(file, renamed, all, production)));
  const outputs = JSON.parse(renamed(JSON.stringify(metafile.outputs))) as Metafile['outputs'];
  const maps: Metafile['outputs'] = Object.fromEntries(production ? [] : Object.entries(outputs).map(([file, { bytes }]) => [`${file}.map`, { bytes, inputs: {}, imports: [], exports: [] }]));
  return { ...metafile, outputs: { ...outputs, ...maps } };
}

async function writePart({ path: file, text }: OutputFile, renamed: (text: string) => string, { minify = false, platform = 'node', target }: BuildOptions, production: boolean): Promise<void> {
  const name = path.basename(renamed(file));
  const { code, map } = await transform(renamed(text), { format: 'cjs', minify, platform, sourcefile: name, sourcemap: production ? false : 'external', ...(target === undefined ? {} : { target }) });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(renamed(file), production ? code : `${code}//# sourceMappingURL=${name}.map\n`);
  if (!production) fs.writeFileSync(`${renamed(file)}.map`, map);
}

/** What several files share is named after them, so that a change of its contents does not change the list of what ships. */
function chunkNames({ outputs }: Metafile): ReadonlyMap<string, string> {
  const users = new Map<string, Set<string>>();
  const visit = (file: string, entry: string): void => {
    for (const { path: imported, external } of outputs[file]?.imports ?? []) {
      if (external === true) continue;
      const known = users.get(imported) ?? new Set();
      users.set(imported, known);
      if (known.has(entry)) continue;
      known.add(entry);
      visit(imported, entry);
    }
  };
  const stem = (file: string): string => path.basename(file, path.extname(file));
  for (const [file, { entryPoint }] of Object.entries(outputs)) if (entryPoint !== undefined) visit(file, stem(file));
  return new Map([...users].map(([file, entries]) => [stem(file), [...entries].sort().join('-')]));
}
