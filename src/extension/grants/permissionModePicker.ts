import * as vscode from 'vscode';
import type { PermissionMode, Session } from '../../protocol/session/state.ts';
import { permissionWords } from '../../protocol/session/permissionWords.ts';

interface ModeRow extends vscode.QuickPickItem {
  readonly mode: PermissionMode;
}

const ORDER: readonly PermissionMode[] = ['ask', 'askAlways', 'acceptEdits', 'readOnly'];

/** The one control of a session's permission mode. Undefined: it stays as it is. */
export async function pickPermissionMode(session: Pick<Session, 'title' | 'permissionMode'>): Promise<PermissionMode | undefined> {
  const rows: ModeRow[] = ORDER.map((mode) => ({
    label: permissionWords(mode).label,
    detail: permissionWords(mode).hint,
    mode,
    ...(mode === session.permissionMode ? { description: vscode.l10n.t('now') } : {}),
  }));
  const row = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Permission Mode of “{0}”', session.title), placeHolder: vscode.l10n.t('What may be done in this session without asking you') });
  return row === undefined || row.mode === session.permissionMode ? undefined : row.mode;
}
