import * as z from '../schema.ts';
import { workspace } from './state.ts';

export const workspaceMethods = {
  /** The folders granted to this connection, and those below them that have goals or sessions, by path. */
  'workspace/list': { kind: 'query', params: z.strictObject({}), result: z.strictObject({ workspaces: z.array(workspace) }) },
} as const;
