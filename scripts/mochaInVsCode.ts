// Runs test files inside a real extension host, and leaves their counts in RESULTS: in desktop VS Code where it can be
// had, else in code-server. VSCODE_HOST=auto|desktop|code-server chooses.
//   node scripts/mochaInVsCode.ts <timeout ms> <file>...
import { runTests } from '@vscode/test-electron';
import { build } from 'esbuild';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createDemoWorkspace } from '../test/support/demoWorkspace.ts';
import { killProcessesWith } from '../test/support/processes.ts';
import { desktopVsCode } from './desktopVsCode.ts';

const root = path.resolve(import.meta.dirname, '..');
const shim = path.join(root, 'test/support/vscodeHost/vscodeShim');

// Its own, so that two runs at a time do not disturb each other.
const outdir = path.join(root, `dist-test/vscode-${process.pid}`);

/** Each test file becomes a bundle of its own, loaded by mocha like any other. */
async function bundleTests(files: readonly string[]): Promise<string[]> {
  await build({
    absWorkingDir: root,
    entryPoints: ['test/vscode/main.ts', ...files],
    outbase: 'test/vscode',
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    sourcemap: 'inline',
    external: ['vscode', 'mocha'],
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    logLevel: 'warning',
  });
  return files.map((file) => path.join(outdir, path.relative('test/vscode', file).replace(/\.ts$/, '.cjs')));
}

async function main(timeout: string, files: readonly string[]): Promise<number> {
  const bundles = await bundleTests(files);
  const executable = await desktopVsCode(process.env['VSCODE_HOST'] ?? 'auto') ?? shim;
  console.log(executable === shim ? 'running in code-server' : `running in ${executable}`);
  const workspace = createDemoWorkspace();
  // Short: VS Code's own sockets below it must stay under 107 characters.
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'vsc-p-'));
  const dataRoot = path.join(profile, 'home');
  const temporary = path.join(profile, 'tmp');
  fs.mkdirSync(temporary);
  const clean = (): void => {
    killProcessesWith(dataRoot);
    workspace.remove();
    fs.rmSync(outdir, { recursive: true, force: true });
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  // The shim is in this process group and has had the same signal.
  process.once('SIGTERM', () => { setTimeout(() => { clean(); process.exit(143); }, 3000); });
  try {
    return await runTests({
      vscodeExecutablePath: executable,
      extensionDevelopmentPath: root,
      extensionTestsPath: path.join(outdir, 'main.cjs'),
      launchArgs: [workspace.folder, '--disable-extensions', `--user-data-dir=${profile}`],
      extensionTestsEnv: { TEST_FILES: JSON.stringify(bundles), TEST_TIMEOUT: timeout, TMPDIR: temporary, ATTACHE_DATA_ROOT: dataRoot },
    });
  } finally {
    clean();
  }
}

const [timeout = '60000', ...files] = process.argv.slice(2);
try {
  process.exitCode = await main(timeout, files);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
