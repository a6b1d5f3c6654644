import path from 'node:path';
import { parseArgs } from 'node:util';
import { defaultDataRoot } from '../../connector/dataRoot.ts';

export interface GatewayArguments {
  readonly dataRoot: string;
  /** Pump bytes between stdio and the shared gateway instead of being one. */
  readonly stdio: boolean;
  readonly workspaces: readonly string[];
  readonly trusted: boolean;
}

/** Throws with a sentence when an argument is not known. */
export function parseArguments(args: readonly string[]): GatewayArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'data-root': { type: 'string' },
      'stdio': { type: 'boolean', default: false },
      'workspace': { type: 'string', multiple: true, default: [] },
      'trust': { type: 'boolean', default: false },
      // Editors add it for servers that watch their parent; this one belongs to no single client.
      'clientProcessId': { type: 'string' },
    },
  });
  return {
    dataRoot: path.resolve(values['data-root'] ?? defaultDataRoot()),
    stdio: values.stdio,
    workspaces: values.workspace.map((folder) => path.resolve(folder)),
    trusted: values.trust,
  };
}
