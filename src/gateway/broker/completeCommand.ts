import type { CausedBy } from '../../protocol/envelope.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import { hasEnded } from '../../protocol/turn/phase.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { Changes } from '../events/changes.ts';
import type { Handlers } from '../handlers.ts';
import { mergeUsage } from '../items/reportOps.ts';
import type { Completion } from './completion.ts';
import type { HostGate } from './hostGate.ts';
import { reportGap } from './reportCommand.ts';
import { publicTurn, type TurnRow, type TurnStore } from './turnStore.ts';

export interface CompleteCommandOptions {
  readonly changes: Changes;
  readonly turns: TurnStore;
  readonly hostGate: HostGate;
  readonly completion: Completion;
}

type Params = ParamsOf<'host/complete'>;

/** `late`: the turn had ended without this result. */
type Reservation = { readonly kind: 'reserved' | 'replayed' | 'late'; readonly turn: TurnRow };

/** Two phases: the result is reserved, from then on nothing takes it back; then it is published. A crash in between is finished at the next start. */
export function completeCommand(options: CompleteCommandOptions): Handlers<'host/complete'> {
  const { changes, completion } = options;
  return {
    'host/complete': ({ principal }, params) => {
      const causedBy = { clientId: principal.clientId };
      const { kind, turn } = changes.commit(causedBy, 'lifecycle', (change) => reserve(options, change, principal, params));
      if (kind === 'late') throw new AttacheError('turn_not_active', { entity: publicTurn(turn) });
      return { created: kind === 'reserved', turn: publicTurn(turn.state === 'completing' ? publish(completion, turn, causedBy) : turn) };
    },
  };
}

function publish(completion: Completion, { turnId }: TurnRow, causedBy: CausedBy): TurnRow {
  try {
    return completion.finish(turnId, causedBy);
  } catch (error) {
    completion.finishLater(turnId);
    throw error;
  }
}

function reserve(options: CompleteCommandOptions, change: Change, principal: Principal, params: Params): Reservation {
  const { turns, hostGate, completion } = options;
  const { completionId, claimId, result, usage, lastReportSeq } = params;
  const { session, host } = hostGate.enter(principal, params);
  const turn = turns.find(params.turnId);
  if (turn?.sessionId !== session.sessionId) throw new AttacheError('not_found');
  if (turn.completionId === completionId && turn.claimId === claimId) return { kind: 'replayed', turn };

  hostGate.admit('complete', principal, { session, host, turn });
  if (turn.claimId !== claimId) throw new AttacheError('claim_conflict');
  if (turn.completionId !== null) throw new AttacheError('completion_conflict');
  if (hasEnded(turn.state)) {
    keepLate(completion, change, turn, params);
    return { kind: 'late', turn };
  }
  const reportSeq = turns.reportSeq(turn);
  if (lastReportSeq !== reportSeq) throw reportGap(reportSeq + 1);
  completion.check(turn, result);
  const reserved = turns.patch(change, turn, {
    state: 'completing', completionId, completion: JSON.stringify(result), ...(usage === undefined ? {} : { usage: mergeUsage(turn.usage, usage) }),
  });
  return { kind: 'reserved', turn: reserved };
}

/** The one refusal that writes: words that came too late are not thrown away. */
function keepLate(completion: Completion, change: Change, turn: TurnRow, { result }: Params): void {
  const text = result.outcome === 'completed' ? completion.messageText(turn, result) : undefined;
  if (text !== undefined && text.trim() !== '') completion.keepLate(change, turn, text);
}
