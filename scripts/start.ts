// The main job: a real VS Code with the extension, a demo workspace and the built-in offline agent.
//   node scripts/start.ts [--smoke] [--theme dark|light|hc|hc-light]
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type ThemeName, themes } from '../test/support/vscodeHost/settings.ts';
import { smoke } from './smoke.ts';
import { startVsCode } from './startVsCode.ts';

const root = path.resolve(import.meta.dirname, '..');

function parse(args: readonly string[]): { smoke: boolean; theme: ThemeName } {
  const { values } = parseArgs({ args: [...args], options: { smoke: { type: 'boolean', default: false }, theme: { type: 'string', default: 'dark' } } });
  if (!isTheme(values.theme)) { throw new Error(`there is no theme ${values.theme}: choose one of ${Object.keys(themes).join(', ')}`); }
  return { smoke: values.smoke, theme: values.theme };
}

function isTheme(text: string): text is ThemeName {
  return text in themes;
}

try {
  const options = parse(process.argv.slice(2));
  console.log('[start] building...');
  execFileSync(process.execPath, [path.join(root, 'scripts/build.ts')], { stdio: 'inherit' });
  await (options.smoke ? smoke(options.theme) : startVsCode(options.theme));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
