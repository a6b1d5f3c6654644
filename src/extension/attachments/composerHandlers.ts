import * as vscode from 'vscode';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { blobBytes } from '../../host/blobBytes.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { Digest } from '../../protocol/ids.ts';
import type { ItemData } from '../../protocol/item/state.ts';
import type { FromComposer } from '../../protocol/panelAttachment.ts';
import type { Attachment } from '../../protocol/turn/attachment.ts';
import { hasContent } from '../../protocol/turn/content.ts';
import type { ChatPanel } from '../chat/chatPanel.ts';
import { openFile } from '../chat/openTarget.ts';
import type { PanelHandlers } from '../chat/panelBridge.ts';
import { explain } from '../log.ts';
import type { AttachmentFiles } from './attachmentFiles.ts';
import { type ComposerAttachments, notKept } from './composerAttachments.ts';
import type { DraftAttachment } from './draftAttachment.ts';
import { isPicture, mimeTypeOf } from './fileKind.ts';
import type { DraftMaker } from './makeDrafts.ts';
import { searchMentions, type SearchPlace } from './mentionSearch.ts';
import { showBytes } from './showBytes.ts';

export interface ComposerHandlerOptions {
  readonly attachments: ComposerAttachments;
  readonly files: AttachmentFiles;
  readonly drafts: DraftMaker;
  readonly calls: GatewayCalls;
  readonly place: (conversation: string) => SearchPlace;
}

type Part = Pick<PanelHandlers, FromComposer['type']>;

/** What the composer of a chat page asks for. */
export function composerHandlers(options: ComposerHandlerOptions): Part {
  return { ...addHandlers(options), ...showHandlers(options), ...mentionHandlers(options) };
}

function addHandlers({ attachments, drafts, place }: ComposerHandlerOptions): Pick<Part, 'attach' | 'attachUris' | 'attachBytes' | 'detach'> {
  const add = async (panel: ChatPanel, { conversation, id }: { readonly conversation: string; readonly id: string }, make: () => Promise<readonly DraftAttachment[]>): Promise<void> => {
    try {
      await attachments.add(conversation, make);
    } catch (error) {
      panel.post({ type: 'attachFailed', conversation, id, message: explain(error) });
    }
  };
  return {
    attach: ({ conversation, id, ref, token }, panel) => add(panel, { conversation, id }, () => drafts.ofRef(ref, place(conversation), { id, token })),
    attachUris: async ({ conversation, uris }, panel) => {
      // One that cannot be taken does not keep the others out.
      for (const uri of uris) await add(panel, { conversation, id: '' }, async () => [await drafts.ofPath(fileOf(uri), place(conversation))]);
    },
    attachBytes: ({ conversation, id, name, base64 }, panel) => add(panel, { conversation, id }, async () => [
      await attachments.take({ id, kind: 'file', name: name.trim() === '' ? vscode.l10n.t('Pasted file') : name.trim(), path: null, lines: null, token: null }, Buffer.from(base64, 'base64')),
    ]),
    detach: ({ conversation, id }) => attachments.remove(conversation, id),
  };
}

function showHandlers({ attachments, files, calls }: ComposerHandlerOptions): Pick<Part, 'openAttachment' | 'openSent' | 'loadPicture'> {
  const fromGateway = (workspace: string, digest: string): Promise<Buffer> => blobBytes(calls, { workspace, digest: digest as Digest });
  const workspaceOf = (panel: ChatPanel): string => panel.view?.session.workspace ?? '';
  return {
    openAttachment: async ({ conversation, id }) => {
      const draft = attachments.find(conversation, id);
      if (draft !== undefined) await openDraft(files, draft);
    },
    openSent: async ({ itemId, index }, panel) => {
      const item = panel.view?.items.find((entry) => entry.itemId === itemId);
      const sent = item === undefined ? undefined : contentsOf(item.data)[index];
      if (sent === undefined) return;
      if (hasContent(sent)) return showBytes(files, sent.name, sent.digest, await fromGateway(workspaceOf(panel), sent.digest));
      if (sent.link === 'folder') await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.joinPath(vscode.Uri.file(workspaceOf(panel)), sent.source.path));
      else await openFile(sent.source.path, workspaceOf(panel));
    },
    loadPicture: async ({ digest }, panel) => {
      const bytes = (await files.read(digest)) ?? (await fromGateway(workspaceOf(panel), digest).catch(() => null));
      const mimeType = bytes === null ? '' : mimeTypeOf('', bytes);
      panel.post({ type: 'picture', digest, address: bytes === null || !isPicture(mimeType) ? null : `data:${mimeType};base64,${bytes.toString('base64')}` });
    },
  };
}

/** What went with a message, or the pictures that came with one. */
function contentsOf(data: ItemData): readonly Attachment[] {
  if (data.kind === 'user_message') return data.attachments ?? [];
  return data.kind === 'agent_message' || data.kind === 'tool_call' ? (data.pictures ?? []) : [];
}

/** What would be sent: the bytes that were taken, else the file itself. */
async function openDraft(files: AttachmentFiles, { digest, name, path, kind }: DraftAttachment): Promise<void> {
  if (digest !== null) {
    const bytes = await files.read(digest);
    if (bytes === null) throw notKept(name);
    return showBytes(files, name, digest, bytes);
  }
  if (path === null) return;
  if (kind === 'folder') await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(path));
  else await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), { preview: true });
}

function mentionHandlers({ place }: ComposerHandlerOptions): Pick<Part, 'mention' | 'mentionEnd'> {
  const running = new WeakMap<ChatPanel, vscode.CancellationTokenSource>();
  const end = (panel: ChatPanel): void => {
    running.get(panel)?.cancel();
    running.delete(panel);
  };
  return {
    mention: async ({ conversation, request, query }, panel) => {
      end(panel);
      const source = new vscode.CancellationTokenSource();
      running.set(panel, source);
      await searchMentions(place(conversation), query, source.token, (entries, done) => panel.post({ type: 'mentions', request, entries, done }));
    },
    mentionEnd: (_message, panel) => end(panel),
  };
}

/** Only files of this machine have a path that an agent can use. */
function fileOf(address: string): string {
  const uri = /^[\w+.-]{2,}:/.test(address) ? vscode.Uri.parse(address) : vscode.Uri.file(address);
  // The browser's own editor names a file of its machine by the address of the connection.
  if (uri.scheme !== 'file' && uri.scheme !== 'vscode-remote') throw new AttacheError('path_refused', { message: vscode.l10n.t('{0} is no file on this machine.', address.slice(0, 200)), next: vscode.l10n.t('Save it to the folder first, then attach it.') });
  return uri.fsPath;
}
