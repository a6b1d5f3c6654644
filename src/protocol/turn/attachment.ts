import * as z from '../schema.ts';
import { digest } from '../ids.ts';

const name = z.string().trim().min(1).max(500);

/** Where in the file system it is: `path` relative to the session's folder with `/`, or absolute outside of it; `lines` count from 1, both ends belong to it. */
export const attachmentSource = z.strictObject({
  path: z.string().min(1).max(4096),
  lines: z.strictObject({ first: z.number().int().positive(), last: z.number().int().positive() }).optional(),
});
export type AttachmentSource = z.infer<typeof attachmentSource>;

/** A file, picture or passage. Its bytes are a blob of the session's workspace, put there before the message is sent; `source` says what they were read from. */
export const attachedContent = z.strictObject({
  name,
  mimeType: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/).max(200),
  digest,
  /** Bytes, decoded. */
  size: z.number().int().nonnegative(),
  source: attachmentSource.optional(),
});
export type AttachedContent = z.infer<typeof attachedContent>;

/** A file or folder that is only named: the agent reads it itself, where it may. */
export const attachedLink = z.strictObject({ name, link: z.enum(['file', 'folder']), source: attachmentSource });
export type AttachedLink = z.infer<typeof attachedLink>;

/** What goes with a message besides its text. */
export const attachment = z.union([attachedContent, attachedLink]);
export type Attachment = z.infer<typeof attachment>;
