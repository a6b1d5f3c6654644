import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import path from 'node:path';

const cachePath = path.resolve(import.meta.dirname, '../.vscode-test');

/** The desktop VS Code binary, downloaded when needed; undefined where code-server is to be used instead. */
export async function desktopVsCode(host: string): Promise<string | undefined> {
  if (host === 'code-server') { return undefined; }
  if (host === 'auto' && !hasDisplay()) { return undefined; }
  try {
    return await downloadAndUnzipVSCode({ version: process.env['VSCODE_VERSION'] ?? 'stable', cachePath, timeout: 15_000 });
  } catch (error) {
    if (host === 'desktop') { throw error; }
    console.log(`no desktop VS Code here (${error instanceof Error ? error.message : String(error)}): using code-server instead`);
    return undefined;
  }
}

function hasDisplay(): boolean {
  return process.platform !== 'linux' || process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined;
}
