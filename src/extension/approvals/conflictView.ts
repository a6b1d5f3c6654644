import * as vscode from 'vscode';
import type { Approval } from '../../protocol/approval/state.ts';
import type { FileChange } from '../../protocol/item/state.ts';
import { openProposal, proposalUris } from './proposalDocuments.ts';

type Moved = FileChange & { readonly conflict: NonNullable<FileChange['conflict']> };

const hasMovedOn = (change: FileChange): change is Moved => change.conflict !== undefined;

/**
 * Shows exactly what a request would change: its diff, or where a file has moved on since the agent read it, all three texts. What waits takes no
 * tab’s place, since it goes again with its answer.
 */
export async function openRequest({ approvalId, subject, status }: Approval, workspace: string): Promise<void> {
  if (subject.kind !== 'edit') return;
  const [only, ...more] = subject.changes;
  if (only !== undefined && more.length === 0 && hasMovedOn(only)) await openConflict(only, workspace, approvalId);
  else await openProposal(subject.changes, workspace, approvalId, { preview: status !== 'pending' });
}

/**
 * Three texts as two diffs with the present text in both: what has changed since the agent knew the file, and what approving would
 * do now, which is in front. Both close with the decision. Nothing is written by looking.
 */
async function openConflict(change: Moved, workspace: string, approvalId: string): Promise<void> {
  const { label, path, conflict: { base, wanted, overlaps } } = change;
  const proposed = proposalUris(change, workspace, approvalId);
  const known = proposalUris({ path, before: base, after: wanted }, workspace, approvalId);
  const gone = change.before === null;
  const open = (sides: ReturnType<typeof proposalUris>, title: string, preserveFocus: boolean): Thenable<unknown> =>
    vscode.commands.executeCommand('vscode.diff', sides.before, sides.after, `${label} ${title}`, { preview: false, preserveFocus });
  // One after the other, but none waits for the other’s texts.
  await Promise.all([
    open({ before: known.before, after: proposed.before }, gone ? vscode.l10n.t('1/2: deleted since the agent read it') : vscode.l10n.t('1/2: changed since the agent read it'), true),
    open(proposed, overlaps ? vscode.l10n.t('2/2: approving replaces those changes') : vscode.l10n.t('2/2: now ↔ proposed'), false),
  ]);
}
