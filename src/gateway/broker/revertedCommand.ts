import { AttacheError } from '../../protocol/errors.ts';
import type { ItemId } from '../../protocol/ids.ts';
import type { ItemData, RevertNote } from '../../protocol/item/state.ts';
import { hasEnded } from '../../protocol/turn/state.ts';
import { admitted } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import { requireBounded } from '../bounded.ts';
import type { Handlers } from '../handlers.ts';
import type { ItemStore } from '../items/itemStore.ts';
import { mintId } from '../mint.ts';
import { sessionFacts, type SessionStore } from '../sessions/sessionStore.ts';
import type { Receipts } from '../store/receipts.ts';
import { requireTurn } from './requireTurn.ts';
import type { TurnStore } from './turnStore.ts';

export interface RevertedCommandOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly items: ItemStore;
}

const NAMED = 5;

/** What a person did to files by hand belongs to the transcript, too: whoever reads it later sees why they are not as the agent left them. */
export function revertedCommand({ receipts, sessions, turns, items }: RevertedCommandOptions): Handlers<'turn/reverted'> {
  return {
    'turn/reverted': ({ principal }, params) => receipts.once(principal, 'turn/reverted', params, (change) => {
      const { session, turn } = requireTurn({ sessions, turns }, principal, params.turnId);
      admitted(decideAdmission({ operation: 'organise', session: sessionFacts(principal, session) }));
      if (!hasEnded(turn.state)) throw new AttacheError('turn_in_progress');
      const { clientId, windowId, kind: clientKind } = principal;
      const revert: RevertNote = { turnId: turn.turnId, turnIdx: turn.turnIdx, again: params.again, files: params.files, by: { clientId, windowId, clientKind } };
      const itemId = mintId<ItemId>('itm', change.now);
      const data: ItemData = { kind: 'notice', level: 'info', code: params.again ? 'revert_undone' : 'turn_reverted', revert };
      requireBounded(data);
      // Where the conversation is now: that is when it happened.
      const item = items.insertOwn(change, turns.newestWorkedOn(session.sessionId) ?? turn, { itemId, state: 'completed', data, text: textOf(revert) });
      return { workspace: session.workspace, result: { item } };
    }),
  };
}

/** True in every window that reads it. */
function textOf({ turnIdx, again, files }: RevertNote): string {
  const names = files.slice(0, NAMED).map(({ label, before, after }) => (after === null ? `${label} (deleted)` : before === null ? `${label} (created again)` : label));
  const all = `${names.join(', ')}${files.length > NAMED ? ` and ${files.length - NAMED} more` : ''}`;
  return again ? `The revert of turn ${turnIdx} was undone: ${all}.` : `The changes of turn ${turnIdx} were taken back: ${all}.`;
}
