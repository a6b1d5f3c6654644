import * as vscode from 'vscode';
import { proposalPlace } from './proposalDocuments.ts';

/** The request whose proposal a tab shows: one text of it, its diff, or all of its files in one multi-diff. Null: no request's. */
export function requestOfTab(tab: vscode.Tab | undefined): string | null {
  const [first, ...more] = shownIn(tab?.input).map((uri) => proposalPlace(uri)?.approvalId ?? null);
  return first !== undefined && more.every((approvalId) => approvalId === first) ? first : null;
}

/** Closes the diffs of a request that no longer waits, where nobody pinned them. The focus and all other tabs stay. */
export async function closeProposal(approvalId: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter((tab) => !tab.isPinned && requestOfTab(tab) === approvalId));
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

function shownIn(input: unknown): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputTextDiff) return [input.modified];
  if (input instanceof vscode.TabInputText) return [input.uri];
  return isMultiDiff(input) ? input.textDiffs.map(({ modified }) => modified) : [];
}

/** What VS Code says of a multi-diff; its class has no place in the stable API yet. */
const isMultiDiff = (input: unknown): input is { readonly textDiffs: readonly vscode.TabInputTextDiff[] } =>
  typeof input === 'object' && input !== null && 'textDiffs' in input && Array.isArray(input.textDiffs);
