import type { Context } from './context.ts';
import type { ExitCode } from './failure.ts';

/** What a command does with the folder: the gateway is told, and holds it to that. */
export type Access = 'read' | 'write';

export interface OptionSpec {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly about: string;
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** What was typed after the command's name. */
export interface Given {
  readonly positionals: readonly string[];
  readonly flag: (name: string) => boolean;
  readonly text: (name: string) => string | undefined;
}

export interface Command {
  /** As it is typed, e.g. "goal new". */
  readonly name: string;
  readonly summary: string;
  /** The positional arguments: `<needed>`, `[may be left out]`, and `…` behind the last one for as many as there are. */
  readonly usage: string;
  readonly about?: readonly string[];
  readonly options: OptionSpecs;
  readonly examples: readonly string[];
  readonly access: Access;
  /** It looks at what is there, so it changes nothing by starting a gateway. */
  readonly neverStarts?: true;
  readonly run: (context: Context, given: Given) => Promise<ExitCode>;
}

/** Options that every command takes. */
export const GLOBAL_OPTIONS = {
  'workspace': { type: 'string', short: 'C', value: 'DIR', about: 'The folder whose goals and sessions are meant, instead of the nearest known one' },
  'data-root': { type: 'string', value: 'DIR', about: 'The gateway’s data folder (default: $ATTACHE_DATA_ROOT or ~/.attache)' },
  'json': { type: 'boolean', about: 'JSON on stdout; the default when stdout is no terminal' },
  'text': { type: 'boolean', about: 'Text for people, also when stdout is no terminal' },
  'no-color': { type: 'boolean', about: 'No colours (also NO_COLOR; FORCE_COLOR makes them)' },
  'no-start': { type: 'boolean', about: 'Do not start a gateway when none runs' },
  'read-only': { type: 'boolean', about: 'State the folder as not trusted: nothing can be changed (also ATTACHE_READ_ONLY=1)' },
  'help': { type: 'boolean', short: 'h', about: 'Help about the command' },
  'version': { type: 'boolean', short: 'V', about: 'The version' },
} as const satisfies OptionSpecs;
