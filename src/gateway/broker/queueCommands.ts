import { AttacheError } from '../../protocol/errors.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import type { Session } from '../../protocol/session/state.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { Handlers } from '../handlers.ts';
import type { ItemStore } from '../items/itemStore.ts';
import { attachmentsOf, requireAttachments, userMessage } from '../sessions/attachments.ts';
import { sessionFacts, type SessionStore } from '../sessions/sessionStore.ts';
import type { SessionViews } from '../sessions/sessionView.ts';
import type { Receipts } from '../store/receipts.ts';
import type { Store } from '../store/store.ts';
import type { Draining } from './draining.ts';
import { requireRoom } from './enqueue.ts';
import { QueueOrder } from './queueOrder.ts';
import { lifted } from './quarantine.ts';
import { requireTurn } from './requireTurn.ts';
import type { TurnEnds } from './turnEnds.ts';
import { publicTurn, type TurnRow, type TurnStore } from './turnStore.ts';
import type { WaitingClaims } from './waitingClaims.ts';

export interface QueueCommandsOptions {
  readonly store: Store;
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
  readonly turns: TurnStore;
  readonly turnEnds: TurnEnds;
  readonly items: ItemStore;
  readonly goals: GoalRegistry;
  readonly draining: Draining;
  readonly waiting: WaitingClaims;
}

export function queueCommands(options: QueueCommandsOptions): Handlers<'queue/edit' | 'queue/remove' | 'queue/reorder' | 'queue/pause' | 'queue/resume'> {
  const { receipts, sessions, turns, turnEnds, goals, draining, waiting } = options;
  const queueOrder = new QueueOrder(options);
  return {
    'queue/edit': ({ principal }, params) => receipts.once(principal, 'queue/edit', params, (change) => {
      const { session, turn } = requireTurn(options, principal, params.turnId);
      admitted(decideAdmission({ operation: 'queue_edit', session: sessionFacts(principal, session), goal: goals.facts(session), draining: draining.active }));
      requirePending(turns, turn);
      if (turn.rev !== params.expectedRev) throw new AttacheError('revision_conflict', { entity: publicTurn(turn) });
      return { workspace: session.workspace, result: { turn: publicTurn(edit(options, change, { session, turn }, params)) } };
    }),

    'queue/remove': ({ principal }, params) => receipts.once(principal, 'queue/remove', params, (change) => {
      const { session, turn } = requireTurn(options, principal, params.turnId);
      admitted(decideAdmission({ operation: 'queue_remove', session: sessionFacts(principal, session) }));
      requirePending(turns, turn);
      return { workspace: session.workspace, result: { turn: publicTurn(turnEnds.end(change, turn, { state: 'cancelled' })) } };
    }),

    'queue/reorder': ({ principal }, params) => receipts.once(principal, 'queue/reorder', params, (change) => {
      const session = requireVisible(principal, sessions.find(params.sessionId));
      admitted(decideAdmission({ operation: 'queue_reorder', session: sessionFacts(principal, session), goal: goals.facts(session), draining: draining.active }));
      const ordered = queueOrder.apply(change, turns.queue(session.sessionId), params.turnIds);
      return { workspace: session.workspace, result: { turns: ordered.map(publicTurn) } };
    }),

    'queue/pause': ({ principal }, params) => receipts.once(principal, 'queue/pause', params, (change) => setPaused(options, change, principal, { ...params, paused: true })),

    'queue/resume': ({ principal }, params) => receipts.once(principal, 'queue/resume', params, (change) => {
      change.after(() => waiting.wake(params.sessionId));
      return setPaused(options, change, principal, { ...params, paused: false });
    }),
  };
}

function requirePending(turns: TurnStore, turn: TurnRow): void {
  if (turn.state !== 'queued' || turns.isExpired(turn)) throw new AttacheError('queue_item_not_pending', { entity: publicTurn(turn) });
}

/** The prompt and the message that people see are one text. */
function edit({ store, turns, items }: QueueCommandsOptions, change: Change, { session, turn }: ReturnType<typeof requireTurn>, { text, ...given }: ParamsOf<'queue/edit'>): TurnRow {
  requireRoom(turns, turn.sessionId, text.length - turn.text.length);
  if (given.attachments !== undefined) requireAttachments(store, session.workspace, given.attachments);
  const attachments = given.attachments ?? attachmentsOf(turn);
  const message = items.find(turn.userItemId);
  if (message !== undefined) items.update(change, message, { text, data: userMessage(attachments) });
  return turns.patch(change, turn, { text, attachments: JSON.stringify(attachments) });
}

function setPaused({ sessions, views }: QueueCommandsOptions, change: Change, principal: Principal, { sessionId, paused }: { readonly sessionId: SessionId; readonly paused: boolean }): { workspace: string; result: { session: Session } } {
  const session = requireVisible(principal, sessions.find(sessionId));
  admitted(decideAdmission({ operation: 'manage', session: sessionFacts(principal, session) }));
  const queuePaused = paused ? 1 : 0;
  const next = session.queuePaused === queuePaused ? session : sessions.patch(change, session, { queuePaused, ...(paused ? {} : lifted(session)) });
  return { workspace: session.workspace, result: { session: views.of(next) } };
}
