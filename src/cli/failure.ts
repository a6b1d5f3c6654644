import { type AttacheError, asAttacheError, ERRORS, type ErrorKind } from '../protocol/errors.ts';

/** What the process says by its exit code. `docs/cli.md` lists them. */
export const EXIT = {
  ok: 0,
  /** Refused by the gateway, or failed for another reason. */
  failed: 1,
  usage: 2,
  notFound: 3,
  /** No gateway answers, or none can be used. */
  unavailable: 4,
  /** What was waited for is a turn that did not complete. */
  turnNotCompleted: 5,
  /** Ctrl+C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface CatalogueEntry {
  readonly exit: ExitCode;
  readonly message: string;
  readonly next: string;
}

/** Failures of the command line itself. What the gateway refuses has its kinds in the protocol. */
const FAILURES = {
  usage: { exit: EXIT.usage, message: 'The command was not understood.', next: 'Run “attache --help”.' },
  ambiguous_id: { exit: EXIT.usage, message: 'More than one thing is meant by that.', next: 'Give more characters of the id.' },
  confirmation_needed: { exit: EXIT.usage, message: 'This needs a person’s yes, and there is no terminal to ask on.', next: 'Add --yes when you have seen what it does.' },
  option_needed: { exit: EXIT.usage, message: 'The agent offers no plain answer of that kind.', next: 'Choose one of its answers with --option.' },
  file_exists: { exit: EXIT.failed, message: 'That file exists already.', next: 'Choose another name, or add --force to replace it.' },
  file_failed: { exit: EXIT.failed, message: 'The file could not be written.', next: 'Look at the folder and its permissions.' },
  not_confirmed: { exit: EXIT.failed, message: 'Nothing was done.', next: 'Run the command again when you are sure.' },
  nothing_running: { exit: EXIT.failed, message: 'No turn is running in this session.', next: 'Nothing is to be stopped.' },
  nothing_to_retry: { exit: EXIT.failed, message: 'The last turn of this session does not need another try.', next: 'Send a message instead.' },
  node_unsuitable: { exit: EXIT.unavailable, message: 'No gateway is running, and no Node that can start one was found.', next: 'Open the folder in VS Code, or name a Node of 22.13 or newer in ATTACHE_NODE.' },
  interrupted: { exit: EXIT.interrupted, message: 'Interrupted.', next: 'Run the command again when you like.' },
  unexpected: { exit: EXIT.failed, message: 'Something unexpected happened.', next: 'Run “attache doctor”.' },
} as const satisfies Record<string, CatalogueEntry>;
export type FailureKind = keyof typeof FAILURES;

/** The command line gives up, with a reason of its own. */
export class CliFailure extends Error {
  readonly kind: FailureKind;
  readonly exit: ExitCode;
  readonly next: string;
  /** What the failure is about, for programs. */
  readonly entity: unknown;

  constructor(kind: FailureKind, detail: { readonly message?: string; readonly next?: string; readonly entity?: unknown } = {}) {
    super(detail.message ?? FAILURES[kind].message);
    this.name = 'CliFailure';
    this.kind = kind;
    this.exit = FAILURES[kind].exit;
    this.next = detail.next ?? FAILURES[kind].next;
    this.entity = detail.entity;
  }
}

const NOT_FOUND: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['not_found', 'gone', 'goal_not_registered']);
const UNAVAILABLE: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'gateway_unavailable', 'connection_closed', 'unauthenticated', 'unsupported_version', 'gateway_outdated', 'draining', 'too_many_connections', 'store_unreadable',
]);

/** A failure as people and programs are told of it. */
export interface Told {
  readonly kind: string;
  /** The protocol's number, null for the command line's own. */
  readonly code: number | null;
  readonly message: string;
  readonly next: string;
  readonly exit: ExitCode;
  readonly entity?: unknown;
}

export function tell(error: unknown): Told {
  const known = asAttacheError(error);
  if (known !== null) {
    const { kind, code, message, data } = known;
    return { kind, code, message: message === '' ? ERRORS[kind].message : message, next: nextStep(known), exit: exitOf(kind), ...(data.entity === undefined ? {} : { entity: data.entity }) };
  }
  const failure = error instanceof CliFailure ? error : new CliFailure('unexpected', { message: `${error instanceof Error ? error.message : String(error)}` });
  return { kind: failure.kind, code: null, message: failure.message, next: failure.next, exit: failure.exit, ...(failure.entity === undefined ? {} : { entity: failure.entity }) };
}

/** The next step in the words of this client: the catalogue's speak of the editor's commands. */
function nextStep({ kind, data }: AttacheError): string {
  return data.next === ERRORS[kind].next ? (HERE[kind] ?? data.next) : data.next;
}

const HERE: Partial<Record<ErrorKind, string>> = {
  unsupported_version: 'Update the older of the two: this command line, or the extension.',
  gateway_unavailable: 'Run “attache doctor” to see why.',
  too_many_connections: 'Close a window or another command line that uses it.',
  gateway_outdated: 'Update this command line: it comes with the extension.',
  not_found: 'Look at the list again; it may have been deleted.',
  gone: 'If it was deleted less than seven days ago, “attache undelete” with its whole id brings it back.',
  workspace_untrusted: 'Run it without --read-only (ATTACHE_READ_ONLY) when you trust the folder.',
  workspace_not_granted: 'Name the folder with --workspace.',
  goal_not_registered: 'List the goals with “attache goals”, or make one with “attache goal new”.',
  goal_retired: 'Go on with “attache goal recreate”.',
  registry_unavailable: 'Run “attache doctor”.',
  store_unreadable: 'Run “attache doctor”.',
  storage_full: 'Free some space, for example with “attache gc”, then try again.',
  stale_goal_instance: 'Start a new session for the goal in a window.',
  session_closed: 'Start a new session in a window.',
  approval_changed: 'Look at it again with “attache approvals”, then answer.',
};

function exitOf(kind: ErrorKind): ExitCode {
  if (NOT_FOUND.has(kind)) return EXIT.notFound;
  return UNAVAILABLE.has(kind) ? EXIT.unavailable : EXIT.failed;
}
