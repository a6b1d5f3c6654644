import { AttacheError, ERRORS } from '../../protocol/errors.ts';
import type { ItemId } from '../../protocol/ids.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import { isActive } from '../../protocol/turn/phase.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Change } from '../events/change.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { Handlers } from '../handlers.ts';
import type { ItemStore } from '../items/itemStore.ts';
import { mintId } from '../mint.ts';
import { capabilitiesOf, sessionFacts, type SessionRow, type SessionStore } from '../sessions/sessionStore.ts';
import type { Receipts } from '../store/receipts.ts';
import type { Executors } from './executors.ts';
import { publicTurn, type TurnRow, type TurnStore } from './turnStore.ts';

export interface SteerCommandOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly goals: GoalRegistry;
  readonly executors: Executors;
}

type Params = ParamsOf<'turn/steer'>;

const UNAVAILABLE = 'attached_session_live_steering_unavailable';

/** Says something into a running turn. It is delivered or refused, and never becomes a message that waits. */
export function steerCommand(options: SteerCommandOptions): Handlers<'turn/steer'> {
  const { receipts, sessions, goals } = options;
  return {
    'turn/steer': ({ principal }, params) => receipts.once(principal, 'turn/steer', params, (change) => {
      const session = requireVisible(principal, sessions.find(params.sessionId));
      admitted(decideAdmission({ operation: 'steer', session: sessionFacts(principal, session), goal: goals.facts(session) }));
      const { workspace } = session;
      // The one refusal that is kept: what this host cannot do it cannot do later either.
      if (!capabilitiesOf(session).includes('live_steering')) {
        const { message, next } = ERRORS[UNAVAILABLE];
        return { workspace, result: { outcome: 'failed', code: UNAVAILABLE, message, next } };
      }
      return { workspace, result: { outcome: 'delivered', itemId: deliver(options, change, steered(options, session, params), params) } };
    }),
  };
}

/** The running turn, when it is the one that was meant and somebody there can still hear. */
function steered({ turns, executors }: SteerCommandOptions, session: SessionRow, { turnId }: Params): TurnRow {
  const turn = session.activeTurnId === null ? undefined : turns.find(session.activeTurnId);
  if (turn === undefined || !isActive(turn.state)) throw new AttacheError('live_steering_requires_active_turn');
  if (turn.turnId !== turnId) throw new AttacheError('live_steering_turn_mismatch', { entity: publicTurn(turn) });
  const hears = executors.fact(session.sessionId, session.hostSurface).state === 'connected';
  if (!hears || (turn.state !== 'running' && turn.state !== 'waiting')) throw new AttacheError('live_steering_rejected');
  return turn;
}

/** The host follows the transcript of its turn: a message of the user there is for the agent. */
function deliver({ items }: SteerCommandOptions, change: Change, turn: TurnRow, { text }: Params): ItemId {
  const itemId = mintId<ItemId>('itm', change.now);
  items.insertOwn(change, turn, { itemId, state: 'completed', data: { kind: 'user_message' }, text });
  return itemId;
}
