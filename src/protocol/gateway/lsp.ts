import * as z from '../schema.ts';
import { approvedPart } from '../approval/state.ts';
import { approvalId, digest } from '../ids.ts';

// What plain LSP clients send. Only the fields that are used: what else a client says is its own business.

const place = z.object({ line: z.number().int().nonnegative() });
const textDocument = z.object({ uri: z.string().max(40_000) });

/** Of `textDocument/codeLens`. */
export const lspCodeLensParams = z.object({ textDocument });
/** Of `textDocument/codeAction`. */
export const lspCodeActionParams = z.object({
  textDocument,
  range: z.object({ start: place, end: place }),
  context: z.object({ only: z.array(z.string()).nullish() }).nullish(),
});
/** Of `workspace/executeCommand`. */
export const lspExecuteParams = z.object({ command: z.string().max(200), arguments: z.array(z.unknown()).max(20).nullish() });
/** Of `initialize`, where a client can fetch its lenses again. */
export const lspInitializeParams = z.object({
  capabilities: z.object({ workspace: z.object({ codeLens: z.object({ refreshSupport: z.boolean() }) }) }),
});

/** The one argument of `attache.approve` and `attache.reject`: the request as it was shown, and an answer that the agent offered, for some of its hunks where they are named. */
export const lspAnswer = z.strictObject({ approvalId, actionDigest: digest, optionId: z.string().min(1).max(500), part: approvedPart.optional() });
export type LspAnswer = z.infer<typeof lspAnswer>;
/** The one argument of `attache.show`. */
export const lspShow = z.strictObject({ approvalId, actionDigest: digest });
