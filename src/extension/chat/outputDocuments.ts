import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { terminalText } from '../../base/terminalText.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { wholeItem } from '../../client/wholeItem.ts';
import type { ItemId } from '../../protocol/ids.ts';
import type { ItemData } from '../../protocol/item/state.ts';
import { describeToPeople } from '../log.ts';

const OUTPUT_SCHEME = 'attache-output';
const TITLE_CHARS = 60;

/** Serves what commands and tools printed, whole, from the gateway. */
export function registerOutputDocuments(calls: Pick<GatewayCalls, 'call'>): Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(OUTPUT_SCHEME, {
    async provideTextDocumentContent({ query }) {
      return wholeItem(calls, query as ItemId).then(({ text }) => terminalText(text), (error: unknown) => vscode.l10n.t('This output cannot be read now: {0}', describeToPeople(error)));
    },
  });
}

/** Shows the output of an item as a document that cannot be changed, as it is now. */
export async function openOutput(itemId: string, data: ItemData | null): Promise<void> {
  const uri = vscode.Uri.from({ scheme: OUTPUT_SCHEME, path: `/${titleOf(data)}`, query: itemId });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}

function titleOf(data: ItemData | null): string {
  const words = data?.kind === 'command' ? data.command : data?.kind === 'tool_call' ? data.title : '';
  return words.replaceAll(/[\s\p{C}/\\]+/gu, ' ').trim().slice(0, TITLE_CHARS) || vscode.l10n.t('Output');
}
