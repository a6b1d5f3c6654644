import { pagesBackwards } from '../../client/export/readTranscript.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { changesOfTurn, type RevertibleChange, type TurnChange, type TurnFile } from '../../execution/revertPlan.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { Digest, TurnId } from '../../protocol/ids.ts';
import type { Item, RevertNote } from '../../protocol/item/state.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import type { BlobTexts } from '../approvals/blobTexts.ts';

/** A turn and what it did to files. */
export interface ReadTurn {
  readonly turn: Turn;
  readonly changes: readonly TurnChange[];
}

export async function readTurn(calls: GatewayCalls, turnId: TurnId): Promise<ReadTurn> {
  const { turn } = await calls.call('turn/get', { turnId });
  return { turn, changes: (await changesFrom(calls, turn, turn.turnIdx + 1)).get(turnId) ?? [] };
}

/** How the later turns of the session left each file, by its path. */
export async function laterDigests(calls: GatewayCalls, turn: Turn): Promise<ReadonlyMap<string, readonly Digest[]>> {
  const digests = new Map<string, readonly Digest[]>();
  for (const [turnId, changes] of await changesFrom(calls, turn)) {
    if (turnId !== turn.turnId) for (const { path, after } of changes) digests.set(path, [...(digests.get(path) ?? []), after]);
  }
  return digests;
}

interface Done {
  readonly items: Item[];
  readonly approvals: Approval[];
}

/** What each turn did to files, from this one on and up to the turn `before`. Read from the transcript, which is complete however long the session is: lists of requests are not. */
async function changesFrom(calls: GatewayCalls, { sessionId, turnIdx }: Turn, before?: number): Promise<ReadonlyMap<TurnId, TurnChange[]>> {
  const turns = new Map<TurnId, Done>();
  for await (const page of pagesBackwards(calls, sessionId, before === undefined ? undefined : { earlier: before })) {
    const meant = new Set(page.turns.filter((turn) => turn.turnIdx >= turnIdx).map(({ turnId }) => turnId));
    const approvals = page.approvals.filter((approval) => meant.has(approval.turnId) && approval.subject.kind === 'edit');
    const asked = new Set(approvals.map(({ itemId }) => itemId));
    for (const approval of approvals) ofTurn(turns, approval.turnId).approvals.push(approval);
    // A page tells an item together with its requests. Long texts are not needed, and not kept.
    for (const item of page.items) if (meant.has(item.turnId) && (item.data.kind === 'edit' || asked.has(item.itemId))) ofTurn(turns, item.turnId).items.push(item);
    if (page.earlier === null || page.earlier < turnIdx || (page.earlier === turnIdx && page.earlierItem === undefined)) break;
  }
  return new Map([...turns].map(([turnId, { items, approvals }]) => [turnId, changesOfTurn(items, approvals)]));
}

function ofTurn(turns: Map<TurnId, Done>, turnId: TurnId): Done {
  const known = turns.get(turnId) ?? { items: [], approvals: [] };
  turns.set(turnId, known);
  return known;
}

/** What a revert has done, to be undone in its turn. */
export const changesOfRevert = ({ files }: RevertNote): RevertibleChange[] =>
  files.map(({ path, label, before, kept, after }) => ({ path, label, before, after, exact: true, mixed: false, ...(kept === undefined ? {} : { kept }) }));

/** The same change with its texts. */
export async function turnFile(texts: BlobTexts, workspace: string, { path, before, after, kept, exact, mixed }: RevertibleChange): Promise<TurnFile> {
  const text = (digest: string | null): Promise<string | null> => (digest === null ? Promise.resolve(null) : texts.read(workspace, digest));
  const bytes = kept === undefined || kept === null ? kept : await texts.bytes(workspace, kept);
  return { path, before: await text(before), after: await text(after), exact, mixed, ...(bytes === undefined ? {} : { kept: bytes }) };
}
