import { textOfPart } from '../execution/editPart.ts';
import { requireUnmoved } from '../execution/movedOn.ts';
import type { EditPreview } from '../execution/plane.ts';
import type { Approval, ApprovalOption } from '../protocol/approval/state.ts';
import { asAttacheError, AttacheError } from '../protocol/errors.ts';
import type { ItemKey } from '../protocol/ids.ts';
import type { FileChange, ItemDataOf, ItemState } from '../protocol/item/state.ts';
import { toolCallKey } from '../runtime/toolCallKey.ts';
import { chosenOf, type AllowedEdit, type ChosenHunks } from './approvalLedger.ts';
import { allowed, endOfFailure, type GuardContext } from './guardContext.ts';
import { choosable } from './shownChanges.ts';

const options: readonly ApprovalOption[] = [
  { optionId: 'allow', name: 'Approve', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

const notes = {
  overlaps: 'The file was changed on the same lines since the agent read it. Approving this replaces those changes.',
  gone: 'The file was deleted or renamed since the agent read it. Approving this creates it again.',
  again: 'The file changed after this was asked, so nothing was written. This is the change as it would be now.',
  superseded: 'The file changed before this could be written, so nothing was written. It is asked for again.',
  sensitive: 'Files of this kind can widen rights or hold secrets, so a person decides each time.',
} as const;
// Each round is a new decision; somebody who types on and on is not asked for ever.
const maxRounds = 10;

/** What the agent wants: `base` is the text it knew (null: no file), `text` what it made of it. */
interface Wish {
  readonly path: string;
  readonly base: string | null;
  readonly text: string;
  readonly toolCallId: string | null;
}

interface Proposal {
  readonly wish: Wish;
  readonly preview: EditPreview;
  readonly itemKey: ItemKey;
  readonly change: FileChange;
  readonly note: { readonly note?: string };
  readonly mustAsk: boolean;
  /** What the agent was allowed on a request of its own. */
  readonly approved: AllowedEdit | null;
  /** The change as it is asked about, with the hunks that can be chosen. */
  readonly asked: FileChange;
}

/** What came of one round: written, in part where `partly` says so, or to be asked again. */
type Round = { readonly written: string; readonly partly: AttacheError | null } | 'again';

/**
 * A write of an agent through us: shown, allowed, then applied to exactly the text that was shown. When the file has moved
 * on by then, nothing is written and the change as it would be now needs a decision of its own.
 */
export async function writeGuarded(context: GuardContext, path: string, text: string, toolCallId: string | null): Promise<void> {
  context.requireLive();
  const { plane, seen } = context.parts;
  const right = await plane.checkWrite(path);
  const known = seen.get(path);
  // An agent that never read the file through us can only mean the file as it is.
  const base = known === undefined ? (await plane.read(path)).text : known;
  for (let round = 0; ; round += 1) {
    const preview = await plane.preview(path, base, text);
    context.requireLive();
    if (preview.before === preview.after) break;
    const proposal = await propose(context, { path, base, text, toolCallId }, { preview, again: round > 0, sensitive: right === 'ask' });
    const end = await carryOut(context, proposal, round + 1 < maxRounds);
    if (end === 'again') continue;
    seen.hasWritten = true;
    if (end.partly === null) break;
    // What was left out is no part of the file, and the agent hears of it.
    seen.set(path, end.written);
    throw end.partly;
  }
  // What the agent knows is what it wrote: a person's change that was carried over is not among it, and must not look like one it took back.
  seen.set(path, text);
}

interface Found {
  readonly preview: EditPreview;
  /** The file moved on while an earlier round of the same wish waited. */
  readonly again: boolean;
  readonly sensitive: boolean;
}

async function propose(context: GuardContext, wish: Wish, { preview, again, sensitive }: Found): Promise<Proposal> {
  const { blobs, changes, reporter } = context.parts;
  const { path, base, text, toolCallId } = wish;
  const { before, after, conflict: overlaps } = preview;
  const described = changes.withHunks({ path, before, after });
  const change: FileChange = {
    ...described.change,
    ...(overlaps || again || before !== base ? { conflict: { base: base === null ? null : blobs.put(base), wanted: blobs.put(text), overlaps } } : {}),
    ...(await context.checkpoints.keep(path)),
  };
  const approved = overlaps ? null : context.ledger.useEdit({ path, present: before, result: after, toolCallId });
  const itemKey = context.newKey('edit');
  const said = [again ? notes.again : null, overlaps ? notes[before === null ? 'gone' : 'overlaps'] : null, sensitive ? notes.sensitive : null].filter((each) => each !== null).join(' ');
  const note = said === '' ? {} : { note: said };
  reporter.report([{
    op: 'item.start',
    itemKey,
    data: { kind: 'edit', mode: 'hosted', change, ...note },
    ...(toolCallId === null ? {} : { parent: toolCallKey(toolCallId) }),
  }]);
  const [asked = change] = context.parts.takesParts ? choosable([{ change, hunks: described.hunks }]) : [change];
  return { wish, preview, itemKey, change, asked, note, approved, mustAsk: overlaps || sensitive };
}

/** Again: when the file has moved on and `mayGoOn`. */
async function carryOut(context: GuardContext, proposal: Proposal, mayGoOn: boolean): Promise<Round> {
  const { checkpoints, parts: { plane, reporter } } = context;
  const { wish: { path }, preview, itemKey, change } = proposal;
  try {
    const { approval, chosen } = await decision(context, proposal);
    const part = chosen === null ? null : partOf(preview, chosen, approval, change.label);
    requireUnmoved(path, preview.before, (await plane.read(path)).text);
    await context.beginEffect(itemKey, approval);
    checkpoints.begun(path, change);
    const written = part?.text ?? preview.after;
    await plane.apply(path, preview.before, written);
    reporter.report([...context.effectEnd(itemKey), { op: 'item.end', itemKey, state: 'completed', ...(part === null ? {} : { data: partlyDone(context, proposal, part) }) }]);
    return { written, partly: part?.told ?? null };
  } catch (error) {
    if (mayGoOn && hasMovedOn(error)) {
      endUnwritten(context, proposal, 'cancelled', { note: notes.superseded });
      return 'again';
    }
    const { state, note } = endOfFailure(context, error);
    endUnwritten(context, proposal, state, note);
    throw error;
  }
}

function hasMovedOn(error: unknown): boolean {
  const kind = asAttacheError(error)?.kind;
  return kind === 'edit_conflict' || kind === 'file_deleted';
}

async function decision(context: GuardContext, { approved, preview, itemKey, change, asked, mustAsk, wish: { toolCallId } }: Proposal): Promise<AllowedEdit> {
  await context.settled();
  context.hasAsked(toolCallId, 'edit');
  if (approved !== null) return { ...approved, approval: allowed(approved.approval) };
  const approval = allowed(await context.ask({
    itemKey,
    title: `${preview.before === null ? 'Create' : 'Edit'} ${change.label}`,
    subject: { kind: 'edit', mode: 'hosted', changes: [asked] },
    options,
    mustAsk,
  }, toolCallId));
  return { approval, chosen: chosenOf(approval, 0) };
}

interface Part {
  readonly text: string;
  /** For people. */
  readonly note: string;
  /** For the agent: it must not take the whole of its text for written. */
  readonly told: AttacheError;
}

/** What a person has chosen of a change. */
function partOf({ before, after }: EditPreview, { hunks, places }: ChosenHunks, { comment }: Approval, label: string): Part {
  if (places.length === 0) throw new AttacheError('approval_rejected', { message: `The change of ${label} was not approved, only other changes of the same request.` });
  const text = textOfPart(before ?? '', after, hunks, places);
  if (text === null) throw new AttacheError('edit_conflict', { message: `${label} was changed after the edit was proposed. Nothing was written.` });
  const left = hunks.filter((_hunk, at) => !places.includes(at)).map(({ fromStart, fromEnd }) => (fromEnd - fromStart > 1 ? `${String(fromStart + 1)}–${String(fromEnd)}` : String(fromStart + 1)));
  const shown = left.length > 20 ? `${left.slice(0, 20).join(', ')} and more` : left.join(', ');
  const said = comment === null || comment === '' ? '' : ` The person says: ${comment}`;
  const message = `Only ${String(places.length)} of the ${String(hunks.length)} changes of ${label} were approved, and just these were written. Left out: what was meant for line ${shown} of the file as it was.${said} Read the file again before you go on.`;
  return { text, note: `Only ${String(places.length)} of ${String(hunks.length)} changes were approved and written.`, told: new AttacheError('edit_partly_approved', { message }) };
}

/** The item says what was written; what was proposed stays in the request. */
function partlyDone({ parts: { changes } }: GuardContext, { wish: { path }, preview: { before }, change, note: { note } }: Proposal, part: Part): ItemDataOf<'edit'> {
  const { kept, conflict } = change;
  const written = { ...changes.describe({ path, before, after: part.text }), ...(conflict === undefined ? {} : { conflict }), ...(kept === undefined ? {} : { kept }) };
  return { kind: 'edit', mode: 'hosted', change: written, note: note === undefined ? part.note : `${note} ${part.note}` };
}

/** Nothing was written: whoever refuses does so before the first byte. */
function endUnwritten(context: GuardContext, { itemKey, change, note: said }: Proposal, state: Exclude<ItemState, 'started' | 'completed'>, note: { readonly note?: string }): void {
  const data = { kind: 'edit', mode: 'hosted', change, ...said, ...note } as const;
  context.parts.reporter.report([...context.effectEnd(itemKey), { op: 'item.end', itemKey, state, data }]);
}
