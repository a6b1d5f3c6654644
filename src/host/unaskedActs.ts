import type { ReportOp } from '../protocol/host/commands.ts';
import type { ItemKey } from '../protocol/ids.ts';
import type { PermissionMode } from '../protocol/session/state.ts';
import type { CallTree } from './callTree.ts';
import type { ApprovalPolicy } from './hostOptions.ts';

export type ActKind = 'edit' | 'command';

export interface UnaskedActsOptions {
  readonly calls: CallTree;
  /** The gateway takes the mark; else it is told in words alone. */
  readonly marks: boolean;
  /** Whether a person, or a rule that is on record, was to answer for an act of this kind. */
  readonly isAskedAbout: (kind: ActKind) => boolean;
  /** An answer for good that the person gave earlier and the agent keeps by itself, in its words; null: none. */
  readonly standing: (kind: ActKind) => string | null;
  readonly newKey: () => ItemKey;
}

type End = Extract<ReportOp, { op: 'item.end' }>;

/** Whether an act of this kind is to be asked about: not where the settings, or the session's permission mode, allow it. */
export function asksAbout(kind: ActKind, policy: ApprovalPolicy, mode: PermissionMode | undefined): boolean {
  if (mode === 'askAlways' || mode === 'readOnly') return true;
  return policy[kind] !== 'allow' && !(mode === 'acceptEdits' && kind === 'edit');
}

/** What surely changes something. Of a tool of another kind nobody knows. */
const acts: ReadonlyMap<string, ActKind> = new Map([['edit', 'edit'], ['delete', 'edit'], ['move', 'edit'], ['execute', 'command']]);

/** Flags what an agent did by itself without asking: each such call, and once in a turn in words. */
export class UnaskedActs {
  readonly #options: UnaskedActsOptions;
  #isTold = false;

  constructor(options: UnaskedActsOptions) {
    this.#options = options;
  }

  /** The end of an item as it is to be reported. */
  flagged(end: End): ReportOp[] {
    const { calls, marks, isAskedAbout } = this.#options;
    const data = calls.data(end.itemKey);
    const kind = data === null ? undefined : acts.get(data.toolKind);
    if (data === null || kind === undefined || !hasActed(end, kind) || !isAskedAbout(kind) || calls.takeConsent(end.itemKey)) return [end];
    return [marks ? { ...end, data: { ...data, unasked: true } } : end, ...this.#tell(end.itemKey, kind, data.title)];
  }

  #tell(parent: ItemKey, kind: ActKind, title: string): ReportOp[] {
    if (this.#isTold) return [];
    this.#isTold = true;
    const { newKey, standing } = this.#options;
    const chosen = standing(kind);
    const why = chosen === null ? 'Its own settings decide when it asks: change them if it is to ask.' : `You answered “${chosen.slice(0, 200)}” earlier: the agent keeps that rule itself.`;
    const kept = kind === 'edit' ? ['What the file was before was not kept.'] : [];
    const text = [`The agent did this without asking: ${title.slice(0, 300)}.`, ...kept, why].join(' ');
    return [{ op: 'item.start', itemKey: newKey(), data: { kind: 'notice', level: chosen === null ? 'warning' : 'info', code: 'not_asked' }, text: text.toWellFormed(), state: 'completed', parent }];
  }
}

/** A command that failed was run; a change that failed was not made. What was stopped may never have begun. */
const hasActed = ({ state }: End, kind: ActKind): boolean => state === 'completed' || (state === 'failed' && kind === 'command');
