import { AttacheError } from '../../protocol/errors.ts';
import type { ClientTurnId } from '../../protocol/ids.ts';
import { hasEnded } from '../../protocol/turn/state.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { Changes } from '../events/changes.ts';
import type { GoalRegistry } from '../goals/goalRegistry.ts';
import type { Handlers } from '../handlers.ts';
import { hashParams } from '../mint.ts';
import { attachmentsOf } from '../sessions/attachments.ts';
import { sessionFacts, type SessionRow, type SessionStore } from '../sessions/sessionStore.ts';
import type { Receipts } from '../store/receipts.ts';
import type { Draining } from './draining.ts';
import type { Enqueue, Message } from './enqueue.ts';
import { requireTurn } from './requireTurn.ts';
import { publicTurn, type TurnRow, type TurnStore } from './turnStore.ts';

export interface SubmitCommandsOptions {
  readonly changes: Changes;
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly goals: GoalRegistry;
  readonly draining: Draining;
  readonly enqueue: Enqueue;
}

const ORIGINS = { editor: 'vscode', cli: 'cli', lsp: 'lsp' } as const;

export function submitCommands(options: SubmitCommandsOptions): Handlers<'turn/submit' | 'turn/retry'> {
  const { changes, receipts, sessions, turns } = options;
  return {
    'turn/submit': ({ principal }, params) => {
      const { clientTurnId, text, mode = 'queue', attachments = [] } = params;
      return changes.commit({ clientId: principal.clientId, commandId: clientTurnId }, 'lifecycle', (change) => {
        const session = requireVisible(principal, sessions.find(params.sessionId));
        const submitHash = hashParams({ text, mode, ...(attachments.length === 0 ? {} : { attachments }) });
        const message: Message = { clientTurnId, text, attachments, mode, origin: ORIGINS[principal.kind], retryOf: null, submitHash };
        return submit(options, change, principal, session, message);
      });
    },

    'turn/retry': ({ principal }, params) => receipts.once(principal, 'turn/retry', params, (change) => {
      const { clientTurnId } = params;
      const { session, turn: before } = requireTurn(options, principal, params.turnId);
      const message: Message = {
        clientTurnId, text: before.text, attachments: attachmentsOf(before), mode: 'queue', origin: 'retry', retryOf: before.turnId, submitHash: hashParams({ retryOf: before.turnId }),
      };
      const stored = repeated(turns, session, message);
      if (stored === undefined && !hasEnded(before.state)) throw new AttacheError('retry_not_possible');
      return { workspace: session.workspace, result: submit(options, change, principal, session, message) };
    }),
  };
}

/** A message that came before is answered from the store, also where a new one would be refused: a lost answer can be recovered. */
function submit({ turns, goals, draining, enqueue }: SubmitCommandsOptions, change: Change, principal: Principal, session: SessionRow, message: Message) {
  const stored = repeated(turns, session, message);
  if (stored !== undefined) return { created: false, turn: publicTurn(stored) };
  const operation = message.retryOf === null ? 'submit' : 'retry';
  admitted(decideAdmission({ operation, session: sessionFacts(principal, session), goal: goals.facts(session), draining: draining.active }));
  return { created: true, turn: publicTurn(enqueue.apply(change, session, message)) };
}

function repeated(turns: TurnStore, session: SessionRow, { clientTurnId, submitHash }: { readonly clientTurnId: ClientTurnId; readonly submitHash: string }): TurnRow | undefined {
  const stored = turns.byClientKey(session.sessionId, clientTurnId);
  if (stored !== undefined && stored.submitHash !== submitHash) throw new AttacheError('idempotency_conflict');
  return stored;
}
