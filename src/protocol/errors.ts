import { isRecord } from '../base/isRecord.ts';
import { asSentence } from '../base/l10n.ts';

/** What a client may do after a failure. */
export type Retry = 'never' | 'same_command' | 'after_ms' | 'resync' | 'reauth';

interface CatalogueEntry {
  readonly code: number;
  readonly retry: Retry;
  /** One sentence for people. */
  readonly message: string;
  /** The next step for people. */
  readonly next: string;
}

const entry = (code: number, retry: Retry, message: string, next: string): CatalogueEntry => ({ code, retry, message, next });

/** Every failure of protocol version 1. One condition, one kind, one number. */
export const ERRORS = {
  // 10xx connection
  not_initialized: entry(1001, 'never', 'The connection has not said hello yet.', 'Send attache/hello first.'),
  already_initialized: entry(1002, 'never', 'This connection has already said hello.', 'Open a new connection.'),
  unsupported_version: entry(1003, 'never', 'The gateway and this client speak no common protocol version.', 'Update the older of the two, then reload the window.'),
  unauthenticated: entry(1004, 'reauth', 'The gateway did not accept this client’s token.', 'Read the token file again and reconnect.'),
  draining: entry(1005, 'after_ms', 'The gateway is being replaced and takes no new work.', 'Wait a moment; the client reconnects by itself.'),
  connection_closed: entry(1006, 'same_command', 'The link to the gateway closed before the answer came.', 'The command is sent again with the same key when the link is back.'),
  gateway_unavailable: entry(1007, 'after_ms', 'The gateway could not be started or reached.', 'Run “Attaché: Doctor” to see why.'),
  too_many_connections: entry(1008, 'after_ms', 'The gateway has as many connections as it allows.', 'Close a window or a command line that uses it.'),
  drain_not_allowed: entry(1009, 'never', 'Only a newer client may drain this gateway.', 'Reload this window to update its extension.'),
  gateway_busy: entry(1010, 'after_ms', 'The gateway still has live work.', 'Stop the running turns first.'),
  gateway_outdated: entry(1011, 'never', 'A newer version of the gateway has used this data.', 'Update the extension.'),
  // 11xx access
  not_found: entry(1101, 'never', 'There is nothing here by that name.', 'Refresh the list; it may have been deleted.'),
  gone: entry(1102, 'never', 'This has been deleted.', 'Refresh the list.'),
  permission_denied: entry(1103, 'never', 'This client may not do that.', 'Use the window that owns the session.'),
  workspace_not_granted: entry(1104, 'never', 'This client was not granted that folder.', 'Open the folder in this window first.'),
  workspace_untrusted: entry(1105, 'never', 'This folder is not trusted, so nothing may run or change in it.', 'Trust the folder (Workspaces: Manage Workspace Trust), then try again.'),
  cursor_expired: entry(1106, 'resync', 'What came after that place is not kept any more.', 'Subscribe for a snapshot, or read on from the first event that is kept.'),
  cursor_ahead: entry(1107, 'resync', 'That place lies after the newest event.', 'Subscribe for a snapshot.'),
  epoch_changed: entry(1108, 'resync', 'That place is of an earlier run of the gateway.', 'Subscribe for a snapshot.'),
  // 12xx goal, session, turn
  attached_session_conflict: entry(1201, 'never', 'This conversation is already bound in another way.', 'Open the existing session, or start a new one.'),
  attached_session_host_mismatch: entry(1202, 'never', 'Another window hosts this session.', 'Use that window, or take the session over here.'),
  attached_session_turn_active: entry(1203, 'never', 'A turn is still running in this session.', 'Stop it or wait until it ends.'),
  attached_session_queue_pending: entry(1204, 'never', 'Messages are still queued in this session.', 'Remove them or let them run first.'),
  attached_session_interrupt_unavailable: entry(1205, 'never', 'The host of this session cannot be interrupted.', 'Wait until the turn ends.'),
  attached_session_live_steering_unavailable: entry(1206, 'never', 'The host of this session cannot be steered while it works.', 'Send the message; it is queued.'),
  attached_session_requires_host_bridge: entry(1207, 'never', 'An attached session runs only in its window.', 'Open the session in a window.'),
  claim_already_used: entry(1208, 'never', 'That claim belongs to a turn that has ended.', 'Claim with a new key.'),
  claim_superseded: entry(1209, 'never', 'A newer claim of the same host took its place.', 'Nothing: the newer claim goes on.'),
  claim_conflict: entry(1210, 'never', 'Another claim holds the turn.', 'Wait until that turn ends.'),
  claim_wait_invalid: entry(1211, 'never', 'A claim may wait between 0 and 1800 seconds.', 'Give a number in that range.'),
  completion_conflict: entry(1212, 'never', 'This turn was completed by another completion.', 'Read the turn again.'),
  executor_alive: entry(1213, 'never', 'The window that runs this session is alive and working.', 'Stop the turn there first.'),
  executor_in_grace: entry(1214, 'after_ms', 'The window that runs this session may still come back.', 'Try again when the grace time is over.'),
  executor_replaced: entry(1215, 'never', 'Another window has taken this session over.', 'Continue there.'),
  goal_duplicated: entry(1216, 'never', 'Two live goals have the same key.', 'Retire one of them.'),
  goal_exists: entry(1217, 'never', 'A live goal with this key exists already.', 'Use it, or choose another key.'),
  goal_instance_id_missing: entry(1218, 'never', 'This session was made before goals had lifetimes and cannot take new work.', 'Start a new session for the goal.'),
  goal_lifetime_changed: entry(1219, 'resync', 'The goal was recreated in the meantime.', 'Look at the goal again before you decide.'),
  goal_not_registered: entry(1220, 'never', 'There is no such goal.', 'Create the goal first.'),
  goal_retired: entry(1221, 'never', 'This goal is retired.', 'Recreate the goal to go on.'),
  host_session_in_use: entry(1222, 'never', 'This conversation is open in another live window.', 'Use that window, or start a new session here.'),
  invalid_goal_instance_id: entry(1223, 'never', 'The goal’s stored identity is damaged.', 'Retire and recreate the goal.'),
  live_steering_turn_mismatch: entry(1224, 'never', 'Another turn is running now.', 'Look at the session again.'),
  live_steering_requires_active_turn: entry(1225, 'never', 'No turn is running.', 'Send a message instead.'),
  live_steering_rejected: entry(1226, 'never', 'The agent did not take the message.', 'Send it as a new message.'),
  registry_unavailable: entry(1227, 'after_ms', 'The list of goals cannot be read.', 'Run “Attaché: Doctor”.'),
  report_gap: entry(1228, 'resync', 'A report is missing before this one.', 'Send the reports again from the expected number.'),
  response_empty: entry(1229, 'never', 'A completed turn needs a message.', 'Send the agent’s answer.'),
  response_too_long: entry(1230, 'never', 'The message is longer than 200,000 characters.', 'Shorten it.'),
  session_closed: entry(1231, 'never', 'This session is closed.', 'Start a new session.'),
  session_mode_unrecognized: entry(1232, 'never', 'This session was made by a version that this one does not know.', 'Update Attaché, or close the session.'),
  session_not_ready: entry(1233, 'never', 'This session cannot take messages now.', 'Resume it first.'),
  session_queue_expired: entry(1234, 'never', 'The message waited for an hour and was not run.', 'Send it again.'),
  session_queue_full: entry(1235, 'never', 'Twenty messages are waiting already.', 'Remove one, or wait.'),
  stale_goal_instance: entry(1236, 'never', 'The goal was recreated or retired; this session is history.', 'Continue in a new session.'),
  turn_goal_instance_mismatch: entry(1237, 'never', 'The turn belongs to another lifetime of the goal than its session.', 'Start a new session.'),
  turn_not_active: entry(1238, 'never', 'This turn is not running any more.', 'Look at the session again.'),
  turn_not_admitted: entry(1239, 'never', 'This turn was never handed out.', 'Claim it first.'),
  turn_in_progress: entry(1240, 'never', 'A turn is already running.', 'Wait, or queue the message.'),
  executor_lost: entry(1241, 'never', 'The window that ran this turn went away.', 'Retry the turn; it goes on in the same conversation.'),
  executor_restarted: entry(1242, 'never', 'The window that ran this turn was restarted.', 'Retry the turn; it goes on in the same conversation.'),
  cancel_unconfirmed: entry(1243, 'never', 'The agent did not confirm that it stopped.', 'Check what it did before you go on.'),
  queue_item_not_pending: entry(1244, 'never', 'This message is not waiting any more.', 'Look at the session again.'),
  retry_not_possible: entry(1245, 'never', 'Only a turn that has ended can be run again.', 'Wait until it ends.'),
  item_not_found: entry(1246, 'never', 'The report names an item that was never started.', 'Start the item first.'),
  item_key_used: entry(1248, 'never', 'The report starts an item with a name that is taken.', 'Name each item once.'),
  item_kind_changed: entry(1249, 'never', 'The report would make an item into one of another kind.', 'Start a new item.'),
  item_ended: entry(1247, 'never', 'The report names an item that has ended.', 'Start a new item.'),
  agent_option_unknown: entry(1250, 'resync', 'The agent does not offer that setting.', 'Look at what it offers now.'),
  agent_option_value_unknown: entry(1251, 'resync', 'The agent does not offer that choice.', 'Look at what it offers now.'),
  session_quarantined: entry(1252, 'never', 'Three turns in a row failed with what runs them, so nothing more runs in this session.', 'Look at why they failed, then choose Try Again.'),
  // 13xx approvals
  approval_already_decided: entry(1301, 'never', 'This request was already answered in another way.', 'See who answered it in the transcript.'),
  approval_closed: entry(1302, 'never', 'This request was withdrawn.', 'Look at the session again.'),
  approval_option_unknown: entry(1303, 'never', 'The agent did not offer that answer.', 'Choose one of the shown answers.'),
  approval_changed: entry(1304, 'resync', 'The request is not the one that was shown.', 'Read it again before you answer.'),
  approval_required: entry(1305, 'never', 'Nothing runs without a recorded approval.', 'Ask for approval first.'),
  approval_rejected: entry(1306, 'never', 'The request was rejected.', 'Tell the agent what to do instead.'),
  grant_not_possible: entry(1307, 'never', 'No rule can be made of this answer.', 'Answer just this request; the next one is asked about again.'),
  grant_too_wide: entry(1308, 'never', 'The rule does not state what was asked.', 'Make a rule for just what is shown.'),
  approval_part_not_possible: entry(1309, 'never', 'This request can only be answered as a whole.', 'Approve or reject all of it.'),
  approval_part_unknown: entry(1310, 'resync', 'The answer names changes that the request does not have, or none.', 'Choose among the changes that are shown.'),
  edit_partly_approved: entry(1311, 'never', 'Only a part of the edit was approved and written.', 'Read the file again before you go on.'),
  // 14xx idempotency
  idempotency_conflict: entry(1401, 'never', 'The same key was used for another command.', 'Use a new key.'),
  command_expired: entry(1402, 'never', 'The answer to that command is no longer kept.', 'Read the state again.'),
  revision_conflict: entry(1403, 'resync', 'It was changed in the meantime.', 'Read it again and repeat the change.'),
  // 15xx load
  overloaded: entry(1501, 'after_ms', 'Too many requests at once.', 'Try again in a moment.'),
  too_large: entry(1502, 'never', 'This is larger than the gateway takes.', 'Send less at once.'),
  storage_full: entry(1503, 'after_ms', 'The disk or the store is full.', 'Run “Attaché: Free Up Space…”, or free some space on the disk, then try again.'),
  digest_mismatch: entry(1505, 'never', 'The content is not what its digest says.', 'Send it again from the beginning.'),
  store_unreadable: entry(1504, 'never', 'The store is damaged and was left as it is.', 'Run “Attaché: Doctor”.'),
  store_read_only: entry(1506, 'never', 'The store cannot be written.', 'Let your user write to the gateway’s data folder and to the files in it, then reload the window.'),
  store_disk_failed: entry(1507, 'after_ms', 'The disk under the store answered with an error.', 'Check the disk, then try again.'),
  store_migration_failed: entry(1508, 'never', 'The store could not be brought to the form of this version and was left as it was.', 'Use the version that wrote it, or report this with the gateway’s log.'),
  attachment_missing: entry(1520, 'never', 'An attached file has not arrived here.', 'Attach it again.'),
  attachment_too_large: entry(1521, 'never', 'An attached file is larger than 5 MiB.', 'Attach a smaller one, or name its path.'),
  attachments_too_large: entry(1522, 'never', 'The attached files are together larger than 20 MiB.', 'Attach fewer.'),
  attachment_not_taken: entry(1523, 'never', 'The agent takes no attachment of this kind.', 'Send the message without it, or choose another agent.'),
  // 16xx execution
  execution_unavailable: entry(1601, 'after_ms', 'The agent could not be started or has ended.', 'Restart the agent, or choose another one.'),
  path_refused: entry(1602, 'never', 'That path may not be used.', 'Use a path inside the session’s folder.'),
  encoding_refused: entry(1603, 'never', 'The file’s text cannot be kept exactly.', 'Convert the file first.'),
  edit_conflict: entry(1604, 'never', 'The file changed after the edit was proposed.', 'Ask the agent to read the file again.'),
  agent_authentication_required: entry(1605, 'never', 'The agent needs you to sign in.', 'Sign in with the agent’s own command, then restart the agent.'),
  path_protected: entry(1607, 'never', 'Agents may not write there.', 'Make this change yourself.'),
  link_leaves_folder: entry(1608, 'never', 'A link in that path leads out of the session’s folder.', 'Use a path inside the session’s folder.'),
  file_read_only: entry(1609, 'never', 'The file is read-only.', 'Make it writable first, if it is meant to be changed.'),
  file_deleted: entry(1610, 'never', 'The file was deleted or renamed after the edit was proposed.', 'Ask the agent to look at the folder again.'),
  binary_refused: entry(1611, 'never', 'The file is not text.', 'Use a command or another tool for it.'),
  host_cut_off: entry(1606, 'never', 'The link to the gateway is lost, so nothing new may be done.', 'Wait until the link is back.'),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorKind = keyof typeof ERRORS;

/** What travels in `error.data`. */
export interface ErrorData {
  readonly kind: ErrorKind;
  readonly retry: Retry;
  readonly next: string;
  readonly retryAfterMs?: number;
  /** The public entity the refusal is about, e.g. the approval as it stands now. */
  readonly entity?: unknown;
}

export interface ErrorDetail {
  /** Replaces the catalogue's sentence where the place knows more. */
  readonly message?: string;
  readonly next?: string;
  readonly retryAfterMs?: number;
  readonly entity?: unknown;
}

/** The one error type that crosses a process edge. Its words and its next step are sentences, one behind the other. */
export class AttacheError extends Error {
  readonly kind: ErrorKind;
  readonly code: number;
  readonly data: ErrorData;

  constructor(kind: ErrorKind, detail: ErrorDetail = {}) {
    super(asSentence(detail.message ?? ERRORS[kind].message));
    this.name = 'AttacheError';
    this.kind = kind;
    this.code = ERRORS[kind].code;
    this.data = {
      kind,
      retry: ERRORS[kind].retry,
      next: asSentence(detail.next ?? ERRORS[kind].next),
      ...(detail.retryAfterMs === undefined ? {} : { retryAfterMs: detail.retryAfterMs }),
      ...(detail.entity === undefined ? {} : { entity: detail.entity }),
    };
  }
}

/** What was asked for is not there, or not any more. */
export const isGone = (error: unknown): boolean => error instanceof AttacheError && (error.kind === 'not_found' || error.kind === 'gone');

/** Turns what came over the wire (an error with code and data) back into an AttacheError; anything else is null. */
export function asAttacheError(error: unknown): AttacheError | null {
  if (error instanceof AttacheError) return error;
  if (!isRecord(error) || !isRecord(error['data'])) return null;
  const { kind, next, retryAfterMs, entity } = error['data'];
  if (typeof kind !== 'string' || !(kind in ERRORS)) return null;
  return new AttacheError(kind as ErrorKind, {
    message: String(error['message'] ?? ''),
    ...(typeof next === 'string' ? { next } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
    ...(entity === undefined ? {} : { entity }),
  });
}
