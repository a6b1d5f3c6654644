import type { Event } from '../base/event.ts';
import type { GuardedPlane } from '../execution/plane.ts';
import type { ReportOp } from '../protocol/host/commands.ts';
import type { FileChange } from '../protocol/item/state.ts';
import type { AgentState } from '../protocol/session/state.ts';
import type { AttachedContent } from '../protocol/turn/attachment.ts';
import type { Usage } from '../protocol/turn/state.ts';

/** How to start one agent process. */
export interface AgentLaunch {
  readonly agentId: string;
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; also the working folder given to the agent's session. */
  readonly cwd: string;
}

/** How the process ended. `message` and `next` are for people. */
export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly message: string;
  readonly next: string;
  /** We ended it, so that there is nothing to be told or to be mended. */
  readonly wanted: boolean;
  /** The last lines of its stderr, secrets redacted. */
  readonly stderr: string;
}

/** What became of the agent's own conversation. `lost`: it could not be loaded and a new one was begun; the person is told. */
export type Restored = 'new' | 'loaded' | 'resumed' | 'lost';

export type TurnEnd =
  /** `lastMessageKey`: the itemKey of the agent's last message, null when it said nothing. */
  | { readonly outcome: 'completed'; readonly stopReason: string; readonly lastMessageKey: string | null; readonly usage: Usage | null }
  | { readonly outcome: 'failed'; readonly code: string; readonly message: string; readonly next: string; readonly usage: Usage | null }
  /**
   * `forced`: the agent did not stop by itself and its process was ended. `strays`: what it was running itself, would have
   * left running, and was ended after it.
   */
  | { readonly outcome: 'cancelled'; readonly forced: boolean; readonly strays: readonly string[]; readonly usage: Usage | null };

/** A change as an agent shows it; texts are complete as far as the agent gives them. */
export interface ShownChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** A picture as an agent sent it; `mimeType` is what the agent says. */
export interface SentPicture {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** Takes what happens in a turn, in order. Deltas may be merged on the way; nothing is reordered. */
export interface TurnSink {
  report(ops: readonly ReportOp[]): void;
  /** Makes a change displayable and keeps its texts. */
  describe(change: ShownChange): FileChange;
  /** Keeps a picture's bytes and gives what names them in an item; null: it cannot be shown. */
  keepPicture(picture: SentPicture): AttachedContent | null;
  /** Something that was left out and only a maintainer may want to know. */
  log(message: string): void;
}

/** One thing that goes with a prompt. */
export interface PromptAttachment {
  readonly name: string;
  /** Absolute; null: it is not in the file system. */
  readonly path: string | null;
  /** Of the file at `path`, both ends included, from 1; null: all of it. */
  readonly lines: { readonly first: number; readonly last: number } | null;
  readonly isFolder: boolean;
  /** Null: it is only named, and the agent reads it itself. */
  readonly content: { readonly mimeType: string; readonly bytes: Uint8Array } | null;
}

export interface PromptInput {
  readonly text: string;
  readonly attachments: readonly PromptAttachment[];
  /** Given before the first prompt of a new conversation: the goal's objective, empty when there is none. */
  readonly context: string;
}

/** One agent process with one conversation. Owned by the session that started it and ended with it. */
export interface Agent {
  readonly state: AgentState;
  readonly onStateChanged: Event<AgentState>;
  readonly agentSessionId: string;
  readonly restored: Restored;
  /** Settles once, when the process is gone. */
  readonly exited: Promise<AgentExit>;
  /**
   * Runs one turn. `signal` asks the agent to stop; the promise settles when it has, or when its process ended. Before it
   * settles every item the agent left open has been ended through the sink. An attachment that the agent does not take
   * fails the turn (attachment_not_taken) before anything is sent.
   */
  prompt(input: PromptInput, plane: GuardedPlane, sink: TurnSink, signal: AbortSignal): Promise<TurnEnd>;
  /** Changes a mode, model or other option; `id` as in AgentState.options. */
  setOption(id: string, value: string): Promise<void>;
  /** Ends the process and its whole tree. Resolves when none of it is left. */
  dispose(): Promise<void>;
}

export interface AgentStart {
  readonly launch: AgentLaunch;
  /** The agent's id of an earlier conversation to go on with, or null. */
  readonly resume: string | null;
  /** Aborted: the start is given up and its process ended. */
  readonly signal?: AbortSignal;
}

/** Starts agents. Rejects with execution_unavailable or agent_authentication_required. */
export interface AgentRuntime {
  start(start: AgentStart): Promise<Agent>;
}
