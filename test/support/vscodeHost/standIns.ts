import fs from 'node:fs/promises';
import path from 'node:path';
import { existsSync } from 'node:fs';

const spdlog = `// Stands in for the native @vscode/spdlog: appends to the log file.
const fs = require('node:fs');
const path = require('node:path');
const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
class Logger {
  constructor(name, file) {
    this.file = file; this.level = 2; this.raw = false;
    try { fs.mkdirSync(path.dirname(file), { recursive: true }); } catch {}
  }
  write(level, text) {
    if (level < this.level) { return; }
    const stamp = new Date().toISOString().replace('T', ' ').replace('Z', '');
    try { fs.appendFileSync(this.file, this.raw ? text : stamp + ' [' + levels[level] + '] ' + text + '\\n'); } catch {}
  }
  setLevel(level) { this.level = level; }
  getLevel() { return this.level; }
  setPattern() { this.raw = false; }
  clearFormatters() { this.raw = true; }
  flush() {}
  drop() {}
}
['trace', 'debug', 'info', 'warn', 'error', 'critical'].forEach((name, index) => {
  Logger.prototype[name] = function (text) { this.write(index, text); };
});
exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.shutdown = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = exports.createAsyncRotatingLogger = async (name, file) => new Logger(name, file);
`;

const copyFile = `const fs = require('node:fs');
exports.constants = fs.constants;
exports.isCloneSupported = () => false;
exports.copyFile = (from, to, mode) => fs.promises.copyFile(from, to, mode);
exports.copyFileSync = fs.copyFileSync;
exports.cp = fs.promises.cp;
`;

/** Puts plain JavaScript where code-server has native add-ons that would need a compiler, and leaves out what only costs time. */
export async function placeStandIns(root: string, vscode: string): Promise<void> {
  const modules = path.join(vscode, 'node_modules');
  // Without it VS Code starts, but has no log files and writes an error for each.
  await fs.writeFile(path.join(modules, '@vscode/spdlog/index.js'), spdlog);
  for (const name of ['native-watchdog', '@vscode/native-watchdog']) {
    if (existsSync(path.join(modules, name))) { await fs.writeFile(path.join(modules, name, 'index.js'), 'exports.start = () => {};\n'); }
  }
  await placeCopyFile(path.join(modules, '@vscode/fs-copyfile'));
  // 19 MB of workbench.js would be compressed anew for every page: 2 s of CPU each time.
  await fs.writeFile(path.join(root, 'node_modules/compression/index.js'), 'module.exports = () => (request, response, next) => next();\n');
  // 300 MB that an extension test does not use.
  for (const unused of [path.join(modules, '@github'), path.join(modules, '@microsoft/mxc-sdk'), path.join(vscode, 'extensions/copilot')]) {
    await fs.rm(unused, { recursive: true, force: true });
  }
}

// The built-in git extension does not activate without this one.
async function placeCopyFile(folder: string): Promise<void> {
  await fs.rm(folder, { recursive: true, force: true });
  await fs.mkdir(folder, { recursive: true });
  await fs.writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: '@vscode/fs-copyfile', version: '2.0.0', main: 'index.js' }));
  await fs.writeFile(path.join(folder, 'index.js'), copyFile);
}

/** Older lines ship the ripgrep package without its binary. */
export async function placeRipgrep(root: string, vscode: string, platform: string): Promise<void> {
  const folder = path.join(vscode, 'node_modules/@vscode/ripgrep');
  const target = path.join(folder, 'bin/rg');
  if (!existsSync(folder) || existsSync(target)) { return; }
  await fs.mkdir(path.dirname(target), { recursive: true });
  await fs.copyFile(path.join(root, `node_modules/@vscode/ripgrep-${platform}/bin/rg`), target);
  await fs.chmod(target, 0o755);
}
