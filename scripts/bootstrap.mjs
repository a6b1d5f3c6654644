// Makes a plain clone ready and goes on under the Node this project pins. Plain JavaScript without dependencies: it is
// the one file that the system's own Node (20 or newer) runs.
//   node scripts/bootstrap.mjs <script> [argument]...
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname ?? '.', '..');
const bin = path.join(root, 'node_modules', '.bin');
const windows = process.platform === 'win32';
const pinnedNode = path.join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');

function say(text) { process.stderr.write(`[setup] ${text}\n`); }

function stop(text) {
  say(text);
  process.exit(1);
}

function checkNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) { stop(`Node ${process.versions.node} is too old: install Node 20 or newer (https://nodejs.org) and try again.`); }
}

/** Whether node_modules holds what package-lock.json lists, by the record npm keeps there itself. */
function installed() {
  const present = packages(path.join(root, 'node_modules', '.package-lock.json'));
  const wanted = packages(path.join(root, 'package-lock.json'));
  return Object.entries(wanted).every(([place, { version, optional, link }]) =>
    place === '' || optional || link || present[place]?.version === version);
}

function packages(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).packages : {};
}

function npm(args) {
  const result = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: windows, env: npmEnv() });
  return result.status === 0;
}

// npm passes its own settings on to scripts; some of them would change what a nested install does.
function npmEnv() {
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (/^npm_(config_(local_prefix|global|workspace.*|omit|include|only|production|ignore_scripts)|package_|lifecycle_)/i.test(name)) { delete env[name]; }
  }
  return env;
}

function install() {
  const fresh = !fs.existsSync(path.join(root, 'node_modules'));
  say(fresh ? 'no node_modules: installing what package-lock.json lists (about a minute)...' : 'package-lock.json has changed: installing again...');
  const started = Date.now();
  if (!npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'])) { stop('npm ci failed; its own words are above.'); }
  say(`installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

function works(command, args) {
  try {
    return execFileSync(command, args, { stdio: ['ignore', 'pipe', 'ignore'], cwd: root }).toString().trim();
  } catch {
    return undefined;
  }
}

function wantedNode() {
  return JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).devDependencies.node;
}

/** The pinned Node comes from an install script, which npm may be told not to run. */
function ensureNode() {
  const wanted = wantedNode();
  const right = () => works(pinnedNode, ['--version']) === `v${wanted}`;
  if (right()) { return; }
  say(`fetching Node ${wanted} from the npm registry (install scripts did not run)...`);
  npm(['rebuild', 'node', '--ignore-scripts=false', '--foreground-scripts']);
  if (!right()) { placeNode(wanted); }
  if (!right()) { stop(`Node ${wanted} could not be installed: run "npm rebuild node" in ${root} to see why.`); }
}

function placeNode(wanted) {
  const os = windows ? 'win' : process.platform;
  const prefix = os === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${os}-${process.arch}`;
  const folder = path.join(root, 'node_modules', '.cache', 'pinned-node');
  fs.mkdirSync(folder, { recursive: true });
  if (!npm(['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${wanted}`])) { return; }
  fs.mkdirSync(path.dirname(pinnedNode), { recursive: true });
  fs.copyFileSync(path.join(folder, 'node_modules', name, 'bin', path.basename(pinnedNode)), pinnedNode);
  fs.chmodSync(pinnedNode, 0o755);
}

/** esbuild's launcher works without its install script, as long as npm placed the binary for this platform. */
function ensureEsbuild() {
  const run = () => works(pinnedNode, [path.join(root, 'node_modules', 'esbuild', 'bin', 'esbuild'), '--version'])
    ?? works(path.join(root, 'node_modules', 'esbuild', 'bin', 'esbuild'), ['--version']);
  if (run() !== undefined) { return; }
  say('esbuild has no binary for this platform yet: repairing...');
  npm(['rebuild', 'esbuild', '--ignore-scripts=false', '--foreground-scripts']);
  if (run() === undefined) { stop('esbuild does not run here: delete node_modules and try again with "npm ci --include=optional".'); }
}

function goOn([script, ...args]) {
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${path.dirname(pinnedNode)}${path.delimiter}${process.env.PATH ?? ''}` };
  const child = spawn(pinnedNode, [path.join(root, script), ...args], { cwd: root, stdio: 'inherit', env });
  // A terminal sends Ctrl-C to the whole group; the child decides when it is done.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => stop(error.message));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 130 : 1)));
}

checkNode();
if (!installed()) { install(); }
ensureNode();
ensureEsbuild();
goOn(process.argv.slice(2));
