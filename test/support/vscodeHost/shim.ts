// Takes the command line of the desktop `code` binary as @vscode/test-electron calls it, and runs the extension tests in
// code-server and a headless Chromium instead. Its exit code is the tests'.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runExtensionTests } from './extensionTests.ts';
import { ensureHost } from './install.ts';

const valued = new Set(['extensionDevelopmentPath', 'extensionTestsPath', 'user-data-dir', 'extensions-dir', 'folder-uri', 'file-uri', 'locale', 'log', 'profile']);

interface CommandLine {
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly positional: readonly string[];
}

function parse(args: readonly string[]): CommandLine {
  const options = new Map<string, string[]>();
  const positional: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const [, name, value] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) { positional.push(arg); continue; }
    const given = value ?? (valued.has(name) ? args[++index] : undefined) ?? '';
    options.set(name, [...(options.get(name) ?? []), given]);
  }
  return { options, positional };
}

function localPath(text: string): string {
  return text.startsWith('file:') ? fileURLToPath(text) : path.resolve(text);
}

function toOpen({ options, positional }: CommandLine): { folder?: string; workspace?: string } {
  const candidates = [...(options.get('folder-uri') ?? []), ...(options.get('file-uri') ?? []), ...positional].map(localPath).filter((file) => fs.existsSync(file));
  const workspace = candidates.find((file) => file.endsWith('.code-workspace'));
  if (workspace !== undefined) { return { workspace }; }
  const folder = candidates.find((file) => fs.statSync(file).isDirectory());
  return folder === undefined ? {} : { folder };
}

async function main(): Promise<number> {
  const line = parse(process.argv.slice(2));
  const last = (name: string): string | undefined => line.options.get(name)?.at(-1);
  const tests = last('extensionTestsPath');
  if (tests === undefined) { throw new Error('there is nothing to do without --extensionTestsPath'); }
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'vsc-x-'));
  process.once('exit', () => { fs.rmSync(scratch, { recursive: true, force: true }); });
  const noExtensions = line.options.has('disable-extensions');
  const userDataDir = last('user-data-dir');
  const extensionsDir = noExtensions ? scratch : last('extensions-dir');
  return runExtensionTests(await ensureHost(), {
    extensions: (line.options.get('extensionDevelopmentPath') ?? []).map(localPath),
    tests: localPath(tests),
    ...toOpen(line),
    userDataDir: userDataDir && path.resolve(userDataDir),
    extensionsDir: extensionsDir && path.resolve(extensionsDir),
    trust: !line.options.has('disable-workspace-trust'),
    timeoutMs: Number(process.env['VSCODE_HOST_TIMEOUT'] ?? 600_000),
  });
}

// The server's process group ends in its own exit handler.
for (const signal of ['SIGINT', 'SIGTERM'] as const) { process.once(signal, () => { process.exit(130); }); }
try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
setTimeout(() => { process.exit(); }, 3000).unref();
