import type { ChildProcess } from 'node:child_process';

/** A process that was started in a group of its own and is ended with its whole tree. */
export interface OwnedProcess {
  readonly child: ChildProcess;
  /** SIGTERM to the tree now, SIGKILL after 1 s. Resolves when none of it is left. */
  kill(): Promise<void>;
  /** This moment, for `killSince`. */
  mark(): number;
  /** Ends what was started in its tree since then and still runs. Resolves with how many processes that were. */
  killSince(mark: number): Promise<number>;
}

/** Starts processes; given by whoever puts the parts together. Rejects with execution_unavailable. */
export interface ProcessStarter {
  start(start: {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly stdin: 'pipe' | 'none';
  }): Promise<OwnedProcess>;
}
