import * as vscode from 'vscode';
import { EXPORT_FORMATS, exportFileName, exportFormat, type ExportFormat } from '../../client/export/formats.ts';
import { readTranscript } from '../../client/export/readTranscript.ts';
import { withoutSecrets } from '../../client/export/withoutSecrets.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { Session } from '../../protocol/session/state.ts';
import { describeToPeople } from '../log.ts';

const ENDINGS = (): Record<string, ExportFormat[]> => ({ [vscode.l10n.t('Markdown')]: ['md'], JSON: ['json'], [vscode.l10n.t('JSON Lines')]: ['jsonl'] });

/** Writes a session's whole transcript into a file that the person chooses, in the format of its ending (Markdown where that names none), without secrets. */
export async function exportSession(calls: GatewayCalls, session: Pick<Session, 'sessionId' | 'title' | 'workspace'>): Promise<void> {
  const file = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Session'),
    saveLabel: vscode.l10n.t('Export'),
    filters: ENDINGS(),
    defaultUri: vscode.Uri.joinPath(vscode.Uri.file(session.workspace), exportFileName(session.title, 'md')),
  });
  if (file === undefined) return;
  const format = exportFormat(/\.([a-z]+)$/i.exec(file.path)?.[1]?.toLowerCase() ?? '') ?? 'md';
  const progress = { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Attaché: exporting the session…') };
  const transcript = await vscode.window.withProgress(progress, async () => {
    const read = withoutSecrets(await readTranscript(calls, session.sessionId));
    await write(file, EXPORT_FORMATS[format](read));
    return read;
  });
  await tell(file, transcript.turns.length, transcript.settled);
}

async function write(file: vscode.Uri, text: string): Promise<void> {
  try {
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  } catch (error) {
    throw new AttacheError('permission_denied', { message: vscode.l10n.t('The file could not be written: {0}', describeToPeople(error)), next: vscode.l10n.t('Choose another place.') });
  }
}

async function tell(file: vscode.Uri, turns: number, settled: boolean): Promise<void> {
  const open = vscode.l10n.t('Open');
  const words = turns === 1 ? vscode.l10n.t('Attaché: exported 1 turn to {0}.', vscode.workspace.asRelativePath(file)) : vscode.l10n.t('Attaché: exported {0} turns to {1}.', turns, vscode.workspace.asRelativePath(file));
  const text = settled ? words : `${words} ${vscode.l10n.t('A turn is queued or running: what was written ends in the middle of it.')}`;
  if ((await vscode.window.showInformationMessage(text, open)) === open) await vscode.commands.executeCommand('vscode.open', file);
}
