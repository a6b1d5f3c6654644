import type { Approval } from '../protocol/approval/state.ts';
import type { Digest } from '../protocol/ids.ts';
import type { FileChange, Item } from '../protocol/item/state.ts';
import { digestOf } from './digest.ts';
import { mergeText } from './mergeText.ts';
import type { ExecutionPlane, FileSnapshot, RestoreTarget } from './plane.ts';

/** What one turn did to one file, all of its changes together. Texts are named as blobs. */
export interface TurnChange {
  readonly path: string;
  readonly label: string;
  /** null: there was no file. */
  readonly before: Digest | null;
  readonly after: Digest;
  /** The bytes before the turn; null: no file; absent: not kept. */
  readonly kept?: Digest | null;
  /** False when the agent wrote by itself: line ends may differ from what it showed. */
  readonly exact: boolean;
  /** Somebody else changed the file between two changes of the turn. */
  readonly mixed: boolean;
}

/** What can be taken back of a file. `after` null: it was deleted. */
export type RevertibleChange = Omit<TurnChange, 'after'> & { readonly after: Digest | null };

/** The same with its texts at hand. `after` null: the turn deleted the file. */
export interface TurnFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly kept?: Uint8Array | null;
  readonly exact: boolean;
  readonly mixed: boolean;
}

/**
 * How far a file can be given back. done: it is as before the turn. clean: nobody has touched it since. changed: a later
 * turn or a person has; then `target` takes their work away, too, and `merged` is the text that keeps it (null: on the same
 * lines), so a person must choose. lost: what it was before was not kept.
 */
export type RevertStep =
  | { readonly path: string; readonly verdict: 'done' }
  | { readonly path: string; readonly verdict: 'clean'; readonly act: RevertAct; readonly present: string | null; readonly target: RestoreTarget }
  | { readonly path: string; readonly verdict: 'changed'; readonly act: RevertAct; readonly by: 'turn' | 'person'; readonly present: string | null; readonly target: RestoreTarget; readonly merged: string | null }
  | { readonly path: string; readonly verdict: 'lost' };

export type RevertAct = 'restore' | 'delete' | 'recreate';

/** Every file that the turn has changed, or may have when its end was not seen, with the first state and the last. */
export function changesOfTurn(items: readonly Item[], approvals: readonly Approval[]): TurnChange[] {
  const byPath = new Map<string, TurnChange>();
  for (const { change, exact } of doneChanges(items, approvals)) {
    const first = byPath.get(change.path);
    const kept = first === undefined ? change.kept : first.kept;
    byPath.set(change.path, {
      path: change.path, label: change.label, before: first === undefined ? change.before : first.before, after: change.after, exact,
      mixed: first !== undefined && (first.mixed || first.after !== change.before), ...(kept === undefined ? {} : { kept }),
    });
  }
  return [...byPath.values()];
}

function doneChanges(items: readonly Item[], approvals: readonly Approval[]): { readonly change: FileChange; readonly exact: boolean }[] {
  return [...items].sort((a, b) => a.idx - b.idx).flatMap((item) => {
    if (item.state !== 'completed' && item.outcome !== 'unknown' && item.data.kind !== 'tool_call') return [];
    if (item.data.kind === 'edit') return [{ change: item.data.change, exact: item.data.mode === 'hosted' }];
    if (item.state === 'declined') return [];
    return approvals.filter(({ itemId, status }) => itemId === item.itemId && status === 'approved').flatMap(({ subject }) =>
      subject.kind === 'edit' && subject.mode === 'agentApplied' ? subject.changes.map((change) => ({ change, exact: false })) : []);
  });
}

/** `later`: how later turns left the file, to tell their work from a person's. */
export function planRevert(file: TurnFile, present: FileSnapshot, later: readonly Digest[]): RevertStep {
  const { path, before, after } = file;
  const { text } = present;
  if (text === before) return { path, verdict: 'done' };
  if (before === null) return stepFor(file, present, later, { act: 'delete', target: null });
  const act = text === null ? 'recreate' : 'restore';
  // Bytes are for what a text cannot bring back: another form of the file, or a file that is gone. They do not go under unsaved text.
  const fromBytes = !present.dirty && (act === 'recreate' || !file.exact);
  if (fromBytes && file.kept instanceof Uint8Array) return stepFor(file, present, later, { act, target: { bytes: file.kept } });
  if (after === null && file.kept === undefined) return { path, verdict: 'lost' };
  return stepFor(file, present, later, { act, target: { text: before } });
}

function stepFor(file: TurnFile, { text, dirty }: FileSnapshot, later: readonly Digest[], way: { readonly act: RevertAct; readonly target: RestoreTarget }): RevertStep {
  const { path, before, after } = file;
  const asLeft = file.exact ? text === after : evened(text) === evened(after);
  if (asLeft && !file.mixed && !(dirty && way.target === null)) return { path, verdict: 'clean', ...way, present: text };
  const by = text !== null && later.includes(digestOf(text)) ? 'turn' : 'person';
  return { path, verdict: 'changed', ...way, by, present: text, merged: file.mixed ? null : mergedText(before, after, text) };
}

/** The present text without what the turn did to it, where both can be told apart. */
function mergedText(before: string | null, after: string | null, present: string | null): string | null {
  if (before === null || after === null || present === null) return null;
  const { after: merged, conflict } = mergeText(after, present, before);
  return conflict || merged === present ? null : merged;
}

const evened = (text: string | null): string | null => text?.replaceAll('\r\n', '\n').replace(/\n$/, '') ?? null;

/**
 * Carries out one step as a person chose it: `replace` takes later work away, too, `merge` keeps it. Refused with edit_conflict
 * or file_deleted, and nothing is written, when the file is not the one that the plan saw any more.
 */
export async function applyRevert(plane: Pick<ExecutionPlane, 'restore'>, step: RevertStep, choice: 'replace' | 'merge' = 'replace'): Promise<void> {
  if (step.verdict === 'done' || step.verdict === 'lost') return;
  const keepsLater = step.verdict === 'changed' && choice === 'merge' && step.merged !== null;
  await plane.restore(step.path, step.present, keepsLater ? { text: step.merged } : step.target);
}
