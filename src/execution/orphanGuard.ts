import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { toDisposable, type Disposable } from '../base/disposable.ts';

// Reads "+ group" and "- group" until this process is gone, by whatever means, then ends what is still listed.
const script = `
trap '' HUP INT TERM
groups=
while read -r op id; do
  case $op in
    +) groups="$groups $id" ;;
    -) kept=; for g in $groups; do [ "$g" = "$id" ] || kept="$kept $g"; done; groups=$kept ;;
  esac
done
[ -n "$groups" ] || exit 0
strays() { grep -ls "$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do [ "$pid" = $$ ] || echo "$pid"; done; }
for g in $groups; do kill -TERM -- "-$g"; done 2>/dev/null
sleep 1
for g in $groups; do kill -KILL -- "-$g"; done 2>/dev/null
for p in $(strays "$1"); do kill -KILL "$p"; done 2>/dev/null
`;

/**
 * Ends the process groups that this process started when it dies without a chance to do so itself. One small shell,
 * started with the first group. POSIX only.
 */
export class OrphanGuard {
  readonly #marker: string;
  readonly #groups = new Set<number>();
  #shell: ChildProcess | null = null;

  /** `marker`: text in the environment of everything this process starts. */
  constructor(marker: string) {
    this.#marker = marker;
  }

  watch(group: number): Disposable {
    if (process.platform === 'win32') return toDisposable(() => undefined);
    this.#groups.add(group);
    this.#tell(`+ ${String(group)}\n`);
    return toDisposable(() => {
      this.#groups.delete(group);
      this.#tell(`- ${String(group)}\n`);
    });
  }

  #tell(line: string): void {
    if (this.#shell === null) {
      // What the shell knows is told anew to a new one.
      for (const group of this.#groups) this.#start().stdin?.write(`+ ${String(group)}\n`);
      return;
    }
    this.#shell.stdin?.write(line);
  }

  #start(): ChildProcess {
    if (this.#shell !== null) return this.#shell;
    const shell = spawn('/bin/sh', ['-c', script, 'attache-orphan-guard', this.#marker], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#shell = shell;
    const forget = (): void => {
      if (this.#shell === shell) this.#shell = null;
    };
    shell.once('error', forget);
    shell.once('exit', forget);
    shell.stdin.on('error', forget);
    shell.unref();
    if (shell.stdin instanceof Socket) shell.stdin.unref();
    return shell;
  }
}
