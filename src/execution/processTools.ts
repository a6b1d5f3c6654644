import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { AttacheError } from '../protocol/errors.ts';
import { errorCode } from './containment.ts';
import { OrphanGuard } from './orphanGuard.ts';
import { processMark } from './processList.ts';
import { ProcessTree } from './processTree.ts';

export interface ProcessStart {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Added to or replaced in the inherited environment. */
  readonly env: Readonly<Record<string, string>>;
  /** none: a reader of standard input finds it at its end. */
  readonly stdin: 'pipe' | 'none';
}

/** A process of ours in its own group. Ended with its whole tree, at the latest when this process dies. */
export interface OwnedProcess {
  readonly child: ChildProcess;
  /** SIGTERM to the tree now, SIGKILL after 1 s. Resolves when none of it is left. */
  kill(): Promise<void>;
  isTreeAlive(): Promise<boolean>;
  /** True when one of its tree is seen to stand still in reading from a terminal; what is not seen is false. */
  waitsForInput(): Promise<boolean>;
  /** This moment, for `killSince`. */
  mark(): number;
  /** Ends what was started in its tree since then and still runs. Resolves with how many processes that were. */
  killSince(mark: number): Promise<number>;
}

export interface ProcessTools {
  readonly clock: Clock;
  /** Rejects with execution_unavailable when it cannot be started. */
  start(start: ProcessStart): Promise<OwnedProcess>;
}

const markerName = 'ATTACHE_PROCESS_TREE';

/** The one place that starts processes for agents and commands. */
export function createProcessTools(clock: Clock): ProcessTools {
  const marker = `${markerName}=${randomBytes(12).toString('hex')}`;
  const guard = new OrphanGuard(marker);
  let count = 0;
  return {
    clock,
    async start(start) {
      count += 1;
      // The dot at its end keeps number 1 from being found in number 12.
      const own = `${marker}.${String(count)}.`;
      const child = spawnChild(start, own);
      const pid = await started(child, start);
      const watch = guard.watch(pid);
      const tree = new ProcessTree(pid, own, clock);
      await tree.learn();
      // From then on its number may be given away; what it left behind keeps it taken.
      const atEnd = async (): Promise<void> => {
        await tree.learn();
        if (!(await tree.isAlive())) watch.dispose();
      };
      let ended = Promise.resolve();
      if (child.exitCode === null && child.signalCode === null) child.once('exit', () => void (ended = atEnd()));
      else ended = atEnd();
      return {
        child,
        mark: processMark,
        killSince: (mark) => tree.killSince(mark),
        waitsForInput: () => tree.waitsForInput(),
        isTreeAlive: () => ended.then(() => tree.isAlive()),
        async kill() {
          await ended;
          await tree.kill();
          watch.dispose();
        },
      };
    },
  };
}

function spawnChild(start: ProcessStart, marker: string): ChildProcess {
  const [name, value] = marker.split('=');
  return spawn(start.command, [...start.args], {
    cwd: start.cwd,
    env: { ...inheritedEnvironment(process.env), ...start.env, [name ?? markerName]: value },
    stdio: [start.stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

async function started(child: ChildProcess, start: ProcessStart): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(startError(error, start)));
  });
  child.on('error', () => undefined);
  if (child.pid === undefined) throw startError(null, start);
  return child.pid;
}

function startError(error: unknown, start: ProcessStart): AttacheError {
  const code = errorCode(error);
  if (code === 'ENOENT') {
    return new AttacheError('execution_unavailable', { message: `“${start.command}” was not found, or the folder ${start.cwd} does not exist.`, next: 'Install it, or correct its path in the settings.' });
  }
  return new AttacheError('execution_unavailable', { message: `“${start.command}” could not be started (${code === '' ? 'unknown reason' : code}).` });
}

/** Without the variables by which an editor talks to its own children: in a child of ours they would be misread. */
export function inheritedEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !/^(ELECTRON_|VSCODE_(?!PORTABLE$))/.test(name)) kept[name] = value;
  }
  return kept;
}
