import { AttacheError } from '../../protocol/errors.ts';
import type { ItemDataOf } from '../../protocol/item/state.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Attachment } from '../../protocol/turn/attachment.ts';
import { hasContent } from '../../protocol/turn/content.ts';
import { readJson } from '../store/readJson.ts';
import type { Store } from '../store/store.ts';

/** Files as a turn is stored with them. */
export const attachmentsOf = (row: { readonly attachments: string }): Attachment[] => readJson(row.attachments, [], Array.isArray);

/** What people see of a message. */
export const userMessage = (attachments: readonly Attachment[]): ItemDataOf<'user_message'> =>
  (attachments.length === 0 ? { kind: 'user_message' } : { kind: 'user_message', attachments: [...attachments] });

/** Refuses files that are too large, or that have not arrived whole in this workspace. */
export function requireAttachments(store: Store, workspace: string, given: readonly Attachment[]): void {
  const attachments = given.filter(hasContent);
  if (attachments.some(({ size }) => size > LIMITS.attachmentBytes)) throw new AttacheError('attachment_too_large');
  if (attachments.reduce((sum, { size }) => sum + size, 0) > LIMITS.attachmentsBytes) throw new AttacheError('attachments_too_large');
  for (const { digest, size, name } of attachments) {
    const blob = store.get<{ size: number }>('SELECT size FROM blobs WHERE workspace = ? AND digest = ? AND complete = 1', workspace, digest);
    if (blob?.size !== size) throw new AttacheError('attachment_missing', { message: `The attached file “${name}” has not arrived here.` });
  }
}
