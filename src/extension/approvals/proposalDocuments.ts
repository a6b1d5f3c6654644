import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { FileChange } from '../../protocol/item/state.ts';
import { describeToPeople } from '../log.ts';
import type { BlobTexts } from './blobTexts.ts';

export const PROPOSAL_SCHEME = 'attache-proposal';

/** Which text a proposal document shows. `approvalId` null: a change that was made without a request of its own. */
export interface ProposalPlace {
  readonly approvalId: string | null;
  readonly workspace: string;
  readonly side: 'before' | 'after';
  readonly digest: string | null;
}

/** What a document needs to know of a change. */
type ShownChange = Pick<FileChange, 'path' | 'before' | 'after'>;

function proposalUri({ path }: Pick<FileChange, 'path'>, place: ProposalPlace): vscode.Uri {
  return vscode.Uri.from({ scheme: PROPOSAL_SCHEME, path: path.replaceAll('\\', '/').replace(/^(?!\/)/, '/'), query: JSON.stringify(place) });
}

/** Null for a document that is none of ours. */
export function proposalPlace(uri: vscode.Uri): ProposalPlace | null {
  if (uri.scheme !== PROPOSAL_SCHEME) return null;
  try {
    return JSON.parse(uri.query) as ProposalPlace;
  } catch {
    return null;
  }
}

/** The two sides of a change as documents that any window can show, also long after the decision. */
export function proposalUris(change: ShownChange, workspace: string, approvalId: string | null): { readonly before: vscode.Uri; readonly after: vscode.Uri } {
  return {
    before: proposalUri(change, { approvalId, workspace, side: 'before', digest: change.before }),
    after: proposalUri(change, { approvalId, workspace, side: 'after', digest: change.after }),
  };
}

/** True when a proposal document shows one side of this change: several files may have one text. */
export function isSideOf(uri: vscode.Uri, change: ShownChange): boolean {
  const place = proposalPlace(uri);
  return place !== null && proposalUri(change, { ...place, digest: change[place.side] }).toString() === uri.toString();
}

/** Serves the texts of proposals from the gateway. */
export function registerProposalDocuments(texts: BlobTexts): Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(PROPOSAL_SCHEME, {
    async provideTextDocumentContent(uri) {
      const place = proposalPlace(uri);
      if (place?.digest === null) return '';
      if (place === null) return vscode.l10n.t('This proposal cannot be read.');
      return texts.read(place.workspace, place.digest).catch((error: unknown) => vscode.l10n.t('This proposal cannot be read now: {0}', describeToPeople(error)));
    },
  });
}

/** Opens the diff of one change, or of all of them side by side. */
export async function openProposal(changes: readonly FileChange[], workspace: string, approvalId: string | null, show: vscode.TextDocumentShowOptions): Promise<void> {
  const [first] = changes;
  if (first === undefined) return;
  if (changes.length === 1) {
    const { before, after } = proposalUris(first, workspace, approvalId);
    await vscode.commands.executeCommand('vscode.diff', before, after, vscode.l10n.t('{0} (proposed by the agent)', first.label), show);
    return;
  }
  await openTogether(changes, vscode.l10n.t('Proposed by the agent'), { workspace, approvalId });
}

/**
 * Opens all of a request's files in one multi-diff that has a document of ours as its own, so that what VS Code offers for a proposal, its buttons and
 * keys, is offered here, too, and opening it again shows the same tab. An editor without that command shows them without.
 */
async function openTogether(changes: readonly FileChange[], title: string, { workspace, approvalId }: Pick<ProposalPlace, 'workspace' | 'approvalId'>): Promise<void> {
  const multiDiffSourceUri = proposalUri({ path: workspace }, { approvalId, workspace, side: 'after', digest: null });
  const resources = changes.map((change) => {
    const { before, after } = proposalUris(change, workspace, approvalId);
    return { originalUri: before, modifiedUri: after };
  });
  await keepPreview();
  try {
    await vscode.commands.executeCommand('_workbench.openMultiDiffEditor', { title, multiDiffSourceUri, resources });
  } catch {
    await openChanges(changes, title, { workspace, approvalId });
  }
}

/**
 * Opens the diff of a request in a tab behind the one in front, where nobody has asked for it: whoever types there goes on typing. A tab that would
 * replace the one in front takes its caret away, even when it preserves the focus; several files have only editors that do.
 */
export async function openBehind({ approvalId, subject }: Approval, workspace: string): Promise<void> {
  const [only, ...more] = subject.kind === 'edit' ? subject.changes : [];
  if (only === undefined || more.length > 0) return;
  const show: vscode.TextDocumentShowOptions & { readonly background: true } = { background: true, preview: false, preserveFocus: true, viewColumn: vscode.ViewColumn.Active };
  await openProposal([only], workspace, approvalId, show);
}

/** A multi-diff opens as a preview and would take the place of another one, which a person may still be reading. */
async function keepPreview(): Promise<void> {
  const { tabs, activeTab, viewColumn } = vscode.window.tabGroups.activeTabGroup;
  const preview = tabs.find(({ isPreview }) => isPreview);
  if (preview === undefined) return;
  if (preview === activeTab) await vscode.commands.executeCommand('workbench.action.keepEditor');
  else if (preview.input instanceof vscode.TabInputText) await vscode.window.showTextDocument(preview.input.uri, { preview: false, preserveFocus: true, viewColumn });
}

/** Opens what a turn has done to files, whole, beside each other. */
export async function openTurnChanges(changes: readonly ShownChange[], workspace: string, title: string): Promise<void> {
  await openChanges(changes, title, { workspace, approvalId: null });
}

async function openChanges(changes: readonly ShownChange[], title: string, { workspace, approvalId }: Pick<ProposalPlace, 'workspace' | 'approvalId'>): Promise<void> {
  const resources = changes.map((change) => {
    const { before, after } = proposalUris(change, workspace, approvalId);
    return [vscode.Uri.file(change.path), before, after];
  });
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}
