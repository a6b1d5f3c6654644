import * as vscode from 'vscode';
import type { AttachmentFiles } from './attachmentFiles.ts';
import { isPicture, mimeTypeOf } from './fileKind.ts';

const SCHEME = 'attache-attachment';

/** The text of each that is shown, by its address. */
const texts = new Map<string, string>();
const MAX_SHOWN = 50;

/** Documents that show the text of attachments; nobody can write in them. */
export function registerAttachmentDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? null });
}

/** Shows exactly what goes, or went, to the agent: a picture as a picture, text as a document that cannot be changed. */
export async function showBytes(files: AttachmentFiles, name: string, digest: string, bytes: Buffer): Promise<void> {
  if (isPicture(mimeTypeOf(name, bytes))) {
    await files.put(bytes);
    // The editor knows a picture by the ending of its name only.
    const path = await files.copy(digest, mimeTypeOf(name, bytes).replace('image/', '.'));
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), { preview: true });
    return;
  }
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${digest.slice(0, 12)}/${name.replaceAll(/[\\/]/g, '∕')}` });
  const [oldest] = texts.keys();
  if (texts.size >= MAX_SHOWN && oldest !== undefined) texts.delete(oldest);
  texts.set(uri.toString(), bytes.includes(0) ? vscode.l10n.t('This is no text; it has {0} bytes.', bytes.length) : bytes.toString('utf8'));
  await vscode.window.showTextDocument(uri, { preview: true });
}
