import * as vscode from 'vscode';

/** The context keys that `when` clauses in package.json may use. */
export type ContextKey =
  | 'attache.connected'
  | 'attache.sessionActive'
  | 'attache.sessionShown'
  | 'attache.sessionTakesWork'
  | 'attache.sessionPinned'
  | 'attache.sessionArchived'
  | 'attache.manyFolders'
  | 'attache.oneFolder'
  | 'attache.putAwayShown'
  | 'attache.turnRunning'
  | 'attache.approvalPending'
  | 'attache.approvalFocused'
  | 'attache.diffVisible'
  | 'attache.inputFocused';

const known = new Map<ContextKey, boolean>();

/** Sets a key, and tells the editor only when it changes. */
export function setContextKey(key: ContextKey, value: boolean): void {
  if (known.get(key) === value) return;
  known.set(key, value);
  void vscode.commands.executeCommand('setContext', key, value);
}
