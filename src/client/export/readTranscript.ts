import type { Approval } from '../../protocol/approval/state.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item/state.ts';
import type { SessionPage } from '../../protocol/subscription/state.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import type { GatewayCalls } from '../gatewayClient.ts';
import { wholeItem } from '../wholeItem.ts';
import { transcriptOf, type Transcript } from './transcript.ts';

type Calls = Pick<GatewayCalls, 'call'>;

/** While something runs a page may be older than the next; such a reading is repeated, not without end. */
const READINGS = 3;

/** Reads a session from its first turn to its last, every text whole. */
export async function readTranscript(calls: Calls, sessionId: SessionId): Promise<Transcript> {
  for (let reading = 1; ; reading++) {
    const { snapshot: { session, goal, head } } = await calls.call('session/get', { sessionId });
    const history = await readHistory(calls, sessionId);
    const { snapshot: { head: after } } = await calls.call('session/get', { sessionId });
    if (after !== head && reading < READINGS) continue;
    // Last, so that every rule that answered is among them.
    const { grants } = await calls.call('grant/list', { workspace: session.workspace, includeRevoked: true });
    return transcriptOf({ session, goal, grants, ...history });
  }
}

interface History {
  readonly turns: Turn[];
  readonly items: Item[];
  readonly approvals: Approval[];
}

async function readHistory(calls: Calls, sessionId: SessionId): Promise<History> {
  const turns = new Map<string, Turn>();
  const items = new Map<string, Item>();
  const approvals = new Map<string, Approval>();
  for await (const page of pagesBackwards(calls, sessionId)) {
    // A turn that is cut by pages is on each of them.
    for (const turn of page.turns) if (!turns.has(turn.turnId)) turns.set(turn.turnId, turn);
    for (const item of page.items) items.set(item.itemId, item.text.length < item.textLength ? await wholeItem(calls, item.itemId) : item);
    for (const approval of page.approvals) approvals.set(approval.approvalId, approval);
  }
  return { turns: [...turns.values()], items: [...items.values()], approvals: [...approvals.values()] };
}

/** All pages of a session, the newest first; from before a place where one is given. */
export async function* pagesBackwards(calls: Calls, sessionId: SessionId, from?: Pick<SessionPage, 'earlier' | 'earlierItem'>): AsyncGenerator<SessionPage> {
  for (let place = from; place?.earlier !== null;) {
    const before: { before?: number; beforeItem?: number } = place === undefined ? {} : { before: place.earlier, ...(place.earlierItem === undefined ? {} : { beforeItem: place.earlierItem }) };
    const { page } = await calls.call('session/history', { sessionId, ...before });
    yield page;
    place = page;
  }
}
