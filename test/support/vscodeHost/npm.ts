import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export const installFlags = ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-package-lock'] as const;

/** Runs npm in a folder; its whole output is in the error when it fails. */
export async function npm(args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)('npm', [...args], { cwd, env: cleanEnv(), maxBuffer: 64e6 });
  } catch (error) {
    const { stdout = '', stderr = String(error) } = error as { stdout?: string; stderr?: string };
    throw new Error(`npm ${args.join(' ')} failed in ${cwd}\n${stdout}\n${stderr}`, { cause: error });
  }
}

// A surrounding "npm test" hands its own settings down, and some of them change what an install does.
function cleanEnv(): NodeJS.ProcessEnv {
  const leaked = /^npm_(config_(local_prefix|global|workspace.*|omit|include|only|production)|package_|lifecycle_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !leaked.test(name)));
}
