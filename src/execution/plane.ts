import type { ApprovalOption } from '../protocol/approval/state.ts';

/** A command as it will be run: through a shell when `args` is null, else as the argument vector it states. */
export interface CommandSpec {
  readonly command: string;
  readonly args: readonly string[] | null;
  /** Absolute. */
  readonly cwd: string;
  /** Variables added to or replaced in the inherited environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Bytes of output kept for the caller; the oldest go first, never in the middle of a character. */
  readonly outputBytes: number;
}

export interface CommandExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface CommandOutput {
  readonly text: string;
  readonly truncated: boolean;
  readonly exit: CommandExit | null;
}

/** A command that was started. It runs in its own process group. */
export interface RunningCommand {
  readonly exited: Promise<CommandExit>;
  output(): CommandOutput;
  /** SIGTERM to the group now, SIGKILL after 1 s. Resolves when the group is gone. */
  kill(): Promise<void>;
  /**
   * Called with each piece of output that will not change any more: decoded, control sequences carried out. The whole
   * of it in order is the final text; the last piece comes before `exited` settles.
   */
  onSettled(listener: (text: string) => void): void;
  /** The last line while it may still be overwritten; it is not part of what onSettled has given yet. */
  unsettled(): string;
  /** How many pieces of output have come so far: what stands still writes none. */
  readonly received: number;
  /** True when it is seen to stand still in reading from a terminal, where nobody can type. */
  waitsForInput(): Promise<boolean>;
  /** True when the command itself has ended and left processes in its group. */
  hasLeftovers(): Promise<boolean>;
}

/** A text file as it is at this moment, unsaved edits included. */
export interface FileSnapshot {
  /** null: there is no such file. */
  readonly text: string | null;
  /** True when an open document holds text that differs from the disk. */
  readonly dirty: boolean;
}

/** What applying a text would come to at this moment. */
export interface EditPreview {
  /** The present text, unsaved edits included; null: no file. */
  readonly before: string | null;
  /** The text that would result, in the file's own line ends. */
  readonly after: string;
  /** True when the file has changed on the same lines since `base`; then `after` overwrites those changes. */
  readonly conflict: boolean;
}

/** free: whoever may allow edits may allow this one. ask: only a person may, each time. */
export type WriteRight = 'free' | 'ask';

/** What a file is to become again; null: it is to go. Text is written in the file's present encoding. */
export type RestoreTarget = { readonly text: string } | { readonly bytes: Uint8Array } | null;

/**
 * The bare execution plane: acts on files and processes and decides nothing. Nothing but the guard that wraps it
 * (host/guardedPlane) may call it. Paths are absolute; refused are path_refused (outside of the session's folder, no plain
 * file), link_leaves_folder, path_protected, file_read_only (writing), encoding_refused, binary_refused and too_large (text).
 */
export interface ExecutionPlane {
  read(path: string): Promise<FileSnapshot>;
  /** The file's bytes on disk; null: no file. too_large above what can be kept. */
  readBytes(path: string): Promise<Uint8Array | null>;
  /** Whether the path may be written at all, before anybody is asked. */
  checkWrite(path: string): Promise<WriteRight>;
  /** Changes nothing. Give `before` and `after` to `apply` to do exactly what was shown. */
  preview(path: string, base: string | null, text: string): Promise<EditPreview>;
  /**
   * Gives a file exactly this text, in its own encoding, or creates it. `base` is the text it must have at this moment, unsaved
   * edits included (null: no file): else edit_conflict, or file_deleted, and nothing is written.
   */
  apply(path: string, base: string | null, text: string): Promise<void>;
  /** Takes a change back: `present` is the text the file must have, as `base` of apply. */
  restore(path: string, present: string | null, target: RestoreTarget): Promise<void>;
  run(spec: CommandSpec): Promise<RunningCommand>;
}

/** `comment`: what the person said with a refusal. */
export type PermissionAnswer = { readonly outcome: 'selected'; readonly optionId: string; readonly comment?: string } | { readonly outcome: 'cancelled' };

/** A permission the agent asks for, already in display form. `toolCallId` is the agent's own id of the tool call. */
export interface PermissionRequest {
  readonly toolCallId: string;
  readonly title: string;
  readonly toolKind: string;
  readonly options: readonly ApprovalOption[];
  /** Diffs the agent shows with the request; texts are complete. */
  readonly changes: readonly { readonly path: string; readonly before: string | null; readonly after: string }[];
  /** The command, where the request is about one. */
  readonly command: { readonly command: string; readonly cwd: string } | null;
  readonly detail: string;
  /** The agent has said that it reads the comment in the answer; else the person's words go to it as the next message. */
  readonly hearsComments?: boolean;
  /** The agent has said that it writes through us what it was allowed, so that a person may allow a part of it. */
  readonly takesParts?: boolean;
}

export interface GuardedTerminal {
  readonly isRunning: boolean;
  readonly exited: Promise<CommandExit>;
  output(): CommandOutput;
  kill(): Promise<void>;
  /** Ends it when it still runs, and forgets it. */
  release(): Promise<void>;
}

/**
 * The only way from an agent through us to disk or shell. Every call belongs to the running turn; without one, after its
 * end, or after a cancel it is refused. Refusals are AttacheErrors.
 */
export interface GuardedPlane {
  /** `line` counts from 1, `limit` counts lines. */
  readText(path: string, range: { readonly line: number | null; readonly limit: number | null }): Promise<string>;
  /** Resolves when the edit was approved and applied; approval_rejected when it was not, edit_partly_approved when only a part was. */
  writeText(path: string, text: string, toolCallId: string | null): Promise<void>;
  createTerminal(spec: CommandSpec, toolCallId: string | null): Promise<GuardedTerminal>;
  /** `withdrawn` aborts when the agent takes its request back. */
  requestPermission(request: PermissionRequest, withdrawn?: AbortSignal): Promise<PermissionAnswer>;
}
