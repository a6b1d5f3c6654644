import * as vscode from 'vscode';
import type { AgentEntry } from './agentCatalogue.ts';

interface Row extends vscode.QuickPickItem {
  readonly entry?: AgentEntry;
  readonly settings?: true;
}

/** Lets a person choose the agent of new sessions. One that is not installed is not chosen: the way to install it is shown. */
export async function pickAgent(entries: readonly AgentEntry[], current: string): Promise<AgentEntry | undefined> {
  const rows: Row[] = [
    ...entries.map((entry): Row => ({
      label: `${entry.installed ? '$(hubot)' : '$(circle-slash)'} ${entry.label}`,
      description: [entry.installed ? vscode.l10n.t('installed') : vscode.l10n.t('not found'), entry.agentId === current ? vscode.l10n.t('chosen') : null].filter((part) => part !== null).join(' · '),
      detail: entry.installed ? entry.detail : vscode.l10n.t('Install: {0}', entry.install),
      entry,
    })),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: vscode.l10n.t('$(gear) Add an Agent in Settings…'), settings: true },
  ];
  const row = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Select Agent'), placeHolder: vscode.l10n.t('The agent of new sessions in this workspace'), matchOnDetail: true });
  if (row?.settings === true) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'attache.agents');
    return undefined;
  }
  if (row?.entry === undefined || row.entry.installed) return row?.entry;
  await explainInstall(row.entry);
  return undefined;
}

async function explainInstall(entry: AgentEntry): Promise<void> {
  const copy = vscode.l10n.t('Copy Command');
  const isCommand = entry.origin === 'preset';
  const message = `${vscode.l10n.t('{0} was not found on PATH.', entry.label)} ${isCommand ? vscode.l10n.t('Install it with: {0}', entry.install) : entry.install}`;
  const answer = await vscode.window.showInformationMessage(message, ...(isCommand ? [copy] : []));
  if (answer === copy) await vscode.env.clipboard.writeText(entry.install);
}
