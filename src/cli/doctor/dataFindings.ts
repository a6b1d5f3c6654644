import fs from 'node:fs';
import path from 'node:path';
import type { DataRootPaths } from '../../connector/dataRoot.ts';
import { readDescriptor } from '../../connector/descriptor.ts';
import { gatewayFloor } from '../../protocol/gateway/descriptor.ts';
import { PROTOCOL_VERSIONS } from '../../protocol/version.ts';
import { bytes } from '../output/times.ts';
import { fine, wrong, type Finding } from './finding.ts';

const STORE = 'store.db';
const SQLITE_MAGIC = 'SQLite format 3\u0000';
const HEADER_BYTES = 100;
/** Where SQLite's header has the number that the gateway keeps its schema's in. */
const USER_VERSION_AT = 60;
const LOW_DISK_BYTES = 200 * 1024 * 1024;

/** What can be read of the data root without anybody's help, and without opening anything for writing. */
export function dataFindings(paths: DataRootPaths): Finding[] {
  const root = rootFinding(paths.root);
  if (!fs.existsSync(paths.root)) return [root];
  return [root, descriptorFinding(paths), privateFile('Token', paths.token), floorFinding(paths.floor), lockFinding(paths.lock), storeFinding(paths.root), diskFinding(paths.root)];
}

function rootFinding(root: string): Finding {
  const found = statOf(root);
  if (found === null) return fine('Data folder', `${root} is not there yet; the first start makes it`);
  if (!found.isDirectory()) return wrong('Data folder', `${root} is not a folder`, 'Move it away, or name another folder in ATTACHE_DATA_ROOT.');
  if (process.platform === 'win32') return fine('Data folder', root);
  if (found.uid !== process.getuid?.()) return wrong('Data folder', `${root} belongs to another user`, 'Name a folder of your own in ATTACHE_DATA_ROOT.');
  if ((found.mode & 0o077) !== 0) return wrong('Data folder', `${root} can be entered by others (${modeOf(found)})`, `Close it: chmod 700 ${root}`);
  return fine('Data folder', `${root}, yours alone`);
}

function descriptorFinding(paths: DataRootPaths): Finding {
  if (!fs.existsSync(paths.descriptor)) return fine('Descriptor', 'none: no gateway has announced itself');
  const found = readDescriptor(paths);
  if (found === null) return wrong('Descriptor', `${path.basename(paths.descriptor)} cannot be read`, 'The next start of the gateway replaces it: open the Attaché chat in a window.');
  return fine('Descriptor', `gateway ${found.version}, process ${found.pid}, protocol ${found.protocolRange.join(' to ')}`);
}

function privateFile(name: string, file: string): Finding {
  const found = statOf(file);
  if (found === null) return fine(name, 'none yet');
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) return wrong(name, `${file} can be read by others (${modeOf(found)})`, `Restart the gateway, which makes a new one: chmod 600 ${file}`);
  return fine(name, 'there, yours alone');
}

function floorFinding(file: string): Finding {
  const text = readText(file);
  if (text === null) return fine('Version floor', 'none');
  const floor = parsed(text);
  if (floor === null) return wrong('Version floor', `${path.basename(file)} cannot be read`, 'Update the extension and this command line; then remove the file.');
  const newest = Math.max(...PROTOCOL_VERSIONS);
  if (floor > newest) return wrong('Version floor', `a newer version (protocol ${floor}) has used this data; this one speaks ${newest}`, 'Update the extension: this command line comes with it.');
  return fine('Version floor', `protocol ${floor}`);
}

function parsed(text: string): number | null {
  try {
    return gatewayFloor.safeParse(JSON.parse(text)).data?.minGatewayVersion ?? null;
  } catch {
    return null;
  }
}

function lockFinding(file: string): Finding {
  const head = headOf(file);
  if (head === null) return fine('Lock', 'none yet');
  if (head.length === 0 || head.toString('latin1', 0, 16) === SQLITE_MAGIC) return fine('Lock', 'there; a running gateway holds it, and nobody else can');
  return wrong('Lock', `${file} is no lock of ours`, 'Move it away; the next start makes a new one.');
}

/** Reads the file's header only: nothing is opened as a database, and nothing written. */
function storeFinding(root: string): Finding {
  const file = path.join(root, STORE);
  const size = statOf(file)?.size;
  if (size === undefined) {
    // The gateway leaves a mark beside the store, so that one that vanished is told from one that never was.
    if (!fs.existsSync(`${file}-marker`)) return fine('Store file', 'none yet');
    return wrong('Store file', `${file} was there and has vanished`, 'Bring it back from your own backup, or start the gateway: it uses its last backup, if there is one.');
  }
  const head = headOf(file);
  if (head === null) return wrong('Store file', `${file} cannot be read`, 'Look at its owner and permissions.');
  if (head.length < HEADER_BYTES || head.toString('latin1', 0, 16) !== SQLITE_MAGIC) {
    return wrong('Store file', `${file} is ${size === 0 ? 'empty' : 'damaged'}: it has no header of a database`, 'Start the gateway: it keeps the damaged file aside and saves what can be saved.');
  }
  const wal = statOf(`${file}-wal`)?.size ?? 0;
  return fine('Store file', `${bytes(size)}${wal === 0 ? '' : ` and ${bytes(wal)} of log`}, schema ${head.readUInt32BE(USER_VERSION_AT)}`);
}

function diskFinding(root: string): Finding {
  try {
    const { bavail, bsize } = fs.statfsSync(root);
    const free = bavail * bsize;
    return free < LOW_DISK_BYTES ? wrong('Disk', `only ${bytes(free)} free`, 'Free some space: nothing can be written when it is full.') : fine('Disk', `${bytes(free)} free`);
  } catch (error) {
    return wrong('Disk', `cannot be asked: ${error instanceof Error ? error.message : String(error)}`, 'Look whether the disk is there.');
  }
}

function statOf(file: string): fs.Stats | null {
  try {
    return fs.statSync(file);
  } catch {
    return null;
  }
}

function headOf(file: string): Buffer | null {
  try {
    const handle = fs.openSync(file, 'r');
    try {
      const head = Buffer.alloc(HEADER_BYTES);
      return head.subarray(0, fs.readSync(handle, head, 0, HEADER_BYTES, 0));
    } finally {
      fs.closeSync(handle);
    }
  } catch {
    return null;
  }
}

function readText(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

const modeOf = ({ mode }: fs.Stats): string => (mode & 0o777).toString(8);
