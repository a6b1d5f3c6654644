import type { Item } from './item/state.ts';
import type { ComposerAttachment, FromComposer, ToComposer } from './panelAttachment.ts';
import type { SessionEvent } from './subscription/events.ts';
import type { SessionPage, SessionSnapshot } from './subscription/state.ts';

/** The words between the extension and its chat page. Types only: the page carries no zod, the extension checks with panelSchema. */

export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  /** `retryAt`: when the next attempt starts, ms since 1970. */
  | { readonly state: 'disconnected'; readonly message: string; readonly retryAt: number | null }
  | { readonly state: 'failed'; readonly message: string; readonly next: string };

/** The agent process of the shown session, as its host sees it. */
export type AgentProcessState =
  | { readonly state: 'none' }
  | { readonly state: 'starting' }
  | { readonly state: 'running' }
  | { readonly state: 'dead'; readonly message: string; readonly next: string };

export interface AgentChoice {
  readonly agentId: string;
  readonly label: string;
  readonly installed: boolean;
}

/** A message that was typed and has not been acknowledged by the gateway. */
export interface OutboxEntry {
  readonly clientTurnId: string;
  readonly text: string;
  /** Names of what goes with it; absent: nothing. */
  readonly attachments?: readonly string[];
  readonly state: 'sending' | 'failed';
  readonly message: string | null;
}

/** The root folder of a conversation. */
export interface FolderFacts {
  readonly name: string;
  readonly path: string;
  /** False: it was removed from the window. What was said can be read, and nothing is run. */
  readonly isOpen: boolean;
}

/** All that surrounds the transcript. */
export interface PanelChrome {
  readonly connection: ConnectionState;
  /** Compared with session.executor.windowId to tell this window from another. */
  readonly windowId: string;
  /** Compared with who decided a request. */
  readonly windowClientId: string;
  readonly trusted: boolean;
  readonly hasFolder: boolean;
  readonly folderName: string;
  /** Where the session works, as far as that is a question: absent in a window of one folder, whose sessions all work there. */
  readonly folder?: FolderFacts;
  readonly agent: AgentChoice;
  readonly agentProcess: AgentProcessState;
  readonly sendWith: 'enter' | 'ctrlEnter';
  /** The reader's own choice for chats; null or absent where there is none. */
  readonly font?: { readonly family: string | null; readonly size: number | null };
  readonly outbox: readonly OutboxEntry[];
  /** Of requests that wait, by their ids: the hunks that the person leaves out, as `change.hunk`. */
  readonly leftOut?: Readonly<Record<string, readonly string[]>>;
  /** What a damaged store has lost, in the window that tells it; null or absent everywhere else. */
  readonly storeLoss?: string | null;
  readonly version: string;
}

/** Where a reader is: an item and how many pixels its top is below the top of the list. Null elsewhere means: at the end, following. */
export interface ScrollPlace {
  readonly itemId: string;
  readonly offset: number;
}

/** What the page shows. `view` null: a new session that has no message yet. */
export interface PanelState {
  /** Rises with every full replacement; events of an older one are dropped. */
  readonly generation: number;
  /** Names the shown conversation; the same before and after its first message, so that a session's birth is no switch. */
  readonly conversation: string;
  readonly chrome: PanelChrome;
  readonly view: SessionSnapshot | null;
  readonly draft: string;
  /** When the draft was typed, ms since 1970: what the page kept itself over its reload may be newer. */
  readonly draftAt: number;
  readonly attachments: readonly ComposerAttachment[];
  readonly scroll: ScrollPlace | null;
}

export type ToPanel =
  | ToComposer
  | { readonly type: 'state'; readonly state: PanelState }
  | { readonly type: 'events'; readonly generation: number; readonly events: readonly SessionEvent[] }
  | { readonly type: 'chrome'; readonly chrome: PanelChrome }
  | { readonly type: 'history'; readonly generation: number; readonly page: SessionPage }
  /** The answer to `loadItem`: the item with its full text. */
  | { readonly type: 'item'; readonly generation: number; readonly item: Item }
  /** Scrolls a request into view and marks it; moves the keyboard focus only when `focus` (a person asked for it). */
  | { readonly type: 'reveal'; readonly approvalId: string; readonly focus: boolean }
  /** Scrolls a message or an act into view and marks it; older messages are asked for until it is there. */
  | { readonly type: 'revealItem'; readonly itemId: string }
  | { readonly type: 'focusInput' }
  /** Puts text into the composer without sending it. `caret`: where it is to stand, at the end when absent. */
  | { readonly type: 'prefill'; readonly text: string; readonly caret?: 'start' }
  /** A quiet line at the bottom, e.g. an answer that came too late. `again`: what was refused may be tried once more, from a moment on (ms since 1970). */
  | { readonly type: 'toast'; readonly message: string; readonly next: string; readonly again?: TryAgain }
  /** The answer to an `approval` message failed: the buttons work again. */
  | { readonly type: 'decideFailed'; readonly approvalId: string };

export interface TryAgain {
  readonly label: string;
  readonly command: PanelCommand;
  readonly at: number;
}

/** Commands that the page may ask the editor for. */
export type PanelCommand =
  | 'newSession'
  | 'switchSession'
  | 'selectAgent'
  | 'restartAgent'
  | 'restartGateway'
  | 'manageTrust'
  | 'openFolder'
  | 'doctor'
  | 'showLog'
  | 'continueInNewSession'
  | 'recreateGoal'
  | 'takeOver'
  | 'alwaysAllow'
  | 'manageGrants'
  | 'permissionMode'
  | 'turnActions'
  | 'undoRevert'
  | 'exportSession'
  | 'forkSession'
  | 'chooseFolder'
  | 'addFolder';

/** What is about a whole conversation names it: a message that was typed just before a switch must not land in the next one. */
export type FromPanel =
  | FromComposer
  | { readonly type: 'ready' }
  /** `clientTurnId` is made by the page, so that a repeat after a reload is the same message. */
  | { readonly type: 'submit'; readonly conversation: string; readonly clientTurnId: string; readonly text: string; readonly attachments?: readonly string[] }
  | { readonly type: 'resend'; readonly clientTurnId: string }
  | { readonly type: 'discard'; readonly clientTurnId: string }
  /** Puts a message that was not delivered back into the composer. */
  | { readonly type: 'takeBack'; readonly clientTurnId: string }
  | { readonly type: 'stop'; readonly conversation: string }
  | { readonly type: 'decide'; readonly approvalId: string; readonly optionId: string; readonly actionDigest: string; readonly comment?: string; readonly part?: readonly (readonly number[])[] }
  /** Leaves a hunk of a waiting edit out, or takes it in again. */
  | { readonly type: 'chooseHunk'; readonly approvalId: string; readonly change: number; readonly hunk: number; readonly chosen: boolean }
  | { readonly type: 'queueEdit'; readonly turnId: string; readonly text: string; readonly expectedRev: number }
  | { readonly type: 'queueRemove'; readonly turnId: string }
  | { readonly type: 'queueResume'; readonly conversation: string }
  | { readonly type: 'retry'; readonly turnId: string; readonly clientTurnId: string }
  /** `at`: when it was typed, ms since 1970. */
  | { readonly type: 'draft'; readonly conversation: string; readonly text: string; readonly at: number }
  | { readonly type: 'scroll'; readonly conversation: string; readonly place: ScrollPlace | null }
  | { readonly type: 'openDiff'; readonly approvalId: string }
  | { readonly type: 'openChange'; readonly itemId: string }
  /** The whole output of a command or tool, as a document. */
  | { readonly type: 'openOutput'; readonly itemId: string }
  /** Lines and columns count from 1. */
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number; readonly column?: number; readonly endLine?: number }
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'history'; readonly conversation: string; readonly before: number; readonly beforeItem?: number }
  /** Asks for the full text of an item of which only the head is here. */
  | { readonly type: 'loadItem'; readonly itemId: string }
  | { readonly type: 'setOption'; readonly conversation: string; readonly optionId: string; readonly value: string }
  | { readonly type: 'killCommand'; readonly itemId: string }
  | { readonly type: 'focus'; readonly input: boolean; readonly approvalId: string | null }
  | { readonly type: 'copy'; readonly text: string }
  /** Code of a message, at the cursor of the text editor used last. `language`: as the agent named it, empty when it did not. */
  | { readonly type: 'insertCode'; readonly text: string; readonly language: string }
  /** Code of a message, as an untitled document. */
  | { readonly type: 'newFile'; readonly text: string; readonly language: string }
  /** `about`: the id of what the command is about; absent: the session. */
  | { readonly type: 'run'; readonly command: PanelCommand; readonly about?: string }
  | { readonly type: 'pageError'; readonly message: string };
