import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { changesOfTurn, type RevertibleChange, type TurnChange, type TurnFile } from '../../execution/revertPlan.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { Digest, TurnId } from '../../protocol/ids.ts';
import type { Item, RevertNote } from '../../protocol/item/state.ts';
import type { ResultOf } from '../../protocol/methods.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import type { BlobTexts } from '../approvals/blobTexts.ts';

/** A turn and what it did to files. */
export interface ReadTurn {
  readonly turn: Turn;
  readonly changes: readonly TurnChange[];
}

export async function readTurn(calls: GatewayCalls, workspace: string, turnId: TurnId): Promise<ReadTurn> {
  const { turn } = await calls.call('turn/get', { turnId });
  const { approvals } = await calls.call('approval/list', { workspace, sessionId: turn.sessionId });
  return { turn, changes: await changesIn(calls, turnId, approvals) };
}

/** How the later turns of the session left each file, by its path. */
export async function laterDigests(calls: GatewayCalls, workspace: string, { sessionId, turnIdx }: Turn): Promise<ReadonlyMap<string, readonly Digest[]>> {
  const { turns } = await calls.call('turn/list', { sessionId });
  const { approvals } = await calls.call('approval/list', { workspace, sessionId });
  const digests = new Map<string, readonly Digest[]>();
  for (const later of turns.filter((turn) => turn.turnIdx > turnIdx)) {
    for (const { path, after } of await changesIn(calls, later.turnId, approvals)) digests.set(path, [...(digests.get(path) ?? []), after]);
  }
  return digests;
}

const changesIn = async (calls: GatewayCalls, turnId: TurnId, approvals: readonly Approval[]): Promise<TurnChange[]> =>
  changesOfTurn(await itemsOf(calls, turnId), approvals.filter((approval) => approval.turnId === turnId));

async function itemsOf(calls: GatewayCalls, turnId: TurnId): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: number | null = null; ;) {
    const page: ResultOf<'turn/replay'> = await calls.call('turn/replay', { turnId, ...(after === null ? {} : { after }) });
    items.push(...page.rows.map(({ item }) => item));
    if (page.next === null) return items;
    after = page.next;
  }
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
