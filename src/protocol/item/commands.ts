import * as z from '../schema.ts';
import { digest, itemId, workspacePath } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { item } from './state.ts';

export const itemMethods = {
  /** The item with its text from `offset` (UTF-16 code units, 0 when absent) on, at most 512 KiB of it: what is left of `textLength` is read on behind it. */
  'item/get': { kind: 'query', params: z.strictObject({ itemId, offset: z.number().int().nonnegative().optional() }), result: z.strictObject({ item }) },
  /** One piece of a content-addressed text or file; complete when `offset` + piece = `size`. Pieces at most 1 MiB decoded. */
  'blob/put': {
    kind: 'command',
    params: z.strictObject({
      workspace: workspacePath,
      digest,
      size: z.number().int().nonnegative().max(LIMITS.blobBytes),
      offset: z.number().int().nonnegative(),
      base64: z.string().max(1_500_000),
    }),
    result: z.strictObject({ complete: z.boolean(), nextOffset: z.number().int().nonnegative() }),
  },
  /** Also the way to what an item refers to by digest: the texts of its changes, its attachments. */
  'blob/get': {
    kind: 'query',
    params: z.strictObject({ workspace: workspacePath, digest, offset: z.number().int().nonnegative().optional() }),
    result: z.strictObject({ size: z.number().int().nonnegative(), base64: z.string(), nextOffset: z.number().int().nonnegative().nullable() }),
  },
} as const;
