import { resolve } from 'node:path';
import { asAttacheError, AttacheError } from '../protocol/errors.ts';
import type { AttachedContent, Attachment } from '../protocol/turn/attachment.ts';
import { hasContent } from '../protocol/turn/content.ts';
import type { PromptAttachment } from '../runtime/agent.ts';
import { blobBytes } from './blobBytes.ts';
import type { HostConnection } from './hostConnection.ts';

/** What goes with a message, with its bytes from the gateway. Rejects with attachment_missing: nothing is left out in silence. */
export async function readAttachments(connection: Pick<HostConnection, 'call'>, folder: string, attachments: readonly Attachment[]): Promise<PromptAttachment[]> {
  const read: PromptAttachment[] = [];
  for (const attachment of attachments) {
    const { name, source } = attachment;
    const path = source === undefined ? null : resolve(folder, source.path);
    const content = hasContent(attachment) ? { mimeType: attachment.mimeType, bytes: await bytesOf(connection, folder, attachment) } : null;
    read.push({ name, path, lines: source?.lines ?? null, isFolder: !hasContent(attachment) && attachment.link === 'folder', content });
  }
  return read;
}

async function bytesOf(connection: Pick<HostConnection, 'call'>, workspace: string, { digest, name }: AttachedContent): Promise<Buffer> {
  try {
    return await blobBytes(connection, { workspace, digest });
  } catch (error) {
    const known = asAttacheError(error);
    if (known?.kind !== 'not_found' && known?.kind !== 'gone') throw error;
    throw new AttacheError('attachment_missing', { message: `The attached “${name}” is not kept any more, so the message was not given to the agent.` });
  }
}
