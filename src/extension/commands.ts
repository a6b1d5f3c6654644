import * as vscode from 'vscode';
import type { Logger } from '../base/logger.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { describeError, explain } from './log.ts';

/** Every command of package.json and what it does. Commands that take an argument also work without it, about what is in front. */
export interface CommandTable {
  readonly newSession: () => Promise<void>;
  readonly newGoal: () => Promise<void>;
  readonly switchSession: () => Promise<void> | void;
  readonly nextSession: () => Promise<void>;
  readonly previousSession: () => Promise<void>;
  /** The same three, for keys that hold only in the chat: the palette shows no key that would do nothing there. */
  readonly newSessionHere: () => Promise<void>;
  readonly nextSessionHere: () => Promise<void>;
  readonly previousSessionHere: () => Promise<void>;
  /** A line of a list is named by the id of its session; `others`: all that are selected. Without one they are about the session in the chat. */
  readonly openSession: (sessionId?: unknown) => Promise<void>;
  readonly openSessionInEditor: (sessionId?: unknown, others?: unknown) => Promise<void>;
  readonly renameSession: (sessionId?: unknown) => Promise<void>;
  readonly pinSession: (sessionId?: unknown, others?: unknown) => Promise<void>;
  readonly unpinSession: (sessionId?: unknown, others?: unknown) => Promise<void>;
  readonly archiveSession: (sessionId?: unknown, others?: unknown) => Promise<void>;
  readonly unarchiveSession: (sessionId?: unknown, others?: unknown) => Promise<void>;
  readonly closeSession: (sessionId?: unknown, others?: unknown) => Promise<void>;
  readonly deleteSession: (sessionId?: unknown, others?: unknown) => Promise<void>;
  readonly restoreSession: () => Promise<void>;
  readonly exportSession: (sessionId?: unknown) => Promise<void>;
  /** Also up to one of its messages, whose turn is named then. */
  readonly forkSession: (sessionOrTurnId?: unknown) => Promise<void>;
  readonly moreSessions: (lineId?: unknown) => Promise<void>;
  readonly showThisFolder: () => Promise<void>;
  readonly showAllFolders: () => Promise<void>;
  readonly showArchived: () => Promise<void>;
  readonly hideArchived: () => Promise<void>;
  readonly newSessionForGoal: (about?: unknown) => Promise<void>;
  readonly chooseFolder: () => Promise<void>;
  readonly addFolderBack: (sessionId?: unknown) => Promise<void>;
  readonly openInEditor: () => Promise<void> | void;
  readonly stop: () => Promise<void>;
  readonly approve: (approvalId?: unknown) => Promise<void>;
  readonly reject: (approvalId?: unknown) => Promise<void>;
  readonly rejectWithComment: (approvalId?: unknown) => Promise<void>;
  readonly alwaysAllow: (approvalId?: unknown) => Promise<void>;
  readonly alwaysAllowDiff: (uri?: unknown) => Promise<void>;
  readonly approveDiff: (uri?: unknown) => Promise<void>;
  readonly rejectDiff: (uri?: unknown) => Promise<void>;
  readonly openDiff: (approvalId?: unknown) => Promise<void>;
  /** About one hunk: the one that is named, else the one at the cursor of the diff in front. */
  readonly approveHunk: (hunk?: unknown) => Promise<void>;
  readonly rejectHunk: (hunk?: unknown) => Promise<void>;
  readonly undoHunk: (hunk?: unknown) => Promise<void>;
  readonly moreAnswers: (approvalId?: unknown) => Promise<void>;
  readonly answerWith: (answer?: unknown) => Promise<void>;
  readonly showPendingApprovals: () => Promise<void>;
  readonly focusRequest: () => Promise<void>;
  readonly revealRequest: (approvalId?: unknown) => Promise<void>;
  /** Puts the rule in front whose id is given. */
  readonly manageGrants: (grantId?: unknown) => Promise<void>;
  readonly permissionMode: (sessionId?: unknown) => Promise<void>;
  readonly turnActions: (turnId?: unknown) => Promise<void>;
  readonly showTurnChanges: (turnId?: unknown) => Promise<void>;
  readonly revertTurn: (turnId?: unknown) => Promise<void>;
  /** Of the notice that is named. */
  readonly undoRevert: (itemId?: unknown) => Promise<void>;
  /** Add to the composer; the ones called here are for menus, which name them after the product. */
  readonly addSelection: () => Promise<void>;
  readonly addSelectionHere: () => Promise<void>;
  readonly addTerminalSelection: () => Promise<void>;
  readonly addTerminalSelectionHere: () => Promise<void>;
  /** The one that was clicked, and all that are selected. */
  readonly addFiles: (uri?: unknown, uris?: unknown) => Promise<void>;
  readonly selectAgent: () => Promise<void>;
  /** `about`: a goal's line of the tree, or a session. */
  readonly retireGoal: (about?: unknown) => Promise<void>;
  readonly recreateGoal: (about?: unknown) => Promise<void>;
  readonly continueInNewSession: (sessionId?: unknown) => Promise<void>;
  readonly takeOver: (sessionId?: unknown) => Promise<void>;
  readonly restartAgent: (sessionId?: unknown) => Promise<void>;
  readonly restartGateway: () => Promise<void>;
  readonly doctor: () => Promise<void>;
  readonly freeUpSpace: () => Promise<void>;
  readonly openCli: () => Promise<void>;
  readonly showLog: () => void;
  readonly openSettings: () => Promise<void>;
}

// Their names are known before what they do is loaded.
const NAMES: Readonly<Record<keyof CommandTable, true>> = {
  newSession: true, newGoal: true, switchSession: true, nextSession: true, previousSession: true, newSessionHere: true, nextSessionHere: true,
  previousSessionHere: true, openSession: true, openSessionInEditor: true, renameSession: true, pinSession: true, unpinSession: true,
  archiveSession: true, unarchiveSession: true, closeSession: true, deleteSession: true, restoreSession: true, exportSession: true,
  forkSession: true, moreSessions: true, showThisFolder: true, showAllFolders: true, showArchived: true, hideArchived: true, newSessionForGoal: true,
  chooseFolder: true, addFolderBack: true, openInEditor: true, stop: true, approve: true, reject: true, rejectWithComment: true, alwaysAllow: true,
  alwaysAllowDiff: true, approveDiff: true, rejectDiff: true, openDiff: true, approveHunk: true, rejectHunk: true, undoHunk: true, moreAnswers: true,
  answerWith: true, showPendingApprovals: true, focusRequest: true, revealRequest: true, manageGrants: true, permissionMode: true, turnActions: true,
  showTurnChanges: true, revertTurn: true, undoRevert: true, addSelection: true, addSelectionHere: true, addTerminalSelection: true,
  addTerminalSelectionHere: true, addFiles: true, selectAgent: true, retireGoal: true, recreateGoal: true, continueInNewSession: true,
  takeOver: true, restartAgent: true, restartGateway: true, doctor: true, freeUpSpace: true, openCli: true, showLog: true, openSettings: true,
};

/** Registers every command; the table is asked for with the first that is run. A command that fails says so in the window, with the next step. */
export function registerCommands(table: () => CommandTable, { log, wake }: { readonly log: Logger; readonly wake: () => void }): Disposable {
  const store = new DisposableStore();
  for (const name of Object.keys(NAMES) as (keyof CommandTable)[]) {
    store.add(vscode.commands.registerCommand(`attache.${name}`, async (...given: unknown[]) => {
      wake();
      try {
        await (table()[name] as (...given: unknown[]) => Promise<void> | void)(...given);
      } catch (error) {
        log.warn(`${name}: ${describeError(error)}`);
        void showFailure(error);
      }
    }));
  }
  return store;
}

/** Tells a person what failed and what to do. */
export async function showFailure(error: unknown): Promise<void> {
  const message = explain(error);
  const showLog = vscode.l10n.t('Show Log');
  if ((await vscode.window.showErrorMessage(`Attaché: ${message}`, showLog)) === showLog) await vscode.commands.executeCommand('attache.showLog');
}
