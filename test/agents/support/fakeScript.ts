/**
 * The script of a fake agent, as JSON. Texts anywhere in it may hold {{prompt}}, {{cwd}}, {{sessionId}},
 * {{n}} (number of the prompt in this process, from 1) and, inside of `repeat`, {{i}} (from 1).
 */
export type FakeScript = {
  /** Laid over the default answer of `initialize`, verbatim: capabilities, agentInfo, authMethods… */
  readonly initialize?: Readonly<Record<string, unknown>>;
  /** Methods that answer late (ms). */
  readonly delays?: Readonly<Record<string, number>>;
  /** Methods that answer with an error, verbatim. */
  readonly errors?: Readonly<Record<string, FakeError>>;
  /** Methods that never answer. */
  readonly silent?: readonly string[];
  /** Laid over the answers of session/new, session/load and session/resume: modes, configOptions… */
  readonly session?: Readonly<Record<string, unknown>>;
  /** Sent as session/update right after session/new, verbatim. */
  readonly afterNew?: readonly Step[];
  /** Steps played before session/load is answered. Default: none. */
  readonly replay?: readonly Step[];
  /** `known`: only ids that this script's log has seen are loaded, others get -32002. Default: any id. */
  readonly loadOnly?: 'known';
  /** What session/cancel does. Default `obey`. */
  readonly onCancel?: 'obey' | 'ignore' | { readonly ignoreForMs: number };
  readonly ignoreStdinClose?: boolean;
  readonly ignoreSigterm?: boolean;
  /** Steps played once at process start, before anything is read (children, noise on stdout). */
  readonly onStart?: readonly Step[];
  /** The first entry whose `match` fits the prompt's text; else entries without `match` in turn, the last one again and again. */
  readonly prompts?: readonly FakePrompt[];
};

export type FakePrompt = {
  /** A regular expression. */
  readonly match?: string;
  readonly steps: readonly Step[];
  /** Default end_turn. */
  readonly stopReason?: string;
  /** Laid over the answer, e.g. `_meta` or `usage`. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** Answers with this error instead. */
  readonly error?: FakeError;
  /** Played after the answer went out: late updates and requests. */
  readonly afterEnd?: readonly Step[];
};

export type FakeError = { readonly code: number; readonly message: string; readonly data?: unknown };

/** One thing the agent does. Exactly one key. */
export type Step =
  | { readonly text: string | TextStep }
  | { readonly thought: string | TextStep }
  /** Numbered lines `<prefix>1`, `<prefix>2`…, each one chunk, padded to `size`. */
  | { readonly lines: { readonly count: number; readonly delayMs?: number; readonly size?: number; readonly prefix?: string } }
  /** `[content, status, priority?]`. */
  | { readonly plan: readonly (readonly [string, string, string?])[] }
  /** Verbatim, except that `sessionUpdate` is added. */
  | { readonly toolCall: Verbatim }
  | { readonly toolUpdate: Verbatim }
  /** Any session/update, verbatim, also of an unknown kind. */
  | { readonly update: Verbatim }
  | { readonly permission: PermissionStep }
  /** All at once, `gapMs` apart; goes on when all are answered. */
  | { readonly permissions: { readonly requests: readonly PermissionStep[]; readonly gapMs?: number } }
  | { readonly read: Verbatim }
  | { readonly write: Verbatim }
  /** The agent writes the file itself, as agents do that only ask. */
  | { readonly applyWrite: { readonly path: string; readonly content: string } }
  | { readonly terminal: TerminalStep }
  /** Any request to the client; the answer is logged under `id`. */
  | { readonly request: { readonly id?: string; readonly method: string; readonly params: unknown; readonly noWait?: boolean } }
  | { readonly notify: { readonly method: string; readonly params: unknown } }
  | { readonly sleep: number }
  /** Never goes on; cancel ends it unless `onCancel` says otherwise. */
  | { readonly hang: true }
  | { readonly crash: { readonly code?: number; readonly signal?: 'SIGKILL' | 'SIGTERM' | 'SIGSEGV' } }
  /** A child (a stub of a tool server) that starts `sleep` itself; both outlive the turn. */
  | { readonly spawnChild: { readonly seconds?: number; readonly detached?: boolean; readonly ignoreSigterm?: boolean } }
  /** Written to stdout as it is, with a line end. */
  | { readonly raw: string }
  | { readonly stderr: string }
  /** One text chunk of this many characters on one line. */
  | { readonly hugeText: number }
  | { readonly repeat: { readonly times: number; readonly steps: readonly Step[] } }
  | { readonly parallel: readonly (readonly Step[])[] };

export type Verbatim = Readonly<Record<string, unknown>>;
export type TextStep = { readonly chunks: readonly string[]; readonly delayMs?: number; readonly messageId?: string };

export type PermissionStep = {
  /** Name in the log; by default the number of the request. */
  readonly id?: string;
  /** Verbatim; may lack anything. */
  readonly toolCall?: Verbatim;
  /** Verbatim, odd names included. Default: allow_once "Allow", reject_once "Reject". */
  readonly options?: readonly unknown[];
  /** By the optionId that was chosen, `cancelled`, `error`, or `else`. */
  readonly then?: Readonly<Record<string, readonly Step[]>>;
};

export type TerminalStep = {
  readonly id?: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly outputByteLimit?: number;
  /** A tool call that shows the terminal. */
  readonly toolCallId?: string;
  /** Kills it after this long instead of waiting for its end. */
  readonly killAfterMs?: number;
  /** Leaves it running and unreleased. */
  readonly abandon?: boolean;
};

/** One line of the log. `event` says what happened; everything the agent was sent is in it verbatim. */
export type FakeLogEntry = { readonly t: number; readonly pid: number; readonly event: string; readonly [key: string]: unknown };
