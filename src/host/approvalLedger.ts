import type { Hunk } from '../protocol/item/state.ts';
import type { Approval } from '../protocol/approval/state.ts';
import type { PermissionRequest } from '../execution/plane.ts';
import type { ShownChange } from '../runtime/agent.ts';
import { resultOf, sameText } from './shownChanges.ts';

interface Line {
  readonly approval: Approval;
  readonly toolCallId: string;
  readonly changes: (ShownChange & { readonly chosen: ChosenHunks | null })[];
  command: { readonly command: string; readonly cwd: string } | null;
}

/** What allows an edit; `chosen`: only these places of the change, as its request states them. Null: all of it. */
export interface AllowedEdit {
  readonly approval: Approval;
  readonly chosen: ChosenHunks | null;
}

/** Some hunks of a change, by their places among all of them. */
export interface ChosenHunks {
  readonly hunks: readonly Hunk[];
  readonly places: readonly number[];
}

/** What was chosen of one change of a request; null: all of it. */
export function chosenOf({ subject, part }: Pick<Approval, 'subject' | 'part'>, index: number): ChosenHunks | null {
  if (part === undefined || subject.kind !== 'edit') return null;
  const hunks = subject.changes[index]?.hunks ?? [];
  const places = part[index] ?? [];
  return places.length === hunks.length ? null : { hunks, places };
}

/** What was allowed on an agent's own request in this turn. Each part of it is used up by the first act that equals it. */
export class ApprovalLedger {
  readonly #lines: Line[] = [];

  add(approval: Approval, { toolCallId, changes, command }: PermissionRequest): void {
    this.#lines.push({ approval, toolCallId, changes: changes.map((change, index) => ({ ...change, chosen: chosenOf(approval, index) })), command });
  }

  /** `present` is the file's text now, `result` what the write would make of it. */
  useEdit(edit: { readonly path: string; readonly present: string | null; readonly result: string; readonly toolCallId: string | null }): AllowedEdit | null {
    for (const line of this.#lines) {
      if (edit.toolCallId !== null && edit.toolCallId !== line.toolCallId) continue;
      const at = line.changes.findIndex((change) => change.path === edit.path && sameText(resultOf(change, edit.present), edit.result) && (change.chosen === null || sameText(change.before, edit.present)));
      const [used] = at < 0 ? [] : line.changes.splice(at, 1);
      if (used !== undefined) return { approval: line.approval, chosen: used.chosen };
    }
    return null;
  }

  /** Variables were not shown, so a command that brings some was not allowed. */
  useCommand(asked: { readonly command: string; readonly cwd: string; readonly envNames: readonly string[]; readonly toolCallId: string | null }): Approval | null {
    if (asked.envNames.length > 0) return null;
    const line = this.#lines.find(({ command, toolCallId }) =>
      command !== null && command.command.trim() === asked.command.trim() && command.cwd === asked.cwd && (asked.toolCallId === null || asked.toolCallId === toolCallId));
    if (line === undefined) return null;
    line.command = null;
    return line.approval;
  }
}
