import { Emitter } from '../../base/event.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { HunkPlace, Mark } from '../../protocol/approval/lenses.ts';
import { choosableChanges, hunkKey, partWithout } from '../../protocol/approval/part.ts';
import type { Approval, ApprovedPart } from '../../protocol/approval/state.ts';

const key = ({ change, hunk }: HunkPlace): string => hunkKey(change, hunk);

/** What a person of this window has marked of edits that wait. Nothing of it counts before the request is answered. */
export class PartChoices implements Disposable {
  readonly #changed = new Emitter<string>();
  readonly #marks = new Map<string, Map<string, Mark>>();

  /** The marks of this request are others now. */
  readonly onChanged = this.#changed.event;

  /** True for a hunk that may be chosen. */
  canMark({ subject }: Approval, { change, hunk }: HunkPlace): boolean {
    return choosableChanges(subject)?.[change]?.hunks[hunk] !== undefined;
  }

  mark(approvalId: string, place: HunkPlace, mark: Mark | null): void {
    const marks = this.#marks.get(approvalId) ?? new Map<string, Mark>();
    if (mark === null) marks.delete(key(place));
    else marks.set(key(place), mark);
    if (marks.size === 0) this.#marks.delete(approvalId);
    else this.#marks.set(approvalId, marks);
    this.#changed.fire(approvalId);
  }

  markOf(approvalId: string, place: HunkPlace): Mark | undefined {
    return this.#marks.get(approvalId)?.get(key(place));
  }

  /** What an approval would be of now: all that is not marked as rejected; undefined: the whole. */
  part(approval: Approval): ApprovedPart | undefined {
    const left = this.#leftOut(approval.approvalId);
    return left.length === 0 ? undefined : (partWithout(approval.subject, left) ?? undefined);
  }

  /** True when hunks can be chosen and each has its mark: the request is answered with that. */
  isComplete({ approvalId, subject }: Approval): boolean {
    return choosableChanges(subject)?.every(({ hunks }, change) => hunks.every((_hunk, hunk) => this.markOf(approvalId, { change, hunk }) !== undefined)) === true;
  }

  /** By request the hunks that are left out, as `change.hunk`. */
  get leftOut(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.#marks.keys()].map((approvalId) => [approvalId, this.#leftOut(approvalId)] as const).filter(([, left]) => left.length > 0));
  }

  forget(approvalId: string): void {
    if (this.#marks.delete(approvalId)) this.#changed.fire(approvalId);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #leftOut(approvalId: string): string[] {
    return [...(this.#marks.get(approvalId) ?? [])].flatMap(([place, mark]) => (mark === 'reject' ? [place] : []));
  }
}
