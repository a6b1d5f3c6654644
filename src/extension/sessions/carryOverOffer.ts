import * as vscode from 'vscode';
import type { CarryOver } from './carryOver.ts';

/** Asks whether what was said is to be taken along. It goes into the message box, where it is read, changed or removed before anything is sent. */
export async function offerCarryOver({ messages, text }: CarryOver): Promise<boolean> {
  const take = {
    label: vscode.l10n.t('$(history) Carry over the last messages'),
    detail: vscode.l10n.t(messages === 1
      ? '{0} message, {1} characters, put into the message box: change or remove them there before you send.'
      : '{0} messages, {1} characters, put into the message box: change or remove them there before you send.', messages, text.length.toLocaleString(vscode.env.language)),
  };
  const empty = { label: vscode.l10n.t('$(add) Begin empty'), detail: vscode.l10n.t('The agent is told nothing of the old session; it stays readable.') };
  return (await vscode.window.showQuickPick([take, empty], { title: vscode.l10n.t('Continue in a New Session'), ignoreFocusOut: true, placeHolder: vscode.l10n.t('The new session is open. Nothing is sent by itself.') })) === take;
}
