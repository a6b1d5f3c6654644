import { type ChildProcess, spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly limitMs: number;
}

const graceMs = 8000;

const running = new Set<ChildProcess>();

/** Runs a command in its own process group, which is ended when time is up or this process is told to stop. Resolves to why it failed, if it did. */
export async function run(command: string, args: readonly string[], { cwd, env, limitMs }: RunOptions): Promise<string | undefined> {
  const child = spawn(command, args, { cwd, env: env ?? process.env, stdio: 'inherit', detached: true });
  running.add(child);
  let timedOut = false;
  const timer = setTimeout(() => { timedOut = true; endGroup(child); }, limitMs);
  const outcome = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => { resolve(error.message); });
    child.once('exit', (code, signal) => { resolve(code === 0 ? undefined : `exit ${code ?? signal}`); });
  });
  clearTimeout(timer);
  killGroup(child);
  running.delete(child);
  return timedOut ? `stopped after ${Math.round(limitMs / 1000)} s` : outcome;
}

/** Asks first: what has started servers of its own stops them when asked. */
function endGroup(child: ChildProcess): void {
  stopGroup(child, 'SIGTERM');
  setTimeout(() => { killGroup(child); }, graceMs).unref();
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) { return; }
  try { process.kill(-child.pid, 'SIGKILL'); } catch { /* the whole group is gone */ }
}

/** Makes Ctrl-C and SIGTERM end what `run` has started, too. */
export function stopChildrenOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      for (const child of running) { stopGroup(child, signal); }
      setTimeout(() => { for (const child of running) { killGroup(child); } process.exit(130); }, graceMs);
    });
  }
}

function stopGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try { if (child.pid !== undefined) { process.kill(-child.pid, signal); } } catch { /* already gone */ }
}
