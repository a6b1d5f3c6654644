import * as z from '../schema.ts';
import { commandId, grantId, sessionId, workspacePath } from '../ids.ts';
import { grant } from './state.ts';

/** Grants are made by `approval/decide` alone, with `remember`. */
export const grantMethods = {
  /** Newest first. All that count, and with `includeRevoked` the newest of those that do not any more. `sessionId`: those that count in this session. */
  'grant/list': {
    kind: 'query',
    params: z.strictObject({ workspace: workspacePath, sessionId: sessionId.optional(), includeRevoked: z.boolean().optional() }),
    result: z.strictObject({ grants: z.array(grant) }),
  },
  /** From its answer on nothing more is answered, and nothing begun, by this rule. Repeatable; possible in an untrusted folder, too. */
  'grant/revoke': { kind: 'command', params: z.strictObject({ commandId, grantId }), result: z.strictObject({ grant }) },
} as const;
