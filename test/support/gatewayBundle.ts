import { build, stop, type Plugin } from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import { repository } from './repository.ts';

/** What a build says it is, where that is not what the sources say. */
export interface BuildVersion {
  readonly protocolVersions: readonly number[];
  readonly productVersion: string;
}

/**
 * Bundles a gateway entry and gives back the file: a build of its own when it is given a version, and in any case a faster start than from
 * the sources.
 */
export async function bundleGateway(entry: 'test/support/gatewayMain.ts' | 'src/gateway/main.ts', version?: BuildVersion): Promise<string> {
  const name = `${path.basename(path.dirname(entry))}-${path.basename(entry, '.ts')}-${version?.productVersion ?? 'current'}-${version?.protocolVersions.join('_') ?? 'current'}.mjs`;
  const file = path.join(repository, 'dist-test', 'gateways', name);
  const { outputFiles } = await build({
    absWorkingDir: repository,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    write: false,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    // vscode-jsonrpc is CommonJS and asks for Node's own modules at run time.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    external: ['node:sqlite'],
    logLevel: 'warning',
    plugins: version === undefined ? [] : [asVersion(version)],
  });
  // Its service would keep a process alive that is otherwise done.
  await stop();
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // In one step: another test process may be starting it.
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, outputFiles[0]!.contents);
  fs.renameSync(draft, file);
  return file;
}

function asVersion({ protocolVersions, productVersion }: BuildVersion): Plugin {
  return {
    name: 'version',
    setup(build) {
      build.onLoad({ filter: /protocol[\\/]version\.ts$/ }, ({ path: file }) => {
        const text = fs.readFileSync(file, 'utf8')
          .replace(/(PROTOCOL_VERSIONS: readonly number\[\] = )[^;]+;/, `$1${JSON.stringify(protocolVersions)};`)
          .replace(/(PRODUCT_VERSION = )[^;]+;/, `$1${JSON.stringify(productVersion)};`);
        return { contents: text, loader: 'ts' };
      });
    },
  };
}
